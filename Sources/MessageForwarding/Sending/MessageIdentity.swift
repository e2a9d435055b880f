/// What the methods of a receiver are found by: the address of its class, or a number that stands for
/// a class made at run time. Only this library makes them.
public struct MessageIdentity: Hashable, Sendable {
  @usableFromInline let value: UInt

  @inlinable
  @inline(__always)
  init(_ value: UInt) { self.value = value }
}
