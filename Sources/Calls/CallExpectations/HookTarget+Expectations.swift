internal import BlockABI
public import BlockHooks
public import BlockRuntimeErrors
public import DelayedBlocks
internal import Invocations

extension HandleDefinition<CallExpectation> {
  /// A hook that counts calls, and reports calls beyond the expected number, missing calls and late
  /// ones.
  ///
  /// The calls run as they would without the hook. The death of a block that was called too rarely
  /// is reported at once. Each problem is passed to `onError` once, and thrown by `fulfilled()` and
  /// `verify()`; with an `onError` that fails the test, no one needs to wait.
  ///
  /// - Parameters:
  ///   - expected: The number of calls.
  ///   - limit: The time in which the expected number is to be reached, from the installation.
  ///   - timer: The timer that measures the time; tests use one with a `ManualClock`.
  ///   - conditions: Which calls count; all if not given.
  ///   - file: The file that problems name.
  ///   - line: The line that problems name.
  ///   - onError: Receives problems, on the thread of the call or of the timer, under no lock; if
  ///     not given, they are written to standard error.
  /// - Returns: The hook, for any target. Its handle is the expectation.
  public static func expecting(
    _ expected: ExpectedCalls, within limit: Duration, timer: DelayTimer = .shared,
    when conditions: HookConditions = .always, file: StaticString = #fileID, line: UInt = #line,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError
  ) -> Self {
    let place = "\(file):\(line)"
    return HandleDefinition {
      let expectation = CallExpectation(expected, within: limit, at: place, timer, onError)
      var definition = HookDefinition(
        .before, name: "expecting", when: conditions, onError: onError
      ) { call in
        if call.position == .death { expectation.endByDeath() } else { expectation.count() }
      }
      definition.prepare = { definition, point throws(HookError) in
        // Only blocks die.
        if point.block != nil { definition.positions.insert(.death) }
        expectation.begin(point.name)
      }
      return (definition, expectation)
    }
  }
}

extension HookTarget {
  /// Expects a number of calls, such as that of a completion block.
  ///
  /// This installs `expecting`, and has its parameters. The expectation ends when the hooks of the
  /// name `expecting` are removed, or the block dies.
  ///
  /// ```swift
  /// let done: @convention(block) (Int32) -> Void = { print("loaded", $0) }
  /// let expectation = try Block(done).expectCalls(.exactlyOnce, within: .seconds(2))
  /// done(3)
  /// try await expectation.fulfilled()
  /// ```
  ///
  /// - Returns: The expectation.
  /// - Throws: As `install(_:)`.
  @discardableResult
  public func expectCalls(
    _ expected: ExpectedCalls, within limit: Duration, timer: DelayTimer = .shared,
    when conditions: HookConditions = .always, file: StaticString = #fileID, line: UInt = #line,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError
  ) throws(Failure) -> CallExpectation {
    try install(
      .expecting(
        expected, within: limit, timer: timer, when: conditions, file: file, line: line,
        onError: onError)
    ).handle
  }
}

extension InstallationPoint {
  /// The target's name: that of a block's code, such as `closure #1 in load()`, or of the function
  /// or method.
  var name: String { block?.implementation?.name ?? title ?? "the block" }
}
