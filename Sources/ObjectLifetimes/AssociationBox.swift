// The boxes are written once, when they are made; the values are Sendable. They are visible to
// inlined code, because a read that knows the value's type costs a fraction of one that does not.

/// A value that belongs to an object, without its type.
@usableFromInline
class AnyAssociationBox: @unchecked Sendable {
  /// Whether this is a `StrongBox`; a `WeakBox` otherwise.
  @usableFromInline final let isStrong: Bool

  @usableFromInline
  init(isStrong: Bool) { self.isStrong = isStrong }

  /// The object in a `WeakBox`, if it is alive.
  @usableFromInline
  var object: AnyObject? { nil }
}

/// A value that its owner keeps alive.
@usableFromInline
final class StrongBox<Value: Sendable>: AnyAssociationBox, @unchecked Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
    super.init(isStrong: true)
  }
}

/// An object that its owner does not keep alive.
final class WeakBox: AnyAssociationBox, @unchecked Sendable {
  private weak let reference: AnyObject?

  init(_ object: AnyObject) {
    reference = object
    super.init(isStrong: false)
  }

  override var object: AnyObject? { reference }
}
