internal import CMessageForwarding.Messages
internal import Invocations

// SAFETY, for the whole file: slots are never freed; what one holds is kept by a reference of the
// slot's own, and let go of when no call is inside of it.

/// What messages of one selector find in one class: see `CBRMessages.h`.
@safe
struct MethodSlot: Sendable {
  // SAFETY: never freed.
  nonisolated(unsafe) let memory: UnsafeMutablePointer<cbr_method_slot>

  init(_ classIdentity: UInt, _ selector: Selector) {
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(
      to: cbr_method_slot(
        class_identity: classIdentity, selector: selector.pointer, current: nil, of_class: nil))
  }

  /// A slot that was looked up before.
  init(_ memory: UnsafeMutablePointer<cbr_method_slot>) { unsafe self.memory = unsafe memory }

  /// Makes messages find the slot without a look at the class.
  func cache() { unsafe cbr_method_cache_slot(memory) }

  /// Puts implementations in place.
  ///
  /// - Parameters:
  ///   - current: What messages enter.
  ///   - ofClass: What they enter below the methods of single instances.
  /// - Returns: What was there before; let go of it under no lock.
  func set(current: Implementation?, ofClass: Implementation?) -> [ReplacedImplementation] {
    var replaced: [ReplacedImplementation] = []
    if let last = unsafe cbr_method_set_current(memory, Self.retained(current)) {
      replaced.append(unsafe ReplacedImplementation(last))
    }
    if let last = unsafe cbr_method_set_of_class(memory, Self.retained(ofClass)) {
      replaced.append(unsafe ReplacedImplementation(last))
    }
    return replaced
  }

  private static func retained(_ implementation: Implementation?) -> UnsafeRawPointer? {
    guard let implementation else { return nil }
    let address = unsafe UnsafeRawPointer(Unmanaged.passRetained(implementation).toOpaque())
    return unsafe implementation.isPermanent ? address + Int(CBR_METHOD_IS_PERMANENT) : address
  }

  /// What messages enter now.
  var current: Implementation? { unsafe Self.load(cbr_method_current(memory)) }

  /// What messages enter below the methods of single instances.
  var ofClass: Implementation? { unsafe Self.load(cbr_method_of_class(memory)) }

  private static func load(
    _ place: UnsafePointer<UnsafeRawPointer?>
  ) -> Implementation? {
    // Protected until it is retained, if need be.
    let entered = unsafe cbr_method_enter(place)
    let found = unsafe entered.what.map {
      unsafe Unmanaged<Implementation>.fromOpaque($0).takeUnretainedValue()
    }
    if let hazard = unsafe entered.hazard, unsafe cbr_hazard_clear(hazard) {
      unsafe HazardPointers.cleared(hazard)
    }
    return found
  }
}

/// An implementation that messages do not find any more, and that calls may be inside of.
@safe
struct ReplacedImplementation: @unchecked Sendable {
  // SAFETY: an implementation, with the reference that the slot had.
  private let address: UnsafeRawPointer

  fileprivate init(_ address: UnsafeRawPointer) {
    let mark = UInt(bitPattern: address) & UInt(CBR_METHOD_IS_PERMANENT)
    unsafe self.address = unsafe address - Int(mark)
  }

  /// Lets go of it when no call is inside; under no lock.
  func release() {
    unsafe HazardPointers.retire(
      Unmanaged<Implementation>.fromOpaque(address).takeRetainedValue(), address)
  }
}
