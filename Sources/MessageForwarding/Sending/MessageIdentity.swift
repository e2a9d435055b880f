/// What the methods of a receiver are found by; only this library makes them.
///
/// It is the address of the receiver's class, or a number that stands for a class made at run time.
public struct MessageIdentity: Hashable, Sendable {
  @usableFromInline let value: UInt

  @inlinable
  @inline(__always)
  init(_ value: UInt) { self.value = value }
}

/// What a receiver is to messages; only this library makes them.
public struct MessageClass: Sendable {
  /// The class that the receiver is an instance of; of a class object the class itself.
  let own: ClassObject

  /// Whether the receiver is the class itself.
  let isClassItself: Bool

  /// Where the receiver's methods are.
  let methods: MethodDictionary

  init(of own: ClassObject, isClassItself: Bool = false, methods: MethodDictionary? = nil) {
    self.own = own
    self.isClassItself = isClassItself
    self.methods = methods ?? (isClassItself ? own.classMethods : own.instanceMethods)
  }

  /// What errors call the receiver.
  var receiverName: String {
    isClassItself ? "the class \(own.name)" : "an instance of \(own.name)"
  }
}
