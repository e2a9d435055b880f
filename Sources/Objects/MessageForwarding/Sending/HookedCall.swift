internal import BlockRuntimeErrors
private import CMessageForwarding.Messages
public import Invocations

/// A call of a method that runs more than its body.
@frozen
@usableFromInline
struct HookedCall {
  /// The address of the `CalledMethod`.
  @usableFromInline let method: UInt

  @inlinable
  @inline(__always)
  init(method: UInt) { self.method = method }

  /// The class of the method's implementation, if its class's table lists a `CalledBody`.
  @inlinable
  @inline(__always)
  var types: UnsafeRawPointer {
    // SAFETY: the address is that of a class.
    unsafe withMethod { unsafe UnsafeRawPointer(bitPattern: $0.types).unsafelyUnwrapped }
  }

  /// Runs the hooks of a call, and the body in them; `type` is that of the message's answer, and
  /// `types` the address of the class of implementations with the message's types.
  ///
  /// - Returns: The answer; if a hook has thrown what the method cannot throw, that of the body, or
  ///   nil if the body did not run.
  /// - Throws: The error of the body or of a hook, if the method throws such.
  @inlinable
  @inline(__always)
  func answer<Arguments, Answer, Outcome, Failure: Error>(
    _ receiver: AnyObject, _ identity: UInt, _ arguments: Arguments, _ type: Answer.Type,
    _ failure: Failure.Type, _ types: UnsafeRawPointer, _ mayThrow: (() -> Bool)?
  ) throws(Failure) -> Outcome? {
    // The size comes first: for `Never` the compiler decides by it, and by nothing else here.
    if MemoryLayout<Failure>.size > 0, mayThrow == nil, Failure.self == (any Error).self {
      do {
        let answer: Answer = unsafe try send(receiver, identity, arguments, types, keptAt: nil)
        return .some(try own(answer))
      } catch {
        if let own = ofMethod(error) as? Failure { throw own }
        return nil
      }
    }
    var kept = unsafe KeptOutcome<Answer, Failure>(receiver)
    defer { unsafe kept.end() }
    do {
      return unsafe try _withUnprotectedUnsafeMutablePointer(to: &kept) {
        let place = UnsafeMutableRawPointer($0)
        let answer: Answer = unsafe try send(receiver, identity, arguments, types, keptAt: place)
        return .some(try own(answer))
      }
    } catch {
      return unsafe try recover(error, &kept, mayThrow)
    }
  }

  /// What the method or its hooks have thrown.
  @usableFromInline
  func ofMethod(_ error: any Error) -> any Error {
    MessageError(thrown: error, by: selector).ofMethod
  }

  /// Throws what a hook has thrown, or reports it and answers what the body has answered.
  @inlinable
  @inline(never)
  func recover<Answer, Outcome, Failure: Error>(
    _ error: any Error, _ kept: inout KeptOutcome<Answer, Failure>, _ mayThrow: (() -> Bool)?
  ) throws(Failure) -> Outcome? {
    let error = MessageError(thrown: error, by: selector)
    if mayThrow?() != false, let own = error.ofMethod as? Failure { throw own }
    error.reportFromCall()
    guard let answer = unsafe try kept.result(mayThrow) else { return nil }
    return answer as? Outcome
  }

  /// Sends the message of a call, which begins with the hooks of the body's class or a subclass.
  ///
  /// ## Safety
  /// The types must be those of implementations of the arguments and the outcome. The place must be
  /// that of a `KeptOutcome` of the answer's type, until this returns; nil if the call keeps none.
  @unsafe
  @inlinable
  @inline(__always)
  func send<Arguments, Outcome>(
    _ receiver: AnyObject, _ identity: UInt, _ arguments: Arguments, _ types: UnsafeRawPointer,
    keptAt place: UnsafeMutableRawPointer?
  ) throws -> Outcome {
    let entered: EnteredMethod
    if let place = unsafe place {
      unsafe entered = unsafe enter(receiver, identity, keptAt: place)
    } else {
      unsafe entered = unsafe enter(receiver, identity)
    }
    // SAFETY: the implementation is protected until `leave`; its type is checked, and is the class
    // at the address.
    if let typed = unsafe entered.implementation(types) {
      defer { unsafe Self.leave(entered.hazard, place) }
      return unsafe try unsafeBitCast(types, to: TypedImplementation<Arguments, Outcome>.Type.self)
        .call(typed, receiver, arguments)
    }
    defer { unsafe Self.leave(nil, place) }
    if let hooked = unsafe entered.implementation, let hazard = unsafe entered.hazard,
      Message<Arguments, Outcome>.mayBeNumbers, unsafe EnteredMethod.isHooked(hooked, types)
    {
      return unsafe try Message<Arguments, Outcome>(selector, arguments)
        .runHooked(hooked, hazard, receiver)
    }
    return unsafe try deliver(receiver, arguments, entered)
  }

