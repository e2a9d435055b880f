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

  fileprivate let slot: MethodSlot
  fileprivate let identity: UInt
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

  /// Whether any calls run more than the body.
  var isHooked: Bool { change != .none }

  /// What a slot says.
  var word: UInt {
    switch change {
    case .none: 0
    case .ofObjects: method | CallWord.ofObjects
    case .ofAll: method
    }
  }
}

/// What a call has found in its `CallSlot`.
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

  /// Finds what the call runs.
  ///
  /// - Parameter receiver: The receiver.
  /// - Returns: The implementation, protected until `leave`.
  @inlinable
  @inline(__always)
  func enter(_ receiver: some MessageReceiver) -> EnteredMethod {
    let (object, identity) = (ObjectIdentifier(receiver), receiver._messageIdentity.value)
    if let entered = unsafe enter(object, identity) { return unsafe entered }
    return unsafe start(for: receiver)
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
  @usableFromInline
  @inline(__always)
  var selector: Selector { withMethod { $0.selector } }

  @inline(__always)
  private func withMethod<Result>(_ body: (CalledMethod) -> Result) -> Result {
    // SAFETY: called methods are never freed.
    unsafe Unmanaged<CalledMethod>.fromOpaque(
      UnsafeRawPointer(bitPattern: method).unsafelyUnwrapped
    )._withUnsafeGuaranteedRef(body)
  }
}
