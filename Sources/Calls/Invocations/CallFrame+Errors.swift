/// The way of errors from a called function to its caller, past C code in between, which cannot
/// pass them on.
package struct ErrorPassage: Sendable {
  /// Runs code, and returns the error that the called function threw.
  let collect: @Sendable (_ body: () -> Void) -> (any Error)?

  /// Receives the error with which a call ends.
  let throwing: @Sendable (any Error) -> Void

  /// Describes a way from what is called to the caller.
  ///
  /// - Parameters:
  ///   - collect: Runs code, and returns the error that the called function threw.
  ///   - throwing: Receives the error with which a call ends.
  package init(
    collecting collect: @escaping @Sendable (_ body: () -> Void) -> (any Error)?,
    throwing: @escaping @Sendable (any Error) -> Void
  ) {
    self.collect = collect
    self.throwing = throwing
  }
}

extension CallFrame {
  /// The error that the called method threw; nil in calls of other code, before the method was
  /// called, and as soon as there is an answer.
  ///
  /// If the method threw, or an inner handler set an error, an instead-handler finds it after
  /// `proceed()`, and every after-handler finds it. There is no result then. Left alone, the error
  /// passes on to the sender; `setResult(_:)` answers in the method's place, `setError(_:)` has
  /// another error thrown.
  public var error: (any Error)? {
    // An answer need not clear what it replaces.
    hasResult ? nil : unsafe outcome.keeper?.error
  }

  /// Has the method throw an error, in place of its answer or of another error.
  ///
  /// - Parameter error: The error; nil for none: then a call without a result returns zero.
  /// - Throws: `cannotThrow` in calls of other code than methods, whose callers receive no errors,
  ///   and in the position `before`, because the method runs all the same.
  public mutating func setError(_ error: (any Error)?) throws(InvocationError) {
    guard unsafe receiver._withUnsafeGuaranteedRef({ $0.closure?.errors }) != nil else {
      throw InvocationError(
        .cannotThrow,
        "only the sender of a message receives an error; return a result that tells of it")
    }
    guard activation.maySetResult else {
      throw InvocationError(
        .cannotThrow,
        "the method would run all the same; use `instead` without `proceed()`, or `after`")
    }
    if let error { didThrow(error) } else { unsafe outcome.keeper?.error = nil }
  }

  /// Removes an error, so that the end of the call does not throw it.
  mutating func takeError() -> (any Error)? {
    defer { unsafe outcome.keeper?.error = nil }
    return error
  }

  /// Notes an error that the method or an inner hook threw; it removes the result.
  package mutating func didThrow(_ error: any Error) {
    unsafe outcome.makeKeeper().error = error
    unsafe outcome.clearResult()
  }

  /// The refusal to read a result before there is one.
  var noResultYet: InvocationError {
    guard let error else { return unsafe memory.noResultYet }
    return InvocationError(
      .noResult,
      "there is no result, for the method threw \(error): read `error`, or answer with `setResult`")
  }
}