  /// Sends the message of a call to an implementation of other types.
  ///
  /// Not inlinable: the code would be a third of that which is made for each list of types.
  @usableFromInline
  func deliver<Arguments, Outcome>(
    _ receiver: AnyObject, _ arguments: Arguments, _ entered: EnteredMethod
  ) throws -> Outcome {
    guard let receiver = receiver as? any MessageReceiver else {
      unsafe entered.leave()
      throw MessageError.noReceiver
    }
    return unsafe try Message<Arguments, Outcome>(selector, arguments).deliver(
      to: receiver, entered)
  }

  /// Begins a call that keeps what the body answers or throws, at the place of a `KeptOutcome`.
  @usableFromInline
  func enter(
    _ receiver: AnyObject, _ identity: UInt, keptAt place: UnsafeMutableRawPointer
  ) -> EnteredMethod {
    let here = unsafe KeptAnswer.here
    // SAFETY: each place begins with a head.
    unsafe place.assumingMemoryBound(to: KeptHead.self).pointee.outer = unsafe here.pointee
    unsafe here.pointee = unsafe KeptAnswer(method, place)
    return unsafe entered(receiver, identity)
  }

  /// Begins a call that keeps nothing.
  @usableFromInline
  func enter(_ receiver: AnyObject, _ identity: UInt) -> EnteredMethod {
    unsafe entered(receiver, identity)
  }

  /// Ends a call, and the protection of what it has run.
  @inlinable
  @inline(__always)
  static func leave(_ hazard: UnsafeMutableRawPointer?, _ place: UnsafeMutableRawPointer?) {
    if let place = unsafe place {
      unsafe leave(hazard, keptAt: place)
    } else if let hazard = unsafe hazard {
      unsafe EnteredMethod.leave(hazard)
    }
  }

  @usableFromInline
  static func leave(
    _ hazard: UnsafeMutableRawPointer?, keptAt place: UnsafeMutableRawPointer
  ) {
    let head = unsafe place.assumingMemoryBound(to: KeptHead.self)
    unsafe KeptAnswer.here.pointee = unsafe head.pointee.outer
    if let hazard = unsafe hazard { unsafe EnteredMethod.leave(hazard) }
  }

  /// Finds what the call runs, at once if the receiver is an instance of the method's own class.
  @inline(__always)
  private func entered(_ receiver: AnyObject, _ identity: UInt) -> EnteredMethod {
    // SAFETY: slots are never freed.
    unsafe withMethod { called in
      identity == called.identity
        ? unsafe EnteredMethod(called.slot, for: ObjectIdentifier(receiver))
        : unsafe enterSubclass(receiver, identity)
    }
  }

  /// Finds what the call runs if the receiver is an instance of a subclass, or a class.
  @inline(never)
  private func enterSubclass(_ receiver: AnyObject, _ identity: UInt) -> EnteredMethod {
    // SAFETY: slots are never freed.
    unsafe withMethod { called in
      if let cached = unsafe cbr_method_cached(identity, called.selector.pointer) {
        let slot = unsafe MethodSlot(cached)
        if slot.called == method {
          return unsafe EnteredMethod(slot, for: ObjectIdentifier(receiver))
        }
      }
      guard let methods = (receiver as? any MessageReceiver)?._messageClass.methods else {
        return unsafe EnteredMethod(called.slot.ofClass)
      }
      let start = methods.start(of: called)
      let slot = start.slot(called.selector)
      // The hooks of the receiver itself are outside of the override's, which has called this.
      return unsafe start === methods
        ? EnteredMethod(slot, for: ObjectIdentifier(receiver)) : EnteredMethod(slot.ofClass)
    }
  }

  /// The selector of the method.
  @inlinable
  @inline(__always)
  var selector: Selector { withMethod { $0.selector } }

  @inlinable
  @inline(__always)
  func withMethod<Result>(_ body: (CalledMethod) -> Result) -> Result {
    // SAFETY: called methods are never freed.
    unsafe Unmanaged<CalledMethod>.fromOpaque(
      UnsafeRawPointer(bitPattern: method).unsafelyUnwrapped
    )._withUnsafeGuaranteedRef(body)
  }
}

extension HookedCall {
  /// Casts the answer to a message to the type that the method returns.
  ///
  /// - Throws: `typeMismatch` if the answer is of another type.
  @inlinable
  @inline(__always)
  func own<Answer, Outcome>(_ answer: Answer) throws(MessageError) -> Outcome {
    if let own = answer as? Outcome { return own }
    throw foreign(answer, Outcome.self)
  }

  @usableFromInline
  func foreign(_ answer: Any, _ own: Any.Type) -> MessageError {
    MessageError(
      .typeMismatch, of: selector,
      "a hook answers \(type(of: answer)), and the method \(own); answer what `original` does")
  }
}

extension MessageError {
  /// The error of a call whose receiver cannot receive messages.
  @usableFromInline static var noReceiver: MessageError {
    MessageError(.deadReceiver, "argument 0: the receiver is no message receiver", argument: 0)
  }

  /// What the method or its hooks have thrown, or this error.
  @usableFromInline var ofMethod: any Error {
    code == .thrown ? underlyingError ?? self : self
  }

  /// Writes the error to standard error, because the method that was called does not throw it.
  @usableFromInline
  func reportFromCall() {
    reportError(self, from: "a hook of a Swift call that cannot throw it")
  }
}
