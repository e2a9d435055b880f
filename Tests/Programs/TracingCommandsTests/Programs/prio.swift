import Foundation

// Tasks of low priority keep all threads while others, of both priorities, wait; a sleep is no task.
@Sendable @inline(never) func crunch(_ milliseconds: UInt64) {
  let end = DispatchTime.now().uptimeNanoseconds + milliseconds * 1_000_000
  while DispatchTime.now().uptimeNanoseconds < end {}
}
@main struct M {
  static func main() async {
    for number in 0..<64 {
      Task.detached(name: "crunch \(number)", priority: .background) { crunch(300) }
    }
    try? await Task.sleep(for: .milliseconds(5))
    exit(0)
  }
}
