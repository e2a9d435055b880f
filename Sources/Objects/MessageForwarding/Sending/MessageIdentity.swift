/// The key by which a receiver's methods are found; only this library creates it.
///
/// It is the address of the receiver's class, or the number of a class that was made at run time.
public struct MessageIdentity: Hashable, Sendable {
  @usableFromInline let value: UInt

  @inlinable
  @inline(__always)
  init(_ value: UInt) { self.value = value }
}

/// The class of a receiver, as messages use it; only this library creates it.
public struct MessageClass: Sendable {
  /// The class that the receiver is an instance of; for a class object, the class itself.
  let own: ClassObject

  /// Whether the receiver is the class itself.
  let isClassItself: Bool

  /// The dictionary of the receiver's methods.
  let methods: MethodDictionary

  init(of own: ClassObject, isClassItself: Bool = false, methods: MethodDictionary? = nil) {
    self.own = own
    self.isClassItself = isClassItself
    self.methods = methods ?? (isClassItself ? own.classMethods : own.instanceMethods)
  }
}
