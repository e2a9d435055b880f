internal import BlockRuntimeErrors

/// How many calls are expected.
public struct ExpectedCalls: Hashable, Sendable {
  /// The least and the greatest number of calls.
  let counts: ClosedRange<Int>

  private init(_ counts: ClosedRange<Int>) { self.counts = counts }

  /// One call.
  public static let exactlyOnce = ExpectedCalls(1...1)

  /// No call.
  public static let never = ExpectedCalls(0...0)

  /// A number of calls; a negative one means none.
  public static func exactly(_ count: Int) -> Self { Self(max(count, 0)...max(count, 0)) }

  /// A number of calls or more; a negative one means none or more.
  public static func atLeast(_ count: Int) -> Self { Self(max(count, 0)...Int.max) }

  /// At most a number of calls; a negative one means none.
  public static func atMost(_ count: Int) -> Self { Self(0...max(count, 0)) }
}

extension ExpectedCalls: CustomStringConvertible {
  /// The number of calls in words, such as `exactly 1 call`.
  public var description: String {
    switch (counts.lowerBound, counts.upperBound) {
    case (_, 0): "no call"
    case (let least, .max): "at least \(least.of("call"))"
    case (0, let most): "at most \(most.of("call"))"
    case (let least, _): "exactly \(least.of("call"))"
    }
  }
}

extension Int {
  /// The words for a target that was called this number of times.
  var wasCalled: String {
    switch self {
    case 0: "was never called"
    case 1: "was called once"
    case 2: "was called twice"
    default: "was called \(self) times"
    }
  }
}
