public import Invocations
public import TypeEncodings

extension MultiTargetProxy {
  /// Sends a message to the targets; allocates nothing if their methods have the message's Swift
  /// types.
  @inlinable
  public func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    // SAFETY: the list is protected until `end`, and a method until `leave`; `implementation(_:)`
    // has checked its type.
    let dispatch = unsafe TargetDispatch(self)
    defer { unsafe dispatch.end() }
    // An async message without a result goes to all targets, as any message without a result does.
    guard Outcome.self != AsyncAnswer<Void>.self else {
      return try unsafe forwardRest(message, dispatch, from: 0, failure: nil)
    }
    var index = 0
    var isDelivered = false
    var failure: MessageError?
    while unsafe dispatch.isPlain && index < dispatch.count {
      let entered = unsafe dispatch.enter(index, message.selector)
      defer { unsafe entered.method.leave() }
      guard let target = unsafe entered.receiver,
        let typed = unsafe entered.method.implementation(
          TypedImplementation<Arguments, Outcome>.address)
      else { break }
      index += 1
      do {
        let answer = unsafe try TypedImplementation<Arguments, Outcome>.call(
          typed, target, message.arguments)
        if Outcome.self != Void.self { return answer }
        isDelivered = true
      } catch {
        let error = report(error, of: target, message.selector)
        if Outcome.self != Void.self { throw error }
        if failure == nil { failure = error }
      }
    }
    if isDelivered, index == (unsafe dispatch.count), let nothing = NoAnswer.value(of: Outcome.self)
    {
      return nothing
    }
    return try unsafe forwardRest(
      message, dispatch, from: index, failure: isDelivered ? nil : failure)
  }

  @usableFromInline
  @inline(never)
  func forwardRest<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ dispatch: TargetDispatch, from first: Int,
    failure: MessageError?
  ) throws(MessageError) -> Outcome {
    // SAFETY: the list is retained while the dispatch protects it; there is no outer path.
    try unsafe forward(message, dispatch.list, from: first, failure: failure, nil)
  }

  /// Sends a message to the targets that respond, by its policy.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - list: The targets.
  ///   - first: The index of the first target to which the message was not sent yet; the targets
  ///     before it have got the message, and have no answer.
  ///   - failure: The first error of the targets before `first`, if all of those failed.
  ///   - outer: The path of the proxies that have forwarded the message; nil if none has.
  /// - Returns: The answer.
  /// - Throws: `unrecognizedSelector`, `forwardingLoop`, `typeMismatch`; the first error of the
  ///   targets, if all failed.
  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ list: TargetList, from first: Int,
    failure: MessageError?, _ outer: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome {
    let selector = message.selector
    let policy = list.rules.policy(for: selector)
    if let type = Outcome.self as? any AnyAsyncAnswer.Type {
      if let answer = unsafe try forwardAsync(message, as: type, list, outer) { return answer }
      guard list.rules.ignoresUnrecognized else { throw unrecognized(selector, list) }
      return try ZeroValue.of(Outcome.self)
    }
    if Outcome.self == Void.self, case .firstNonNil = policy.kind,
      let nothing = NoAnswer.value(of: Outcome.self)
    {
      // The message is sent as an invocation, whose result shows whether an answer is nil.
      try unsafe forwardAsInvocation(message, outer)
      return nothing
    }
    // SAFETY: paths are valid during the call, as `ProxyPath` requires, here and in the functions
    // below.
    var fold = try AnswerFold<Outcome>(policy, selector)
    if first > 0 { fold.goesToAll = true }
    let firstError = try unsafe deliver(selector, list, from: first, outer, &fold) {
      target, path, fold throws(MessageError) in
      if fold.goesToAll == nil, Outcome.self == Void.self {
        fold.goesToAll = unsafe try target.signature(path)?.hasNoAnswer ?? true
      }
      let answer = unsafe try target.send(message, path)
      return fold.take { answer }
    }
    if let answer = try fold.result() { return answer }
    if first > 0, failure == nil, let nothing = NoAnswer.value(of: Outcome.self) { return nothing }
    if let error = failure ?? firstError { throw error }
    guard list.rules.ignoresUnrecognized else { throw unrecognized(selector, list) }
    return try ZeroValue.of(Outcome.self)
  }

  private func forwardAsInvocation<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ outer: ProxyPath.Pointer?
  ) throws(MessageError) {
    guard let signature = unsafe try signature(message.selector, outer) else {
      if list.rules.ignoresUnrecognized { return }
      throw unrecognized(message.selector, list)
    }
    let invocation = try message.makeInvocation(signature: signature, to: self)
    try unsafe forward(invocation, outer)
    // The task awaits the targets' answers one after the other.
    invocation.asyncAnswer?.start()
  }

  // MARK: - Delivery to the targets in order

  /// Sends a message to each target that responds, until no further answer is needed.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - list: The targets.
  ///   - first: The index of the first target that receives the message.
  ///   - outer: The path of the proxies that have forwarded the message; nil if none has.
  ///   - fold: Combines the answers.
  ///   - send: Sends the message to a target, and adds its answer to the fold.
  /// - Returns: The first error of a target.
  /// - Throws: `forwardingLoop`.
  func deliver<Answer>(
    _ selector: Selector, _ list: TargetList, from first: Int = 0, _ outer: ProxyPath.Pointer?,
    _ fold: inout AnswerFold<Answer>,
    _ send: (PathTarget, ProxyPath.Pointer, inout AnswerFold<Answer>) throws(MessageError) -> Bool
  ) throws(MessageError) -> MessageError? {
    var firstError: MessageError?
    try unsafe forEachResponder(selector, list, from: first, outer) {
      target, path throws(MessageError) in
      do throws(MessageError) {
        return unsafe try send(target, path, &fold)
      } catch {
        // A loop is an error of the proxy, not of the target.
        if error.code == .forwardingLoop { throw error }
        onError(target.receiver, selector, error)
        firstError = firstError ?? error
        return fold.goesToAll ?? false
      }
    }
    return firstError
  }

  /// Calls `body` with each target that responds to a message, until it returns false.
  ///
  /// - Returns: Whether any target responded.
  /// - Throws: `forwardingLoop`; the errors of `body`.
  @discardableResult
  func forEachResponder(
    _ selector: Selector, _ list: TargetList, from first: Int = 0, _ outer: ProxyPath.Pointer?,
    _ body: (PathTarget, ProxyPath.Pointer) throws(MessageError) -> Bool
  ) throws(MessageError) -> Bool {
    var isAny = false
    var isDeadSeen = false
    defer { if isDeadSeen { dropDead() } }
    try unsafe ProxyPath.enter(self, outer, selector) { path throws(MessageError) in
      for place in list.targets.dropFirst(first) {
        // The target is retained from here on: its last other reference may be released before the
        // call.
        guard let receiver = place.current else {
          isDeadSeen = isDeadSeen || !place.isRemoved
          continue
        }
        let target = PathTarget(receiver, selector)
        guard unsafe try target.responds(path) else { continue }
        isAny = true
        guard unsafe try body(target, path) else { return }
      }
    }
    return isAny
  }

  @usableFromInline
  func report(
    _ error: any Error, of target: AnyObject, _ selector: Selector
  ) -> MessageError {
    let error = MessageError(thrown: error, by: selector)
    if let target = target as? any MessageReceiver { onError(target, selector, error) }
    return error
  }
}

