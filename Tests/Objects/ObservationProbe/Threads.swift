import Foundation
import Observation
import ObservationBridge
import Synchronization

/// Threads that change and read the same properties under a lock, observe them, and remove observers and
/// trackings without it.
func useFromThreads() {
  final class Shared: @unchecked Sendable {
    let lock = NSLock()
    let engine = Engine()
    let player = Player()
    let car = Car()
  }
  let shared = Shared()
  // The first read of a property counts as setting it.
  withObservationTracking {
    _ = (shared.player.score, shared.player.lives)
  } onChange: {
  }
  let heard = Atomic(0)
  let rounds = 300
  DispatchQueue.concurrentPerform(iterations: 4) { thread in
    for round in 0..<rounds {
      switch (thread + round) % 4 {
      case 0:
        shared.lock.withLock {
          shared.engine.speed += 1
          shared.player.score += 1
          shared.car.engine?.speed += 1
        }
      case 1:
        let observations = shared.lock.withLock {
          [
            shared.engine.observe(\.speed, options: [.prior, .old, .new]) { _, _ in
              heard.add(1, ordering: .relaxed)
            },
            shared.car.observe(\.engine?.speed) { _, _ in heard.add(1, ordering: .relaxed) },
          ]
        }
        shared.lock.withLock { shared.engine.speed += 1 }
        for observation in observations { observation.remove() }
      case 2:
        withObservationTracking {
          shared.lock.withLock { _ = shared.player.summary }
        } onChange: {
          heard.add(1, ordering: .relaxed)
        }
      default:
        shared.lock.withLock { shared.car.engine = Engine(speed: round) }
      }
    }
  }
  print("the changes were heard:", heard.load(ordering: .relaxed) >= rounds)
}
