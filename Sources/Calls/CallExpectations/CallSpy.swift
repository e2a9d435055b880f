public import BlockHooks
internal import BlockRuntimeErrors
internal import BlockRuntimeThreads
internal import Invocations

/// An object that remembers calls, for a test that verifies them later.
///
/// ```swift
/// let count = try Block({ _ in } as @convention(block) (Int32) -> Void)
/// let spy = CallSpy()
/// try count.install(.spying(with: spy))
/// try count.call(Int32(3))
/// try spy.verify(.exactlyOnce) { try $0.argument(1, as: Int32.self) == 3 }
/// ```
///
/// One spy may watch several targets, and then knows the order of their calls. All functions may be
/// called from any thread.
public final class CallSpy: Sendable {
  private let seen = Locked<[SpiedCall]>([])

  /// Creates a spy that has seen no call.
  public init() {}

  /// The calls, in the order that they began.
  public var calls: [SpiedCall] { seen.withLock { $0 } }

  /// Forgets the calls so far, and releases what they keep.
  public func removeAll() {
    // Releasing the arguments may run foreign code, so they are released after the lock.
    let calls = seen.withLock { calls in
      defer { calls = [] }
      return calls
    }
    withExtendedLifetime(calls) {}
  }

  /// Checks how many of the calls so far a test accepts.
  ///
  /// - Parameters:
  ///   - expected: The number of calls.
  ///   - name: The name of the target whose calls count; all if not given.
  ///   - accepts: Whether a call counts; all do if not given.
  /// - Throws: `unexpectedCall` or `missingCall`, whose message lists the calls of the target; what
  ///   `accepts` throws.
  public func verify(
    _ expected: ExpectedCalls, of name: String? = nil,
    where accepts: (SpiedCall) throws -> Bool = { _ in true }
  ) throws {
    let calls = calls.filter { name == nil || $0.name == name }
    let count = try calls.count(where: accepts)
    guard !expected.counts.contains(count) else { return }
    let list = calls.map { "\n  \($0)" }.joined()
    throw HookError(
      count < expected.counts.lowerBound ? .missingCall : .unexpectedCall,
      "expected: \(expected) of \(name ?? "the targets"); found: \(count)"
        + (calls.isEmpty ? "; there was no call" : " among" + list))
  }

  func add(_ call: SpiedCall) { seen.withLock { $0.append(call) } }
}

extension HookDefinition {
  /// A hook that remembers each call with its arguments.
  ///
  /// Text is copied, blocks and objects are retained, as by an `InterceptedCall`; do not spy on
  /// targets with closure parameters that are not `@escaping`. Outer hooks change what the spy
  /// sees.
  ///
  /// - Parameters:
  ///   - spy: Receives the calls; the hook keeps it.
  ///   - name: The name of the target in the spy; if not given, the name of the function, of the
  ///     method with its class, such as `Mailer.send:`, or of the block's code.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are remembered; all if not given.
  /// - Returns: The hook, for any target.
  public static func spying(
    with spy: CallSpy, as name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always
  ) -> HookDefinition {
    // The handler is made at the installation.
    var definition = HookDefinition(
      .before, name: "spying", priority: priority, when: conditions
    ) { _ in }
    definition.prepare = { definition, point throws(HookError) in
      let name = name ?? point.name
      definition.handler = { call in spy.add(SpiedCall(name, call)) }
    }
    return definition
  }
}
