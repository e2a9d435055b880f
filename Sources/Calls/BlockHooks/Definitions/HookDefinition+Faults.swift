public import DelayedBlocks
internal import Glibc
internal import Invocations
private import TypeEncodings

extension HookDefinition {
  /// A hook by which calls of a method fail: the sender receives an error, and the method does not
  /// run.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls fail; all if not given.
  /// - Returns: The hook. The installation on a target that cannot throw throws `cannotThrow`.
  public static func failing(
    with error: any Error, priority: Int = 0, when conditions: HookConditions = .always
  ) -> HookDefinition {
    var definition = HookDefinition(name: "failing", priority: priority, when: conditions) { call in
      try call.setError(error)
    }
    let refusal = { @Sendable in
      HookError(
        .cannotThrow,
        "only the sender of a message receives an error; fail with a number of `errno` instead")
    }
    definition.refusalOfEveryBlock = refusal
    definition.prepare = { _, point throws(HookError) in
      if !point.canThrow { throw refusal() }
    }
    return definition
  }

  /// A hook by which calls of a C function fail: `errno` has a number, and the function, which does
  /// not run, returns null if its result is a pointer, and otherwise -1.
  ///
  /// - Parameters:
  ///   - number: The number, such as `ENOENT`.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls fail; all if not given.
  /// - Returns: The hook, for any target: blocks and methods return that result too. If it cannot
  ///   be -1, as that of a record or an unsigned number, the installation throws `typeMismatch`.
  public static func failing(
    with number: Int32, priority: Int = 0, when conditions: HookConditions = .always
  ) -> HookDefinition {
    // The handler is made at the installation.
    var definition = HookDefinition(name: "failing", priority: priority, when: conditions) { _ in }
    definition.prepare = { definition, point throws(HookError) in
      let failure = try ErrorResult(of: point.interface)
      definition.handler = { call in
        try failure.set(in: &call)
        call.errno = number
      }
    }
    return definition
  }

  /// A hook that lets each call wait before it proceeds.
  ///
  /// The caller's thread waits. Do not install it on what the timer itself calls, as functions of
  /// libdispatch and of threads are.
  ///
  /// - Parameters:
  ///   - delay: How long the call waits.
  ///   - timer: The timer that measures the delay; tests use one with a `ManualClock`.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls wait; all if not given.
  /// - Returns: The hook, for any target.
  public static func delaying(
    by delay: Duration, timer: DelayTimer = .shared, priority: Int = 0,
    when conditions: HookConditions = .always
  ) -> HookDefinition {
    HookDefinition(.before, name: "delaying", priority: priority, when: conditions) { _ in
      timer.perform(after: delay) {}.wait()
    }
  }
}

/// The result by which a C function reports a failure: null, or -1.
private struct ErrorResult: Sendable {
  // SAFETY: immutable; null and numbers refer to nothing.
  /// The result; nil if the function returns nothing.
  nonisolated(unsafe) private let value: CValue?

  /// Chooses the first value that the type of the result accepts.
  ///
  /// - Throws: `typeMismatch` for results that are no numbers or pointers.
  init(of interface: CallInterface) throws(HookError) {
    guard interface.resultLayout != nil else {
      unsafe value = nil
      return
    }
    let call = Invocation(checking: interface)
    let values: [CValue] = [
      .pointer(0), .cString(nil), .block(nil), .object(nil), .integer(-1), .double(-1),
    ]
    unsafe value = values.first { (try? call.setResultValue($0)) != nil }
    guard unsafe value == nil else { return }
    throw HookError(
      .typeMismatch,
      "\(interface.signature) returns neither a number that can be -1 nor a pointer; set its result "
        + "in a handler")
  }

  func set(in call: inout CallFrame) throws {
    if let value = unsafe value { try call.setResultValue(value) }
  }
}
