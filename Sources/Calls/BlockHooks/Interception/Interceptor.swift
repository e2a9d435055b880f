internal import BlockABI
internal import DelayedBlocks
internal import Invocations
private import TypeEncodings

/// Takes calls out of their frames, and returns their results or placeholders to their callers.
struct Interceptor: Sendable {
  // SAFETY: immutable after `init`; the value is only copied, which retains what it refers to.
  nonisolated(unsafe) private let placeholder: CValue?
  private let timeout: Duration?
  private let expiry: InterceptedCall.Decision
  private let timer: DelayTimer
  private let onError: @Sendable (any Error) -> Void
  private let body: @Sendable (InterceptedCall) throws -> Void

  init(
    _ placeholder: CValue?, _ timeout: Duration?, _ expiry: InterceptedCall.Decision,
    _ timer: DelayTimer, _ onError: @escaping @Sendable (any Error) -> Void,
    _ body: @escaping @Sendable (InterceptedCall) throws -> Void
  ) {
    unsafe self.placeholder = placeholder
    self.timeout = timeout
    self.expiry = expiry
    self.timer = timer
    self.onError = onError
    self.body = body
  }

  /// Checks that the placeholder can be a result of calls of a signature.
  ///
  /// - Throws: `invalidPlaceholder`.
  func validate(_ interface: CallInterface) throws(HookError) {
    guard let placeholder = unsafe placeholder else { return }
    do throws(InvocationError) {
      try Invocation(checking: interface).storeResult(value: placeholder)
    } catch {
      throw HookError(
        .invalidPlaceholder,
        "the placeholder cannot be a result of \(interface.signature): "
          + error.message, underlying: error)
    }
  }

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
