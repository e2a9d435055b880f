public import Invocations
public import TypeEncodings

/// A message on its way: a selector, and arguments of Swift types.
///
/// It can be sent on to any receiver, any number of times, which is what proxies do; nothing is
/// allocated where the receiver's method has the same types.
public struct Message<Arguments, Outcome> {
  /// The message's name.
  public let selector: Selector

  /// The arguments: a tuple, or the only one.
  public let arguments: Arguments

  @usableFromInline
  init(_ selector: Selector, _ arguments: Arguments) {
    self.selector = selector
    self.arguments = arguments
  }

  /// Sends the message.
  ///
  /// - Parameter receiver: Who gets it.
  /// - Returns: The answer.
  /// - Throws: As `MessageReceiver.send`.
  @inlinable
  public func send(to receiver: any MessageReceiver) throws(MessageError) -> Outcome {
    let entered = unsafe EnteredMethod(receiver._messageIdentity.value, selector)
    defer { unsafe entered.leave() }
    if let typed = unsafe TypedImplementation<Arguments, Outcome>.at(entered.implementation) {
      return unsafe try TypedImplementation<Arguments, Outcome>.call(
        typed, receiver, arguments, by: selector)
    }
    return try deliver(to: receiver)
  }

  /// Sends the message the general way; inlinable, so that its types are known.
  @inlinable
  @inline(never)
  func deliver(to receiver: any MessageReceiver) throws(MessageError) -> Outcome {
    var receiver = receiver
    guard let implementation = try MethodLookup.follow(&receiver, selector) else {
      return try forward(to: receiver)
    }
    if let typed = unsafe TypedImplementation<Arguments, Outcome>.at(
      Unmanaged.passUnretained(implementation).toOpaque())
    {
      defer { withExtendedLifetime(implementation) {} }
      return unsafe try TypedImplementation<Arguments, Outcome>.call(
        typed, receiver, arguments, by: selector)
    }
    return try implementation.call(receiver, self)
  }

  /// Has a receiver without a method deal with the message.
  @usableFromInline
  func forward(to receiver: any MessageReceiver) throws(MessageError) -> Outcome {
    try ForwardingDepth.descend(selector) { () throws(MessageError) in
      try receiver.forward(self)
    }
  }

  /// Makes an invocation of the message.
  ///
  /// - Parameters:
  ///   - signature: The message's signature, receiver and selector included.
  ///   - receiver: Argument 0.
  /// - Returns: The invocation, with all arguments set.
  /// - Throws: `invalidMethod`, `argumentCount`, `typeMismatch`, `valueOutOfRange`,
  ///   `unsupportedType`.
  public func makeInvocation(
    signature: MethodSignature, to receiver: (any MessageReceiver)?
  ) throws(MessageError) -> Invocation {
    guard signature.form == .method else {
      throw MessageError(
        .invalidMethod,
        "`\(selector)`: a message's signature takes a receiver and a selector (@:) first: it is "
          + "\(signature)", selector: selector)
    }
    let types = try ArgumentTypes.of(Arguments.self)
    do {
      let interface = try CallInterface.cached(for: signature)
      let invocation = Invocation(interface, target: nil)
      try types.requireCount(of: interface, selector)
      invocation.setMessage(receiver, selector)
      try types.write(arguments, to: invocation)
      return invocation
    } catch let error as InvocationError {
      throw MessageError(error, selector)
    } catch let error as MessageError {
      throw error
    } catch {
      throw MessageError(thrown: error, by: selector)
    }
  }
}

extension TypedImplementation {
  /// The address of an implementation, if it is of these types; no reference is counted.
  @inlinable
  @inline(__always)
  static func at(_ address: UnsafeRawPointer?) -> UnsafeRawPointer? {
    // SAFETY: there is an implementation at the address, protected by the call; an object begins
    // with the address of its class.
    guard let address = unsafe address,
      unsafe address.load(as: UnsafeRawPointer.self)
        == unsafeBitCast(TypedImplementation.self, to: UnsafeRawPointer.self)
    else { return nil }
    return unsafe address
  }

  /// Calls the implementation at such an address.
  ///
  /// Out of line: a caller would count references to the closure.
  @usableFromInline
  @inline(never)
  static func call(
    _ address: UnsafeRawPointer, _ receiver: AnyObject, _ arguments: Arguments
  ) throws -> Outcome {
    // SAFETY: as above; what is protected or kept by the caller lives until the call has ended.
    try unsafe Unmanaged<TypedImplementation>.fromOpaque(address)._withUnsafeGuaranteedRef {
      try $0.body(receiver, arguments)
    }
  }

  /// Calls it for a message; what it throws is an error of that message.
  @inlinable
  @inline(__always)
  static func call(
    _ address: UnsafeRawPointer, _ receiver: AnyObject, _ arguments: Arguments,
    by selector: Selector
  ) throws(MessageError) -> Outcome {
    do {
      return unsafe try call(address, receiver, arguments)
    } catch {
      throw MessageError(thrown: error, by: selector)
    }
  }
}
