internal import BlockABI
internal import DelayedBlocks
internal import Invocations
private import TypeEncodings

/// Takes calls out of their frames, and returns their results or placeholders to their callers.
@usableFromInline
struct Interceptor: Sendable {
  // SAFETY: immutable; the value is only copied, which retains what it refers to.
  nonisolated(unsafe) let placeholder: CValue?
  let timeout: Duration?
  let expiry: InterceptedCall.Decision
  let timer: DelayTimer
  let onError: @Sendable (any Error) -> Void
  let body: @Sendable (InterceptedCall) throws -> Void

  func run(_ frame: inout CallFrame) throws {
    let call = InterceptedCall(frame, onError: onError)
    if let timeout { call.expire(after: timeout, expiry, timer) }
    do {
      try body(call)
    } catch {
      // Without a decision the call continues as if the interceptor were not installed.
      if call.passOver() { throw error }
      onError(error)
    }
    if !call.giveResult(to: &frame), let placeholder = unsafe placeholder {
      try frame.setResultValue(placeholder)
    }
  }
}

extension Interceptor {
  /// The result for callers whose calls are not decided, before the type of the target's result is
  /// known.
  @usableFromInline
  struct Placeholder: Sendable {
    private let setResult: @Sendable (Invocation) throws(InvocationError) -> Void

    /// Refuses closures.
    @usableFromInline
    init(refusing type: Any.Type) {
      setResult = { _ throws(InvocationError) in try CallFrame.refuseFunctions(type) }
    }

    @usableFromInline
    init<Value>(_ value: Value?) {
      // SAFETY: the value is only copied, which retains what it refers to.
      nonisolated(unsafe) let placeholder = value
      setResult = { call throws(InvocationError) in
        guard let value = unsafe placeholder else { return }
        if let value = value as? CValue {
          try call.setResultValue(value)
        } else {
          try call.storeResult(value)
        }
      }
    }

    /// The placeholder as a result of calls of a signature; nil for zero.
    ///
    /// - Throws: `invalidPlaceholder` if it cannot be a result of such calls.
    func value(for interface: CallInterface) throws(HookError) -> CValue? {
      do throws(InvocationError) {
        let call = Invocation(checking: interface)
        try setResult(call)
        return call.hasResult ? try call.resultValue() : nil
      } catch {
        throw HookError(
          .invalidPlaceholder,
          "the placeholder cannot be a result of \(interface.signature): " + error.message,
          underlying: error)
      }
    }
  }

  /// Whether values of a type are closures, which lose their calling convention in generic code.
  @usableFromInline
  static func isFunction(_ type: Any.Type) -> Bool {
    (try? CallFrame.refuseFunctions(type)) == nil
  }

  /// Decides about each call in a task.
  @usableFromInline
  static func inTask(
    _ onError: @escaping @Sendable (any Error) -> Void,
    _ body: @escaping @Sendable (InterceptedCall) async throws -> Void
  ) -> @Sendable (InterceptedCall) throws -> Void {
    { call in
      Task {
        do {
          try await body(call)
        } catch {
          onError(error)
          // Fails if the call was decided before the error: that decision stays.
          try? call.cancel()
        }
      }
    }
  }
}
