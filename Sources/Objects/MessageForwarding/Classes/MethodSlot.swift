internal import CMessageForwarding.Messages
internal import Invocations

/// The implementation that messages of one selector run in one class: see `CBRMessages.h`.
@safe
struct MethodSlot: Sendable {
  // SAFETY: the slot is never freed, and its variables are read and written atomically. It has a
  // reference of its own to each implementation, which `ReplacedImplementation` releases.
  nonisolated(unsafe) let memory: UnsafeMutablePointer<cbr_method_slot>

  init(_ classIdentity: UInt, _ selector: Selector) {
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(
      to: cbr_method_slot(
        class_identity: classIdentity, selector: selector.pointer, current: nil, of_class: nil,
        inner: nil, called: 0))
  }

  /// Creates the value of an existing slot.
  init(_ memory: UnsafeMutablePointer<cbr_method_slot>) { unsafe self.memory = unsafe memory }

  /// Stores the slot in the cache, where messages find it without asking the class.
  func cache() { unsafe cbr_method_cache_slot(memory) }

  /// Replaces the implementations.
  ///
  /// - Parameters:
  ///   - current: The implementation that messages run.
  ///   - ofClass: The implementation inside of the hooks of single instances.
  ///   - inner: The implementation inside of the class's hooks; nil if there never were any.
  /// - Returns: The previous implementations, which the caller must release under no lock.
  func set(
    current: Implementation?, ofClass: Implementation?, inner: Implementation?
  ) -> [ReplacedImplementation] {
    // A message that finds a hooked method must find the implementation inside of it.
    [
      self.inner.set(inner),
      unsafe Place(cbr_method_current(memory)).set(current),
      self.ofClass.set(ofClass),
    ].compactMap(\.self)
  }

  static func retained(_ implementation: Implementation?) -> UnsafeRawPointer? {
    guard let implementation else { return nil }
    // SAFETY: the slot owns the reference.
    _ = unsafe Unmanaged.passRetained(implementation)
    return unsafe word(of: implementation)
  }

  /// An implementation as slots have it.
  static func word(of implementation: Implementation) -> UnsafeRawPointer {
    // SAFETY: objects have addresses that marks can be added to.
    let mark =
      implementation.isPermanent
      ? UInt(CBR_METHOD_IS_PERMANENT)
      : implementation is InstanceDispatch ? CBR_METHOD_IS_OF_OBJECT : 0
    let word = unsafe UInt(bitPattern: implementation.address) | mark
    return unsafe UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped
  }

  /// The address of the called method whose body instances of the class inherit; 0 without one.
  var called: UInt {
    get { unsafe cbr_method_called(memory) }
    nonmutating set { unsafe cbr_method_set_called(memory, newValue) }
  }

  /// Finds the implementation that a message to an object runs, protected until `leave`.
  ///
  /// It is `InstanceDispatch` if each object may have its own implementation, which must be looked
  /// up.
  @inline(__always)
  func enter(for object: UInt) -> cbr_method_entered {
    unsafe cbr_method_enter_for(memory, UnsafeRawPointer(bitPattern: object))
  }

  /// The implementation inside of the hooks of single instances.
  var ofClass: Place { unsafe Place(cbr_method_of_class(memory)) }

  /// The implementation inside of the class's hooks.
  var inner: Place { unsafe Place(cbr_method_inner(memory)) }

  /// The place of one of a slot's implementations.
  @safe
  struct Place: Sendable {
    // SAFETY: slots are never freed; their variables are read and written atomically. A hazard
    // pointer protects the implementation while the closure below runs, or it is permanent.
    nonisolated(unsafe) private let address: UnsafeMutablePointer<UnsafeRawPointer?>

    init(_ address: UnsafeMutablePointer<UnsafeRawPointer?>) {
      unsafe self.address = unsafe address
    }

    /// Replaces the implementation.
    ///
    /// - Returns: The previous one, which the caller must release under no lock.
    func set(_ implementation: Implementation?) -> ReplacedImplementation? {
      // SAFETY: the exchange returns the address that an earlier one retained, or null.
      unsafe cbr_slot_exchange(address, MethodSlot.retained(implementation)).map {
        unsafe ReplacedImplementation($0)
      }
    }

    /// The present implementation.
    var implementation: Implementation? { withImplementation { $0 } }

    /// Whether an implementation, which the caller retains, is the present one.
    func isFilled(by implementation: Implementation?) -> Bool {
      let present = UInt(bitPattern: unsafe cbr_slot_load(address))
      return present & ~CBR_METHOD_MARKS
        == implementation.map { unsafe UInt(bitPattern: $0.address) } ?? 0
    }

    /// Finds the present implementation, which is protected until `leave`.
    @inline(__always)
    func enter() -> cbr_method_entered { unsafe cbr_method_enter(address) }

    /// Calls a closure with the present implementation, without counting references to it.
    @inline(__always)
    func withImplementation<Outcome>(
      _ body: (Implementation) throws -> Outcome
    ) rethrows -> Outcome? {
      let entered = unsafe enter()
      defer { unsafe entered.leave() }
      guard let address = unsafe entered.what else { return nil }
      return unsafe try Unmanaged<Implementation>.fromOpaque(address)._withUnsafeGuaranteedRef {
        try body($0)
      }
    }
  }
}

extension cbr_method_entered {
  // SAFETY: to be called once, on the thread that entered.
  /// Ends the protection of the implementation.
  @inline(__always)
  func leave() {
    if let hazard = unsafe hazard, unsafe cbr_hazard_clear(hazard) {
      unsafe HazardPointers.cleared(hazard)
    }
  }
}
