// A program that knows nothing of this library, to be traced from outside:
//   swift build --package-path Examples --product Thumbnails
//   Scripts/demo trace --html calls.html -- Examples/.build/debug/Thumbnails
// Four pictures are loaded at the same time, scaled on all processors, saved one after the other.
import Dispatch

let pictures = DispatchQueue(label: "pictures", attributes: .concurrent)
let disk = DispatchQueue(label: "disk")
let group = DispatchGroup()

/// Keeps a processor busy.
func work(_ milliseconds: Double) {
  let end = DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds * 1e6)
  while DispatchTime.now().uptimeNanoseconds < end {}
}

func load(_ picture: Int) {
  pictures.async(group: group) {
    work(3 + Double(picture % 2) * 2)
    scale(picture)
    save(picture)
  }
}

func scale(_ picture: Int) {
  DispatchQueue.concurrentPerform(iterations: 4) { tile in work(1 + Double((picture + tile) % 3)) }
}

func save(_ picture: Int) {
  disk.async(group: group) { work(2.5) }
}

for picture in 0..<4 { load(picture) }
group.wait()
disk.sync { print("4 pictures saved") }
