public import Invocations
internal import TypeEncodings

extension MultiTargetProxy {
  /// Sends copies of an invocation to the targets; their combined answer becomes the invocation's
  /// result.
  public func forwardInvocation(_ invocation: Invocation) throws {
    // SAFETY: there is no outer path.
    try unsafe forward(invocation, nil)
  }

  func forward(_ invocation: Invocation, _ outer: ProxyPath.Pointer?) throws(MessageError) {
    guard let selector = invocation.selector else {
      throw MethodLookup.unrecognized(nil, self)
    }
    if invocation.isAsync {
      if let answer = unsafe try forwardAsync(invocation, selector, list, outer) {
        do { try invocation.storeResult(answer as AnyObject) } catch {
          throw MessageError(error, selector)
        }
        return
      }
      // No target responds: what happens then is as for other messages.
    }
    let forwarding = unsafe InvocationForwarding(
      invocation: invocation, selector: selector, proxy: self, list: list, outer: outer)
    switch forwarding.policy.kind {
    case .any, .allOf: try forwarding.run(combining: Bool.self)
    case .reduce(let reducer): try forwarding.run(reducer)
    case .automatic, .all, .first, .last, .firstNonNil:
      try forwarding.run(choosing: forwarding.policy)
    }
  }
}

/// An invocation that a proxy forwards, by copies, to its targets.
@safe
private struct InvocationForwarding {
  let invocation: Invocation
  let selector: Selector
  let proxy: MultiTargetProxy
  let list: TargetList

  // SAFETY: the path is valid during the call that forwards the invocation.
  let outer: ProxyPath.Pointer?

  var policy: ResultPolicy { list.rules.policy(for: selector) }

  /// Forwards the invocation; the answer that a policy chooses becomes its result.
  func run(choosing policy: ResultPolicy) throws(MessageError) {
    let isVoid = invocation.signature.isVoid
    try run(
      AnswerFold(policy, selector) { isVoid || Nothing.isNothing(resultOf: $0) },
      read: { copy in copy }, store: { invocation.setResult(of: $0) })
  }

  /// Forwards the invocation, and combines answers of the type that a closure takes.
  func run<Combining: AnswerReducer>(_ reducer: Combining) throws(MessageError) {
    try run(combining: Combining.Answer.self)
  }

  /// Forwards the invocation, and combines answers of a type.
  func run<Answer>(combining type: Answer.Type) throws(MessageError) {
    // Without results there is nothing to combine.
    if invocation.signature.isVoid { return try run(choosing: .all) }
    try run(
      AnswerFold<Answer>(policy, selector),
      read: { copy throws(InvocationError) in try copy.loadResult() },
      store: { answer throws(InvocationError) in try invocation.storeResult(answer) })
  }

  /// Forwards the invocation.
  ///
  /// - Parameters:
  ///   - start: The fold without answers.
  ///   - read: Reads the answer of a copy that has been sent.
  ///   - store: Makes the combined answer the result.
  /// - Throws: `unrecognizedSelector`, `forwardingLoop`; the error of reading, combining or storing
  ///   answers; the first error of the targets, if all failed.
  private func run<Answer>(
    _ start: AnswerFold<Answer>, read: (Invocation) throws(InvocationError) -> Answer,
    store: (Answer) throws(InvocationError) -> Void
  ) throws(MessageError) {
    let isVoid = invocation.signature.isVoid
    var fold = start
    if fold.goesToAll == nil { fold.goesToAll = isVoid }
    // An answer may point into the copy that it was read from.
    var copies: [Invocation] = []
    defer { withExtendedLifetime(copies) {} }
    // SAFETY: paths are valid during the call, as `ProxyPath` requires.
    let firstError = try unsafe proxy.deliver(selector, list, outer, &fold) {
      target, path, fold throws(MessageError) in
      let copy = invocation.copied()
      unsafe try target.send(copy, path)
      copies.append(copy)
      return fold.take { () throws(InvocationError) in try read(copy) }
    }
    if let answer = try fold.result() {
      guard !isVoid else { return }
      do { try store(answer) } catch { throw MessageError(error, selector) }
    } else if let error = firstError {
      throw error
    } else if !list.rules.ignoresUnrecognized {
      throw proxy.unrecognized(selector, list)
    } else {
      invocation.setZeroResult()
    }
  }
}
