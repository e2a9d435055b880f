private import CInvocations.HazardPointers

/// An object that is replaced while any thread reads it; reading takes no lock.
@safe
package final class PublishedObject<Object: AnyObject & Sendable>: Sendable {
  // SAFETY: the slot holds a reference to the object, which its replacement takes over; it is
  // exchanged and loaded atomically, and freed when nothing can read it any more.
  nonisolated(unsafe) private let slot: UnsafeMutablePointer<UnsafeRawPointer?>

  /// Publishes an object.
  package init(_ object: Object) {
    unsafe slot = .allocate(capacity: 1)
    unsafe slot.initialize(to: nil)
    // Stored with release ordering, like its successors.
    _ = unsafe cbr_slot_exchange(slot, Unmanaged.passRetained(object).toOpaque())
  }

  deinit {
    // SAFETY: see `slot`.
    if let last = unsafe slot.pointee { unsafe Unmanaged<Object>.fromOpaque(last).release() }
    unsafe slot.deallocate()
  }

  /// Calls a closure with the present object, which lives meanwhile.
  ///
  /// A handler of a signal may call this, whatever it interrupts.
  @inline(__always)
  package func withObject<Result>(_ body: (Object) -> Result) -> Result {
    // SAFETY: the slot is never empty, and the hazard pointer protects what it holds.
    let hazard = unsafe cbr_hazard_protect_loaded(slot)
    defer { if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) } }
    let address = unsafe cbr_hazard_protected(hazard).unsafelyUnwrapped
    return unsafe Unmanaged<Object>.fromOpaque(address)._withUnsafeGuaranteedRef { body($0) }
  }

  /// Publishes another object in place of the present one.
  ///
  /// - Returns: The previous object; pass it to `retire(_:)`, under no lock.
  package func exchange(_ object: Object) -> Object {
    // SAFETY: the exchange takes over the slot's reference, which is there since `init`.
    let old = unsafe cbr_slot_exchange(slot, Unmanaged.passRetained(object).toOpaque())
    return unsafe Unmanaged<Object>.fromOpaque(old.unsafelyUnwrapped).takeRetainedValue()
  }

  /// Releases an object that was replaced as soon as no thread reads it.
  package static func retire(_ object: consuming Object) {
    // SAFETY: the address is that of the object.
    let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    unsafe HazardPointers.retire(object, address)
  }
}
