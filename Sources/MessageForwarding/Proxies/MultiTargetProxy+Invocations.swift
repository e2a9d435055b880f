public import Invocations
internal import TypeEncodings

extension MultiTargetProxy {
  /// Sends copies of an invocation to the targets; the answer becomes its result.
  public func forwardInvocation(_ invocation: Invocation) throws {
    // SAFETY: there is no outer path.
    try unsafe forward(invocation, nil)
  }

  func forward(_ invocation: Invocation, _ outer: ProxyPath.Pointer?) throws(MessageError) {
    guard let selector = invocation.selector else {
      throw MethodLookup.unrecognized(nil, self)
    }
    let list = list
    let policy = list.rules.policy(for: selector)
    let isVoid = invocation.signature.isVoid
    let goesToAll = policy.goesToAll ?? isVoid
    var answers: [Invocation] = []
    // SAFETY: paths are valid during the call, as `ProxyPath` requires.
    let delivery = try unsafe deliver(selector, list, outer) { target, path throws(MessageError) in
      let copy = invocation.copied()
      do throws(MessageError) {
        unsafe try ProxyPath.send(copy, to: target, selector, path)
      } catch {
        return .failed(error, goesOn: goesToAll)
      }
      answers.append(copy)
      guard !isVoid, case .firstNonNil = policy.kind else { return .answered(goesOn: goesToAll) }
      return .answered(goesOn: Nothing.isNothing(resultOf: copy))
    }
    if answers.isEmpty {
      if !delivery.isAny {
        if !list.rules.ignoresUnrecognized { throw unrecognized(selector, list) }
        invocation.setZeroResult()
      } else if !isVoid, let error = delivery.firstError {
        throw error
      }
      return
    }
    guard !isVoid else { return }
    do { try answer(invocation, answers, policy) } catch let error as InvocationError {
      throw MessageError(error, selector)
    } catch {
      throw MessageError(thrown: error, by: selector)
    }
  }

  private func answer(
    _ invocation: Invocation, _ answers: [Invocation], _ policy: ResultPolicy
  ) throws {
    let chosen: Invocation?
    switch policy.kind {
    case .automatic, .all, .first: chosen = answers.first
    case .last, .firstNonNil: chosen = answers.last
    case .any:
      try invocation.storeResult(answers.map { try $0.loadResult() as Bool }.contains(true))
      return
    case .allOf:
      try invocation.storeResult(!answers.map { try $0.loadResult() as Bool }.contains(false))
      return
    case .reduce(let reducer):
      try reducer.reduce(answers, into: invocation)
      return
    }
    if let chosen { invocation.setResult(of: chosen) }
  }
}
