import BlockRuntime
import Dispatch
import Glibc
import Measuring

/// Many blocks that are pending at once, then cancelled in an order; the time of both per block.
///
/// Each closure captures a number, and its token is dropped when it is cancelled.
struct DelayScale {
  let order: DelayStudy

  func run() {
    // Dispatch keeps what is cancelled: a tenth of a million, last.
    let small = (0..<300).compactMap { _ in ours(1000) }
    DelayStudy.printRow("thousand.\(order.rawValue)", median(small) ?? 0)
    DelayStudy.printRow("million.\(order.rawValue)", ours(1_000_000))
    DelayStudy.printRow("dispatch.\(order.rawValue)", dispatchs(100_000))
  }

  private func ours(_ count: Int) -> Double {
    time(count) { number in
      DelayTimer.shared.perform(after: .seconds(3600)) { Self.run(number) }
    } cancel: {
      $0.cancel()
    }
  }

  private func dispatchs(_ count: Int) -> Double {
    let queue = DispatchQueue(label: "bench.delay.scale")
    return time(count) { number in
      let item = DispatchWorkItem { Self.run(number) }
      queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
      return item
    } cancel: {
      $0.cancel()
    }
  }

  /// The time to schedule and to cancel one of many blocks, in nanoseconds.
  private func time<Token>(
    _ count: Int, schedule: (Int) -> Token, cancel: (Token) -> Void
  ) -> Double {
    var tokens: [Token?] = Array(repeating: nil, count: count)
    let start = DelayTimer.shared.now
    for number in 0..<count { tokens[number] = schedule(number) }
    let middle = DelayTimer.shared.now
    switch order {
    case .lastIn: tokens.reverse()
    case .random: tokens.shuffle()
    default: break
    }
    let again = DelayTimer.shared.now
    for number in 0..<count {
      if let token = tokens[number] { cancel(token) }
      tokens[number] = nil
    }
    let end = DelayTimer.shared.now
    let total = start.duration(to: middle) + again.duration(to: end)
    return total / .nanoseconds(1) / Double(count)
  }

  private static func run(_ number: Int) { if number < 0 { fatalError("a block ran") } }
}