extension MultiTargetProxy {
  /// Whether any target responds.
  public func responds(to selector: Selector) -> Bool {
    // If receivers call each other's `responds(to:)` without end, the answer is true: sending the
    // message then throws the reason.
    var isAskedForEver = true
    do {
      return try ForwardingDepth.descend(selector) { () throws(MessageError) in
        isAskedForEver = false
        return unsafe MethodLookup.find(self, selector) != nil ? true : try responds(selector, nil)
      }
    } catch { return isAskedForEver }
  }

  /// The signature of the first target that responds; nil if none does.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    try? ForwardingDepth.descend(selector) { () throws(MessageError) in
      unsafe try signature(selector, nil)
    }
  }
}

extension MultiTargetProxy: ProxyOnPath {
  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome {
    unsafe try forward(message, list, from: 0, failure: nil, path)
  }

  func responds(_ selector: Selector, _ path: ProxyPath.Pointer?) throws(MessageError) -> Bool {
    try unsafe forEachResponder(selector, list, path) { _, _ in false }
  }

  func signature(
    _ selector: Selector, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> MethodSignature? {
    var signature: MethodSignature?
    try unsafe forEachResponder(selector, list, path) { target, path throws(MessageError) in
      signature = unsafe try target.signature(path)
      return false
    }
    return signature
  }
}

extension MethodSignature {
  /// Whether a method returns nothing.
  var isVoid: Bool { result.type == .primitive(.void) }

  /// Whether a method returns nothing, also when it is awaited.
  var hasNoAnswer: Bool { isVoid || result.type == Self.asyncNothing }

  private static let asyncNothing = TypeEncoding(swiftValueOf: AsyncAnswer<Void>.self).type
}
