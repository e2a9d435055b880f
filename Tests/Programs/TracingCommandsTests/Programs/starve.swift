// blocking calls in tasks: the cooperative pool is starved
import Foundation

@Sendable @inline(never) func blockingCall() { usleep(400_000) }
@main struct M {
  static func main() async {
    let t0 = ContinuousClock.now
    await withTaskGroup(of: Void.self) { g in
      for _ in 0..<8 { g.addTask(name: "blocking") { blockingCall() } }
      g.addTask(name: "quick request") { print("quick answered after", ContinuousClock.now - t0) }
    }
  }
}
