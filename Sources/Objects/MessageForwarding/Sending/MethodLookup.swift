private import BlockRuntimeSuggestions
internal import CMessageForwarding.Messages
public import Invocations

/// The lookup of the implementation that a message runs.
@usableFromInline
enum MethodLookup {
  /// Finds the implementation of a receiver's method, without `resolveMethod(_:)`.
  static func find(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    // SAFETY: the implementation is protected until `leave`.
    let found = unsafe look(receiver, selector)
    defer { unsafe found.leave() }
    return unsafe found.retained
  }

  /// Finds the implementation of a receiver's method, which `resolveMethod(_:)` may add.
  static func resolve(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    if let found = find(receiver, selector) { return found }
    return receiver._resolve(selector) ? find(receiver, selector) : nil
  }

  /// Finds the implementation of a receiver's method, without `resolveMethod(_:)`, and protects it.
  @usableFromInline
  static func look(_ receiver: any MessageReceiver, _ selector: Selector) -> FoundMethod {
    // SAFETY: slots are never freed; the selector's pointer is only compared.
    let cached = unsafe cbr_method_cached(receiver._messageIdentity.value, selector.pointer)
    let slot =
      unsafe cached.map { unsafe MethodSlot($0) } ?? receiver._messageClass.methods.slot(selector)
    let entered = unsafe EnteredMethod(slot, for: ObjectIdentifier(receiver))
    if let implementation = unsafe entered.implementation,
      unsafe !EnteredMethod.isOfClass(implementation)
    {
      unsafe entered.leave()
      return unsafe FoundMethod(InstanceMethods.method(selector, of: receiver, slot))
    }
    return unsafe FoundMethod(entered)
  }

  /// Follows the forwarding targets to a receiver that has a method for a message.
  ///
  /// - Parameters:
  ///   - receiver: The receiver; replaced by the last forwarding target, if there is any.
  ///   - selector: The message.
  ///   - steps: How many targets the message has come through before.
  /// - Returns: The method, protected until `leave`.
  /// - Throws: `forwardingLoop`.
  @usableFromInline
  static func follow(
    _ receiver: inout any MessageReceiver, _ selector: Selector, after steps: Int = 0
  ) throws(MessageError) -> FoundMethod {
    // SAFETY: an implementation that is found is returned, protected.
    var found: FoundMethod = unsafe resolve(receiver, selector)
    var steps = steps
    while unsafe found.entered.implementation == nil,
      let next = receiver.forwardingTarget(for: selector), next !== receiver
    {
      steps += 1
      if ForwardingDepth.isLoop(steps) { throw ForwardingDepth.loop(selector) }
      receiver = next
      unsafe found = unsafe resolve(next, selector)
    }
    return unsafe found
  }

  private static func resolve(
    _ receiver: any MessageReceiver, _ selector: Selector
  ) -> FoundMethod {
    // SAFETY: a method that is not there needs no protection.
    let found = unsafe look(receiver, selector)
    guard unsafe found.entered.implementation == nil, receiver._resolve(selector) else {
      return unsafe found
    }
    return unsafe look(receiver, selector)
  }

  /// The error of a message without a method.
  ///
  /// Most such errors are caught unread: names are compared, and the class's table is read, when
  /// the message is.
  static func unrecognized(
    _ selector: Selector?, _ receiver: any MessageReceiver
  ) -> MessageError {
    let itself = ReceiverClass(of: receiver)
    // SAFETY: a metatype is immutable.
    nonisolated(unsafe) let receiverType = type(of: receiver)
    return MessageError(.unrecognizedSelector, subject: selector?.name) {
      let owner: AnyClass = unsafe receiverType.methods.owner
      let table =
        unsafe Implementation.inherits(receiverType, from: owner)
        ? "" : "; its table says that it is \(owner)'s"
      let hint = Suggestion.nearest(to: selector?.name ?? "", in: itself.methodNames)
      return
        "\(selector?.name ?? "a message without a selector") was sent to \(itself.words), which has no "
        + "method for it and forwards it to nobody\(table)\(hint.map { "; did you mean \($0)?" } ?? "")"
    }
  }
}

// MARK: - Messages whose Swift types are the method's

// SAFETY: slots are never freed; a hazard pointer protects the implementation until `leave`, or the
// implementation is permanent. `leave` must be called once, on the same thread.
/// An implementation that a message is about to enter: it is protected until `leave`.
@unsafe
@usableFromInline
struct EnteredMethod {
  /// The implementation, which `isOfClass` tells from the mark of methods to look up; nil if there
  /// is none.
  @usableFromInline let implementation: UnsafeRawPointer?

  /// The hazard pointer that protects the implementation; nil if none is needed.
  @usableFromInline let hazard: UnsafeMutableRawPointer?

