import BlockRuntime
import Dispatch
import Measuring
import Synchronization

/// How much later than its time a block runs: 10,000 blocks spread over a second.
///
/// The first is due a tenth of a second ahead. Each peer runs three times, in turns.
enum DelayLateness {
  private static let count = 10_000
  private static let spread = 1_000_000_000

  static func run() {
    var results: [String: [(median: Double, p99: Double)]] = [:]
    for _ in 0..<3 {
      results["", default: []].append(
        measure { timer, due, body in timer.perform(at: due, on: .concurrent, body) })
      results[".inline", default: []].append(
        measure { timer, due, body in timer.perform(at: due, on: .inline, body) })
      let queue = DispatchQueue.global()
      results[".dispatch", default: []].append(
        measure { _, due, body in
          let deadline = DispatchTime(uptimeNanoseconds: due.nanoseconds)
          queue.asyncAfter(deadline: deadline, execute: body)
        })
    }
    for (peer, rounds) in results {
      Study.printRow("delay.lateness\(peer).median", Measuring.median(rounds.map(\.median)) ?? 0)
      Study.printRow("delay.lateness\(peer).p99", Measuring.median(rounds.map(\.p99)) ?? 0)
    }
  }

  /// The lateness of each block, set once by itself.
  private final class Latenesses: Sendable {
    private let list: Mutex<[Double]> = Mutex([])
    let done = DispatchSemaphore(value: 0)

    init() { list.withLock { $0.reserveCapacity(count) } }

    func note(_ lateness: Duration) {
      let isLast = list.withLock { list in
        list.append(lateness / .nanoseconds(1))
        return list.count == count
      }
      if isLast { done.signal() }
    }

    var sorted: [Double] { list.withLock { $0.sorted() } }
  }

  private static func measure(
    _ schedule: (DelayTimer, DelayTimer.Instant, @escaping @Sendable () -> Void) -> Void
  ) -> (median: Double, p99: Double) {
    let timer = DelayTimer.shared
    let start = timer.now.advanced(by: .milliseconds(100))
    let latenesses = Latenesses()
    for number in 0..<count {
      let due = start.advanced(by: .nanoseconds(number * spread / count))
      schedule(timer, due) { latenesses.note(due.duration(to: timer.now)) }
    }
    latenesses.done.wait()
    let sorted = latenesses.sorted
    return (sorted[count / 2], sorted[count * 99 / 100])
  }
}
