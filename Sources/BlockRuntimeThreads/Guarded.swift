public import Synchronization

// SAFETY: `@unchecked Sendable`: by the contract of `access(_:)`, no two accesses overlap. The value
// need not be Sendable, as that of a `Locked`.
/// A value whose accesses other code keeps apart: a lock that guards many values, or a state that
/// one thread only can have reached.
///
/// It is stored inline. The compiler's dynamic checks of exclusive access, which stored properties
/// of classes have, cost more than a short access itself.
@safe public struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let value: _Cell<Value>

  /// Stores a value.
  @inlinable
  public init(_ value: consuming Value) { self.value = _Cell(value) }

  /// Calls a closure with access to the value.
  ///
  /// ## Safety
  /// No other access to the value, by this thread or another one, may overlap this one, and each
  /// must happen before or after it: the closure should run no code of others.
  @inlinable @inline(__always) @unsafe
  public borrowing func access<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the cell lives as long as `self`, which is borrowed.
    let value = unsafe value._address
    return try unsafe body(&value.pointee)
  }
}
