import BlockRuntime
import CBaselines
import Dispatch
import Glibc
import Measuring

/// Many blocks that are pending at once, then cancelled in an order; the processor's time of both per
/// block, on all threads: Dispatch does most of its work on another one.
///
/// Each closure captures a number, and its token is dropped when it is cancelled.
struct DelayScale {
  let order: Study

  func run() {
    var tokens: [DelayedBlock?] = Array(repeating: nil, count: 1_000_000)
    let small = (0..<300).map { _ in ours(1000, &tokens) }
    Study.printRow("delay.thousand.\(order.rawValue)", median(small) ?? 0)
    Study.printRow("delay.million.\(order.rawValue)", ours(1_000_000, &tokens))
    Study.printRow("delay.floor.\(order.rawValue)", floor(1_000_000))
    Study.printRow("delay.objects.\(order.rawValue)", objects(1_000_000))
    // Dispatch keeps what is cancelled: last.
    Study.printRow("delay.dispatch.\(order.rawValue)", dispatchs(1_000_000))
  }

  private func ours(_ count: Int, _ tokens: inout [DelayedBlock?]) -> Double {
    let timer = DelayTimer.shared
    let start = Self.processorTime
    for number in 0..<count {
      tokens[number] = timer.perform(after: .seconds(3600)) { Self.run(number) }
    }
    let middle = Self.processorTime
    arrange(&tokens, count)
    let again = Self.processorTime
    for number in 0..<count {
      tokens[number]?.cancel()
      tokens[number] = nil
    }
    return (middle - start + Self.processorTime - again) / Double(count)
  }

  /// A list in C: what malloc and a lock alone cost.
  private func floor(_ count: Int) -> Double {
    var tokens: [UnsafeMutableRawPointer?] = unsafe Array(repeating: nil, count: count)
    let start = Self.processorTime
    for number in 0..<count { unsafe tokens[number] = cbl_delay_schedule() }
    let middle = Self.processorTime
    unsafe arrange(&tokens, count)
    let again = Self.processorTime
    // SAFETY: each token is cancelled once.
    for number in 0..<count {
      if let token = unsafe tokens[number] { unsafe cbl_delay_cancel(token) }
    }
    return (middle - start + Self.processorTime - again) / Double(count)
  }

  /// A token and a closure: what Swift's objects alone cost, without a list, a clock or a lock.
  private func objects(_ count: Int) -> Double {
    var tokens: [Token?] = Array(repeating: nil, count: count)
    let start = Self.processorTime
    for number in 0..<count { tokens[number] = Token { Self.run(number) } }
    let middle = Self.processorTime
    arrange(&tokens, count)
    let again = Self.processorTime
    for number in 0..<count {
      tokens[number]?.cancel()
      tokens[number] = nil
    }
    return (middle - start + Self.processorTime - again) / Double(count)
  }

  private func dispatchs(_ count: Int) -> Double {
    let queue = DispatchQueue(label: "bench.delay.scale")
    var items: [DispatchWorkItem?] = Array(repeating: nil, count: count)
    let start = Self.settledProcessorTime
    for number in 0..<count {
      let item = DispatchWorkItem { Self.run(number) }
      queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
      items[number] = item
    }
    let middle = Self.settledProcessorTime
    arrange(&items, count)
    let again = Self.processorTime
    for number in 0..<count {
      items[number]?.cancel()
      items[number] = nil
    }
    return (middle - start + Self.settledProcessorTime - again) / Double(count)
  }

  /// As large as a delayed block.
  private final class Token {
    private var body: (() -> Void)?
    private let rest: InlineArray<5, Int> = [0, 0, 0, 0, 0]

    init(_ body: consuming @escaping () -> Void) { self.body = consume body }

    @inline(never)
    func cancel() { body = nil }
  }

  /// Puts tokens into the order in which they are cancelled; not measured.
  private func arrange<Token>(_ tokens: inout [Token?], _ count: Int) {
    switch order {
    case .lastIn: tokens[..<count].reverse()
    case .random: tokens[..<count].shuffle()
    default: break
    }
  }

  /// What all threads have used of the processors, in nanoseconds.
  private static var processorTime: Double {
    var time = timespec()
    // SAFETY: the clock writes to a local variable.
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// The same, when the other threads have done what they were given.
  private static var settledProcessorTime: Double {
    while true {
      let time = processorTime
      usleep(20_000)
      if processorTime - time < 1e6 { return time }
    }
  }

  private static func run(_ number: Int) { if number < 0 { fatalError("a block ran") } }
}
