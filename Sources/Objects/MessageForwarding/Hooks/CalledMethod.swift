private import CMessageForwarding.Messages
public import Invocations

/// A method whose Swift calls run the hooks of its messages: the body that the class declares, and
/// the slot that the calls ask.
///
/// One is made when messages first use the class, and is never freed.
@usableFromInline
final class CalledMethod: Sendable {
  let selector: Selector

  /// The implementation in the class's table.
  let body: Implementation

  /// The methods of the class.
  let dictionary: MethodDictionary

  private let slot: MethodSlot
  private let identity: UInt
  private let setCalls: @Sendable (CallHooks) -> Void

  init(
    _ selector: Selector, _ body: Implementation, in dictionary: MethodDictionary,
    _ setCalls: @escaping @Sendable (CallHooks) -> Void
  ) {
    self.selector = selector
    self.body = body
    self.dictionary = dictionary
    self.setCalls = setCalls
    slot = dictionary.slot(selector)
    identity = dictionary.identity
    // SAFETY: the reference is never released: calls find the object at any time.
    _ = unsafe Unmanaged.passRetained(self)
  }

  /// The address of this object.
  var word: UInt { unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Lets calls know whose messages run more than the body.
  func set(_ change: CallHooks.Change) { setCalls(CallHooks(method: word, change: change)) }

  /// Whether a call runs more than the body, by what its slot says.
  @inlinable
  @inline(__always)
  static func runsMore(_ word: UInt, _ receiver: some MessageReceiver) -> Bool {
    word != 0
      && (word & CallHooks.ofObjects == 0 || mayHaveHooks(ObjectIdentifier(receiver)))
  }

  /// Whether an object may have hooks of its own.
  @usableFromInline
  static func mayHaveHooks(_ object: ObjectIdentifier) -> Bool {
    // SAFETY: the address is hashed, not dereferenced.
    unsafe cbr_object_may_have_slot(UnsafeRawPointer(bitPattern: UInt(bitPattern: object)))
  }

  /// Finds what a call of the method runs.
  ///
  /// - Parameters:
  ///   - word: The address of a called method, from its slot.
  ///   - receiver: The receiver.
  /// - Returns: The implementation, protected until `leave`.
  @inlinable
  @inline(__always)
  static func enter(_ word: UInt, _ receiver: some MessageReceiver) -> EnteredMethod {
    let (object, identity) = (ObjectIdentifier(receiver), receiver._messageIdentity.value)
    if let entered = unsafe enter(word, object, identity) { return unsafe entered }
    return unsafe start(word, for: receiver)
  }

  /// Finds what a call of the method runs, if instances of the class inherit its body, and the cache
  /// has the class.
  @usableFromInline
  static func enter(
    _ word: UInt, _ receiver: ObjectIdentifier, _ identity: UInt
  ) -> EnteredMethod? {
    // SAFETY: called methods are never freed; slots are not, either.
    unsafe Unmanaged<CalledMethod>.fromOpaque(
      UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped
    )._withUnsafeGuaranteedRef { called in
      if identity == called.identity { return unsafe EnteredMethod(called.slot, for: receiver) }
      guard let cached = unsafe cbr_method_cached(identity, called.selector.pointer) else {
        return nil
      }
      let slot = unsafe MethodSlot(cached)
      return unsafe slot.called == word ? EnteredMethod(slot, for: receiver) : nil
    }
  }

  /// Finds where a call begins whose receiver is of a subclass.
  @usableFromInline
  static func start(_ word: UInt, for receiver: any MessageReceiver) -> EnteredMethod {
    // SAFETY: called methods are never freed.
    unsafe Unmanaged<CalledMethod>.fromOpaque(
      UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped
    )._withUnsafeGuaranteedRef { called in
      let methods = receiver._messageClass.methods
      let start = methods.start(of: called)
      let slot = start.slot(called.selector)
      // The hooks of the receiver itself are outside of the override's, which has called this.
      return unsafe start === methods
        ? EnteredMethod(slot, for: ObjectIdentifier(receiver)) : EnteredMethod(slot.ofClass)
    }
  }

  /// The message of a called method.
  @usableFromInline
  static func selector(_ word: UInt) -> Selector {
    // SAFETY: called methods are never freed.
    unsafe Unmanaged<CalledMethod>.fromOpaque(
      UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped
    )._withUnsafeGuaranteedRef { $0.selector }
  }
}

/// The state of a method that calls find in its `CallSlot`; only this library creates it.
public struct CallHooks: Sendable {
  /// The address of the `CalledMethod`.
  let method: UInt

  let change: Change

  /// Whose calls run more than the body.
  enum Change: Int, Comparable {
    case none, ofObjects, ofAll

    static func < (first: Change, second: Change) -> Bool { first.rawValue < second.rawValue }
  }

  /// Marks the address where only objects have hooks of their own.
  @usableFromInline static var ofObjects: UInt { 1 }

  /// Whether any calls run more than the body.
  var isHooked: Bool { change != .none }

  /// What a slot says.
  var word: UInt {
    switch change {
    case .none: 0
    case .ofObjects: method | Self.ofObjects
    case .ofAll: method
    }
  }
}
