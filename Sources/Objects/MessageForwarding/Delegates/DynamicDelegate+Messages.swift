private import BlockRuntimeSuggestions
public import Invocations
public import TypeEncodings

extension DynamicDelegate {
  /// Whether the delegate answers a message.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether the message is implemented on the delegate, or the real delegate responds
  ///   to it; the protocol does not matter.
  public func responds(to selector: Selector) -> Bool {
    MethodLookup.find(self, selector) != nil || responder(to: selector) != nil
  }

  /// Returns the forwarding target of a message that is not implemented on the delegate.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The real delegate, if it responds.
  public func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? {
    responder(to: selector)
  }

  /// The signature of a message.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The signature of the method that answers the message; without one, the protocol's.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    if let own = MethodLookup.find(self, selector) { return try? own.interface.signature }
    return responder(to: selector)?.methodSignature(for: selector)
      ?? declaration(of: selector).flatMap { try? $0.signature }
  }

  /// Throws an error: neither the delegate nor the real delegate has a method for the message.
  public func forwardInvocation(_ invocation: Invocation) throws {
    throw invocation.selector.map(unanswered)
      ?? MessageError(.unrecognizedSelector, "a message without a selector was sent to \(self)")
  }

  /// Throws an error: neither the delegate nor the real delegate has a method for the message.
  public func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    throw unanswered(message.selector)
  }

  /// Whether the delegate's protocol conforms to another: `-conformsToProtocol:`.
  ///
  /// - Parameter other: The other protocol.
  /// - Returns: Whether the delegate's protocol is the other, or inherits from it.
  public func conforms(to other: MessageProtocol) -> Bool { messageProtocol.conforms(to: other) }

  /// The methods, also class methods, that the protocol requires, and that neither the delegate nor
  /// the real delegate has.
  public var missingRequiredMethods: [MethodDescription] {
    messageProtocol.allMethods.filter { method in
      guard method.isRequired, method.isClassMethod || !isClassReceiver else { return false }
      let receiver = method.isClassMethod ? classReceiver : self
      return !receiver.responds(to: method.selector)
    }
  }

  /// Checks that there is a method for every required message.
  ///
  /// - Throws: `missingRequiredMethod`, with all missing methods.
  public func requireComplete() throws(MessageError) {
    let missing = missingRequiredMethods
    guard let first = missing.first else { return }
    throw MessageError(
      .missingRequiredMethod,
      "\(self) lacks \(missing.map(\.description).joined(separator: ", ")), which \(messageProtocol) "
        + "requires; implement them, or set a real delegate that does", selector: first.selector)
  }

  /// The protocol's declaration of a message.
  func declaration(of selector: Selector) -> MethodDescription? {
    messageProtocol.method(selector, ofClass: isClassReceiver)
  }

  /// The real delegate, if it responds.
  private func responder(to selector: Selector) -> (any MessageReceiver)? {
    guard let receiver = realDelegate(where: \.isCurrent) else { return nil }
    // Receivers that call each other's `responds(to:)` without end do not respond.
    let responds = try? ForwardingDepth.descend(selector) { () throws(MessageError) in
      receiver.responds(to: selector)
    }
    return responds == true ? receiver : nil
  }

  private func unanswered(_ selector: Selector) -> MessageError {
    if let error = real.isolationError { return MessageError(error, selector) }
    guard let declaration = declaration(of: selector) else {
      let nearest = nearestDeclared(to: selector)
      let name = description
      return MessageError(.unrecognizedSelector, subject: selector.name) {
        "\(selector) was sent to \(name), which does not declare it, has no method for it, and no real "
          + "delegate that responds\(nearest().map { "; did you mean \($0)?" } ?? "")"
      }
    }
    guard declaration.isRequired else {
      return MessageError(
        .unrecognizedSelector,
        "\(selector), which is optional, was sent to \(self), which has no method for it, and no real "
          + "delegate that responds; ask responds(to:) first", selector: selector)
    }
    return MessageError(
      .missingRequiredMethod,
      "\(selector) was sent to \(self), whose protocol requires it; implement it, or set a real "
        + "delegate that does", selector: selector)
  }

  /// Returns a function that finds the declared message whose name is nearest to an undeclared one.
  func nearestDeclared(to selector: Selector) -> @Sendable () -> String? {
    let (messageProtocol, isClassReceiver) = (messageProtocol, isClassReceiver)
    return {
      Suggestion.nearest(
        to: selector.name,
        in: messageProtocol.allMethods.filter { $0.isClassMethod == isClassReceiver }
          .map(\.selector.name))
    }
  }
}
