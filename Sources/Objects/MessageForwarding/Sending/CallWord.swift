private import CMessageForwarding.Messages
public import Invocations

/// The word that a call has found in its `CallSlot`.
@frozen
@usableFromInline
struct CallWord {
  @usableFromInline let word: UInt

  /// Marks the address of the `CalledMethod` where only objects have hooks of their own.
  @inlinable static var ofObjects: UInt { 1 }

  @inlinable
  @inline(__always)
  init(_ word: UInt) { self.word = word }

  /// The address of the `CalledMethod`.
  @inlinable
  @inline(__always)
  var method: UInt { word & ~Self.ofObjects }

  /// Whether the call runs more than the body.
  @inlinable
  @inline(__always)
  func runsMore(_ receiver: some MessageReceiver) -> Bool {
    word != 0 && (word & Self.ofObjects == 0 || mayHaveHooks(ObjectIdentifier(receiver)))
  }

  /// Whether an object may have hooks of its own.
  @usableFromInline
  @inline(__always)
  func mayHaveHooks(_ object: ObjectIdentifier) -> Bool {
    // SAFETY: the address is hashed, not dereferenced.
    unsafe cbr_object_may_have_slot(UnsafeRawPointer(bitPattern: UInt(bitPattern: object)))
  }

  /// Runs the hooks of a call, and the body in them; `type` is that of the message's answer.
  ///
  /// - Returns: The answer, also if a hook has thrown what the method cannot throw; then nil if the
  ///   body did not run.
  /// - Throws: The error of the body or of a hook, if the method throws such.
  @inlinable
  @inline(__always)
  func answer<Receiver: MessageReceiver, Arguments, Answer, Outcome, Failure: Error>(
    _ receiver: Receiver, _ arguments: Arguments, _ type: Answer.Type, _ failure: Failure.Type,
    _ mayThrow: (() -> Bool)?
  ) throws(Failure) -> Outcome? {
    // The compiler knows the size of `Never`, and decides no more of this.
    if MemoryLayout<Failure>.size > 0, mayThrow == nil, Failure.self == (any Error).self {
      do throws(MessageError) {
        return .some(try own(send(receiver, arguments) as Answer))
      } catch {
        if let own = error.ofMethod as? Failure { throw own }
        return nil
      }
    }
    var kept = unsafe KeptOutcome<Answer, Failure>(receiver)
    defer { unsafe kept.end() }
    do {
      return unsafe try _withUnprotectedUnsafeMutablePointer(to: &kept) {
        let place = UnsafeMutableRawPointer($0)
        return .some(unsafe try own(send(receiver, arguments, keptAt: place) as Answer))
      }
    } catch {
      return unsafe try recover(error, &kept, mayThrow)
    }
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
  @inlinable
  @inline(__always)
  func send<Receiver: MessageReceiver, Arguments, Outcome>(
    _ receiver: Receiver, _ arguments: Arguments
  ) throws(MessageError) -> Outcome {
    // SAFETY: the function that follows ends the protection.
    let entered =
      unsafe enter(ObjectIdentifier(receiver), receiver._messageIdentity.value)
      ?? start(for: receiver)
    return try unsafe MessageSending.send(receiver, selector, arguments, entering: entered)
  }

  /// Sends the message of a call that keeps what the body answers or throws.
  ///
  /// ## Safety
  /// The place must be that of a `KeptOutcome` of the answer's type, until this returns.
  @unsafe
  @inlinable
  @inline(__always)
  func send<Receiver: MessageReceiver, Arguments, Outcome>(
    _ receiver: Receiver, _ arguments: Arguments, keptAt place: UnsafeMutableRawPointer
  ) throws -> Outcome {
    let entered =
      unsafe enter(ObjectIdentifier(receiver), receiver._messageIdentity.value, keptAt: place)
      ?? start(for: receiver)
    let types = unsafe TypedImplementation<Arguments, Outcome>.address
    // SAFETY: the implementation is protected until `leave`; its type is checked.
    if let typed = unsafe entered.implementation(types) {
      defer { unsafe Self.leave(entered.hazard, place) }
      return unsafe try TypedImplementation<Arguments, Outcome>.call(typed, receiver, arguments)
    }
    defer { unsafe Self.leave(nil, place) }
    let message = Message<Arguments, Outcome>(selector, arguments)
    if let hooked = unsafe entered.implementation, let hazard = unsafe entered.hazard,
      unsafe message.isHooked(hooked, types)
    {
      return unsafe try message.callHooked(hooked, hazard, receiver)
    }
    return unsafe try message.deliver(to: receiver, entered)
  }

  /// Begins a call that keeps what the body answers or throws, at the place of a `KeptOutcome`.
  @usableFromInline
  func enter(
    _ receiver: ObjectIdentifier, _ identity: UInt, keptAt place: UnsafeMutableRawPointer
  ) -> EnteredMethod? {
    let here = unsafe KeptAnswer.here
    // SAFETY: all places have a head.
    unsafe place.assumingMemoryBound(to: KeptHead.self).pointee.outer = unsafe here.pointee
    unsafe here.pointee = unsafe KeptAnswer(method, place)
    return unsafe enter(receiver, identity)
  }

  /// Ends a call, and the protection of what it has run.
  @usableFromInline
  static func leave(_ hazard: UnsafeMutableRawPointer?, _ place: UnsafeMutableRawPointer) {
    let head = unsafe place.assumingMemoryBound(to: KeptHead.self)
    unsafe KeptAnswer.here.pointee = unsafe head.pointee.outer
    if let hazard = unsafe hazard { unsafe EnteredMethod.leave(hazard) }
  }

  /// Finds what the call runs, if instances of the class inherit the body, and the cache has the
  /// class.
  @usableFromInline
  @inline(__always)
  func enter(_ receiver: ObjectIdentifier, _ identity: UInt) -> EnteredMethod? {
    // SAFETY: slots are never freed.
    unsafe withMethod { called in
      if identity == called.identity { return unsafe EnteredMethod(called.slot, for: receiver) }
      guard let cached = unsafe cbr_method_cached(identity, called.selector.pointer) else {
        return nil
      }
      let slot = unsafe MethodSlot(cached)
      return unsafe slot.called == method ? EnteredMethod(slot, for: receiver) : nil
    }
  }

  /// Finds where a call begins whose receiver is of a subclass.
  @usableFromInline
  func start(for receiver: any MessageReceiver) -> EnteredMethod {
    unsafe withMethod { called in
      let methods = receiver._messageClass.methods
      let start = methods.start(of: called)
      let slot = start.slot(called.selector)
      // The hooks of the receiver itself are outside of the override's, which has called this.
      return unsafe start === methods
        ? EnteredMethod(slot, for: ObjectIdentifier(receiver)) : EnteredMethod(slot.ofClass)
    }
  }

  /// The message of the method.
  @usableFromInline var selector: Selector { withMethod { $0.selector } }

  @inline(__always)
  private func withMethod<Result>(_ body: (CalledMethod) -> Result) -> Result {
    // SAFETY: called methods are never freed.
    unsafe Unmanaged<CalledMethod>.fromOpaque(
      UnsafeRawPointer(bitPattern: method).unsafelyUnwrapped
    )._withUnsafeGuaranteedRef(body)
  }
}
