import Foundation

// Twelve requests, of which the eighth sleeps longest, and has two children that compute and a block.
@Sendable @inline(never) func crunch(_ milliseconds: UInt64) {
  let end = DispatchTime.now().uptimeNanoseconds + milliseconds * 1_000_000
  while DispatchTime.now().uptimeNanoseconds < end {}
}
@main struct M {
  static func main() async {
    for number in 1...12 {
      await Task(name: "request \(number % 2)") {
        crunch(2)
        try? await Task.sleep(for: .milliseconds(number == 8 ? 80 : 10))
        guard number == 8 else { return }
        DispatchQueue.global().async { crunch(5) }
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<2 { group.addTask { crunch(15) } }
        }
      }.value
    }
    await Task(name: "other") { crunch(1) }.value
  }
}
