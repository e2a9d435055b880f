/// What the methods of a receiver are found by; only this library makes them.
///
/// It is the address of the receiver's class, or a number that stands for a class made at run time.
public struct MessageIdentity: Hashable, Sendable {
  @usableFromInline let value: UInt

  @inlinable
  @inline(__always)
  init(_ value: UInt) { self.value = value }
}
