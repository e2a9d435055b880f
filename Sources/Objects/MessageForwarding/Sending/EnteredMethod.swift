internal import CMessageForwarding.Messages
public import Invocations

// SAFETY: slots are never freed; a hazard pointer protects the implementation until `leave`, or the
// implementation is permanent. `leave` must be called once, on the same thread.
/// An implementation that a message is about to enter: it is protected until `leave`.
@unsafe
@usableFromInline
struct EnteredMethod {
  /// The implementation, or `InstanceDispatch`, which `isOfClass` tells, if it must be looked up;
  /// nil if there is none.
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

  /// Enters an implementation that the caller retains.
  @usableFromInline
  init(retained implementation: Implementation) {
    unsafe self.init(implementation.address, nil)
  }

  @inline(__always)
  fileprivate init(_ implementation: UnsafeRawPointer?, _ hazard: UnsafeMutableRawPointer?) {
    unsafe self.implementation = unsafe implementation
    unsafe self.hazard = unsafe hazard
  }

  /// Whether the object at an address is an implementation, not the mark of one to be looked up.
  @usableFromInline
  static func isOfClass(_ implementation: UnsafeRawPointer) -> Bool {
    // SAFETY: an object begins with the address of its class.
    unsafe implementation.load(as: UnsafeRawPointer.self)
      != unsafeBitCast(InstanceDispatch.self, to: UnsafeRawPointer.self)
  }

  /// The implementation, if its class is the one at an address.
  @inlinable
  @inline(__always)
  func implementation(_ type: UnsafeRawPointer) -> UnsafeRawPointer? {
    // SAFETY: the implementation is protected; an object begins with the address of its class.
    guard let implementation = unsafe implementation,
      unsafe implementation.load(as: UnsafeRawPointer.self) == type
    else { return nil }
    return unsafe implementation
  }

  /// Ends the protection.
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

  // Not inlined: `leave` ends with a jump to this function, and saves no registers.
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

  /// The implementation, if it is retained; a typed hook is protected as well.
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

  /// Finds a typed hook, or the implementation inside of it if it was removed, as
  /// `Implementation.running` does.
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

  /// Ends the protection, or releases the implementation.
  func leave() {
    unsafe entered.leave()
    unsafe withExtendedLifetime(owner) {}
  }
}
