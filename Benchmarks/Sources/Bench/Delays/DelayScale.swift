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
    var tokens: [DelayedBlock?] = Array(repeating: nil, count: 1_000_000)
    let small = (0..<300).map { _ in ours(1000, &tokens) }
    DelayStudy.printRow("thousand.\(order.rawValue)", median(small) ?? 0)
    DelayStudy.printRow("million.\(order.rawValue)", ours(1_000_000, &tokens))
    // Dispatch keeps what is cancelled: a tenth of a million, last.
    DelayStudy.printRow("dispatch.\(order.rawValue)", dispatchs(100_000))
  }

  private func ours(_ count: Int, _ tokens: inout [DelayedBlock?]) -> Double {
    let timer = DelayTimer.shared
    let start = timer.now
    for number in 0..<count {
      tokens[number] = timer.perform(after: .seconds(3600)) { Self.run(number) }
    }
    let middle = timer.now
    arrange(&tokens, count)
    let again = timer.now
    for number in 0..<count {
      tokens[number]?.cancel()
      tokens[number] = nil
    }
    return perBlock(start.duration(to: middle) + again.duration(to: timer.now), count)
  }

  private func dispatchs(_ count: Int) -> Double {
    let timer = DelayTimer.shared
    let queue = DispatchQueue(label: "bench.delay.scale")
    var items: [DispatchWorkItem?] = Array(repeating: nil, count: count)
    let start = timer.now
    for number in 0..<count {
      let item = DispatchWorkItem { Self.run(number) }
      queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
      items[number] = item
    }
    let middle = timer.now
    arrange(&items, count)
    let again = timer.now
    for number in 0..<count {
      items[number]?.cancel()
      items[number] = nil
    }
    return perBlock(start.duration(to: middle) + again.duration(to: timer.now), count)
  }

  /// Puts tokens into the order in which they are cancelled; not measured.
  private func arrange<Token>(_ tokens: inout [Token?], _ count: Int) {
    switch order {
    case .lastIn: tokens[..<count].reverse()
    case .random: tokens[..<count].shuffle()
    default: break
    }
  }

  private func perBlock(_ duration: Duration, _ count: Int) -> Double {
    duration / .nanoseconds(1) / Double(count)
  }

  private static func run(_ number: Int) { if number < 0 { fatalError("a block ran") } }
}
