private import CMessageForwarding.Messages

/// The word that a call has found in its `CallSlot`.
@frozen
@usableFromInline
struct CallWord {
  @usableFromInline let word: UInt

  /// The mark of a word whose hooks are all of single objects.
  @inlinable static var ofObjects: UInt { 1 }

  @inlinable
  @inline(__always)
  init(_ word: UInt) { self.word = word }

  /// The call, with its hooks.
  @inlinable
  @inline(__always)
  var hooked: HookedCall { HookedCall(method: word & ~Self.ofObjects) }

  /// Whether all hooks are of single objects.
  @inlinable
  @inline(__always)
  var isOfObjects: Bool { word & Self.ofObjects != 0 }

  /// Whether the call runs more than the body.
  @inlinable
  @inline(__always)
  func runsMore(_ receiver: AnyObject) -> Bool {
    word != 0 && (!isOfObjects || Self.mayHaveHooks(ObjectIdentifier(receiver)))
  }

  /// Whether an object may have hooks of its own.
  @usableFromInline
  static func mayHaveHooks(_ object: ObjectIdentifier) -> Bool {
    // SAFETY: the address is hashed, not dereferenced.
    unsafe cbr_object_may_have_slot(UnsafeRawPointer(bitPattern: UInt(bitPattern: object)))
  }
}
