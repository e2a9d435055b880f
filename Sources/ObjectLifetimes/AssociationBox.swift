// The boxes are written once, when they are made; the values are Sendable. `@unchecked` as their
// superclasses are not final.

/// A value that belongs to an object, without its type.
class AnyAssociationBox: @unchecked Sendable {}

/// A value that belongs to an object.
class AssociationBox<Value: Sendable>: AnyAssociationBox, @unchecked Sendable {
  /// The value; nil if it was held weakly and has died.
  func load() -> Value? { nil }
}

/// A value that its owner keeps alive.
final class StrongBox<Value: Sendable>: AssociationBox<Value>, @unchecked Sendable {
  private let value: Value

  init(_ value: Value) { self.value = value }

  override func load() -> Value? { value }
}

/// An object that its owner does not keep alive.
final class WeakBox<Value: AnyObject & Sendable>: AssociationBox<Value>, @unchecked Sendable {
  private weak let value: Value?

  init(_ value: Value) { self.value = value }

  override func load() -> Value? { value }
}