  /// Finds the implementation, if the cache has its slot.
  @usableFromInline
  @inline(__always)
  init(_ identity: UInt, _ selector: Selector, for receiver: ObjectIdentifier) {
    if let slot = unsafe cbr_method_cached(identity, selector.pointer) {
      unsafe self.init(MethodSlot(slot), for: receiver)
    } else {
      unsafe self.init(Unmanaged.passUnretained(InstanceDispatch.shared).toOpaque(), nil)
    }
  }

  /// Finds the implementation of a slot.
  @inline(__always)
  init(_ slot: MethodSlot, for receiver: ObjectIdentifier) {
    let entered = unsafe slot.enter(for: UInt(bitPattern: receiver))
    unsafe self.init(entered.what, UnsafeMutableRawPointer(entered.hazard))
  }

  /// Finds the implementation of a place.
  @inline(__always)
  init(_ place: MethodSlot.Place) {
    let entered = unsafe place.enter()
    unsafe self.init(entered.what, UnsafeMutableRawPointer(entered.hazard))
  }

  /// An implementation that the caller retains.
  @usableFromInline
  init(retained implementation: Implementation) {
    unsafe self.init(implementation.address, nil)
  }

  @inline(__always)
  fileprivate init(_ implementation: UnsafeRawPointer?, _ hazard: UnsafeMutableRawPointer?) {
    unsafe self.implementation = unsafe implementation
    unsafe self.hazard = unsafe hazard
  }

  /// Whether there is an implementation of the class at an address, and not one that each instance
  /// may have.
  @usableFromInline
  static func isOfClass(_ implementation: UnsafeRawPointer) -> Bool {
    // SAFETY: an object begins with the address of its class.
    unsafe implementation.load(as: UnsafeRawPointer.self)
      != unsafeBitCast(InstanceDispatch.self, to: UnsafeRawPointer.self)
  }

  /// The implementation if it is of a class, given by its address.
  @inlinable
  @inline(__always)
  func implementation(_ type: UnsafeRawPointer) -> UnsafeRawPointer? {
    // SAFETY: the implementation is protected; an object begins with the address of its class.
    guard let implementation = unsafe implementation,
      unsafe implementation.load(as: UnsafeRawPointer.self) == type
    else { return nil }
    return unsafe implementation
  }

  /// Ends the call.
  @inlinable
  @inline(__always)
  func leave() {
    if let hazard = unsafe hazard { unsafe Self.leave(hazard) }
  }

  @usableFromInline
  static func leave(_ hazard: UnsafeMutableRawPointer) {
    switch unsafe cbr_hazard_clear_latest(hazard.assumingMemoryBound(to: cbr_hazard.self)) {
    case CBR_HAZARD_IS_CLEAR: break
    case CBR_HAZARD_IS_AWAITED: unsafe HazardPointers.cleared(hazard)
    default: unsafe leaveInDisorder(hazard)
    }
  }

  // Not inlined: a call as the last thing saves no registers.
  @inline(never)
  private static func leaveInDisorder(_ hazard: UnsafeMutableRawPointer) {
    if unsafe cbr_hazard_clear_out_of_order(hazard.assumingMemoryBound(to: cbr_hazard.self)) {
      unsafe HazardPointers.cleared(hazard)
    }
  }
}

// SAFETY: as of `EnteredMethod`; an implementation without a hazard pointer is permanent, or
// retained by `owner`.
/// A method that a look-up has found, protected until `leave`.
@unsafe
@usableFromInline
struct FoundMethod {
  @usableFromInline let entered: EnteredMethod

  /// The implementation, if it is retained instead; calls of a typed hook are protected too.
  @usableFromInline let owner: Implementation?

  init(_ entered: EnteredMethod) {
    unsafe (self.entered, owner) = unsafe (entered, nil)
  }

  init(_ owner: Implementation?) {
    if let owner, owner.isLayer {
      unsafe self = unsafe Self.layer(owner)
    } else {
      unsafe self.init(owner, nil)
    }
  }

  private init(_ owner: Implementation?, _ hazard: UnsafeMutableRawPointer?) {
    unsafe entered = unsafe EnteredMethod(owner?.address, hazard)
    unsafe self.owner = owner
  }

  /// Finds a typed hook, or what is inside of it if it was removed, as `Implementation.running`
  /// does.
  @inline(never)
  private static func layer(_ owner: Implementation) -> FoundMethod {
    let hazard = unsafe EnteredMethod.protect(owner.address)
    guard let layer = owner.layer, layer.mark.isRemoved else {
      return unsafe FoundMethod(owner, hazard)
    }
    unsafe EnteredMethod.leave(hazard)
    return unsafe FoundMethod(layer.inner)
  }

  /// The implementation, retained.
  var retained: Implementation? {
    unsafe entered.implementation.map {
      unsafe Unmanaged<Implementation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Ends the call.
  func leave() {
    unsafe entered.leave()
    unsafe withExtendedLifetime(owner) {}
  }
}
