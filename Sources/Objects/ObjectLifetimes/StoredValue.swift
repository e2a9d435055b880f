internal import IsolatedClosures

/// A value that belongs to an object, without its type.
@usableFromInline
enum StoredValue: Sendable {
  /// The bytes of a trivial value of at most 8 bytes, which needs no memory of its own.
  case bytes(UInt64)
  case box(AnyAssociationBox)

  /// Whether values of a type are stored by their bytes.
  static func isTrivial<Value>(_: Value.Type) -> Bool {
    _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<UInt64>.alignment
  }

  /// Stores a value of a type for which `isTrivial(_:)` is true by its bytes.
  static func bytes<Value>(of value: Value) -> StoredValue {
    var bytes: UInt64 = 0
    // SAFETY: the value fits, and is trivial: its bytes may be copied, and need not be destroyed.
    unsafe withUnsafeMutablePointer(to: &bytes) {
      unsafe UnsafeMutableRawPointer($0).storeBytes(of: value, as: Value.self)
    }
    return .bytes(bytes)
  }
}

extension StoredValue: Equatable {
  /// Whether two values are in the same box, or have the same bytes.
  @usableFromInline
  static func == (first: Self, second: Self) -> Bool {
    switch (first, second) {
    case (.bytes(let first), .bytes(let second)): first == second
    case (.box(let first), .box(let second)): first === second
    default: false
    }
  }
}

// MARK: - Boxes

// SAFETY: `@unchecked Sendable`, as are its subclasses: all stored properties are immutable. Values
// of a type that is not Sendable are only in an `IsolatedBox`, which gives them only to the code
// that they belong to.
/// A value that belongs to an object, in memory of its own.
@usableFromInline
class AnyAssociationBox: @unchecked Sendable {}

/// A value that belongs to an object, with its type.
@usableFromInline
class AssociationBox<Value>: AnyAssociationBox, @unchecked Sendable {
  /// The value; nil if it was held weakly and has been destroyed.
  @usableFromInline
  func load() -> Value? { nil }
}

/// A box that is made of a value alone.
class ValueBox<Value>: AssociationBox<Value>, @unchecked Sendable {
  required init(_ value: Value) {}
}

/// A value that its owner retains.
final class StrongBox<Value>: ValueBox<Value>, @unchecked Sendable {
  private let value: Value

  required init(_ value: Value) {
    self.value = value
    super.init(value)
  }

  override func load() -> Value? { value }
}

/// An object that its owner refers to weakly.
final class WeakBox<Value: AnyObject>: ValueBox<Value>, @unchecked Sendable {
  private weak let value: Value?

  required init(_ value: Value) {
    self.value = value
    super.init(value)
  }

  override func load() -> Value? { value }
}

/// A value that only the code of one actor or one scope may use.
final class IsolatedBox<Value>: AssociationBox<Value>, @unchecked Sendable {
  private let box: IsolatedValue<AssociationBox<Value>>

  init(_ box: AssociationBox<Value>, _ isolation: Isolation) {
    self.box = IsolatedValue(box, isolation)
    super.init()
  }

  /// Checks that the calling code, which is of `user`, may use the value.
  func check(for user: Isolation) throws(IsolationError) { _ = try box.entered(for: user) }

  /// The value, for code of `user`; nil, with a report, if the value belongs to other code.
  func load(for user: Isolation) -> Value? { box.report(for: user) { $0.load() } ?? nil }

  /// The value; nil, with a report, if the calling code may not use it.
  override func load() -> Value? { box.report { $0.load() } ?? nil }
}
