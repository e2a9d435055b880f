import Dispatch
import Glibc

// A block on a serial queue, three of a group on a concurrent one, iterations, an actor, tasks of every kind,
// and functions of libdispatch that go on in others, or send blocks of their own.
let serial = DispatchQueue(label: "static.serial")
let concurrent = DispatchQueue(label: "static.concurrent", attributes: .concurrent)
let done = DispatchSemaphore(value: 0)

actor Counter {
  private var count = 0
  func add() { count += 1 }
}

@inline(never) func submit() { serial.async { done.signal() } }
submit()
done.wait()
serial.sync { print("sync") }
let group = DispatchGroup()
for _ in 0..<3 { concurrent.async(group: group) {} }
group.wait()
DispatchQueue.concurrentPerform(iterations: 4) { _ in }
let counter = Counter()
await counter.add()
async let other: Void = counter.add()
await other
await Task(name: "a name") { try? await Task.sleep(for: .milliseconds(1)) }.value
await withTaskGroup(of: Void.self) { group in
  for _ in 0..<3 { group.addTask { await counter.add() } }
}
serial.asyncAfter(deadline: .now() - 1) { done.signal() }
done.wait()
try? await Task.sleep(nanoseconds: 0)
DispatchIO.read(
  fromFileDescriptor: open("/proc/self/maps", O_RDONLY), maxLength: 16, runningHandlerOn: serial
) { @Sendable _, _ in done.signal() }
done.wait()
