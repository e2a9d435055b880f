import Dispatch

// The main thread waits for a queue, that for another one, and that for the main queue.
let first = DispatchQueue(label: "q.1")
let second = DispatchQueue(label: "q.2")
let isKept = DispatchSemaphore(value: 0)
second.async {
  isKept.signal()
  DispatchQueue.main.sync {}
}
isKept.wait()
first.async {
  isKept.signal()
  second.sync {}
}
isKept.wait()
first.sync {}
