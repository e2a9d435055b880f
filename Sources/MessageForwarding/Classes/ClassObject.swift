private import BlockRuntimeThreads
public import Invocations
public import TypeEncodings

/// A class, as messages see it: what it answers itself, and what its instances do.
///
/// There is one for each Swift class that declares methods, and one for each `DynamicClass`. It is a
/// receiver itself: messages to it run class methods.
///
/// The corresponding Objective-C type is `Class`.
public class ClassObject: MessageReceiver, @unchecked Sendable {
  // SAFETY: everything is immutable, but for the dictionaries, which have their lock.

  /// The class's name.
  public let name: String

  /// The class that methods are inherited from: `class_getSuperclass`.
  public let superclass: ClassObject?

  /// The Swift class; nil for a dynamic class.
  public let swiftClass: AnyClass?

  let instanceMethods: MethodDictionary
  let classMethods: MethodDictionary

  init(
    _ name: String, _ superclass: ClassObject?, _ swiftClass: AnyClass?, address: UInt?,
    _ methods: [Method]
  ) {
    self.name = name
    self.superclass = superclass
    self.swiftClass = swiftClass
    instanceMethods = MethodDictionary(
      address, of: swiftClass ?? DynamicObject.self, inheriting: superclass?.instanceMethods)
    classMethods = MethodDictionary(
      of: swiftClass == nil ? DynamicClass.self : ClassObject.self,
      inheriting: superclass?.classMethods)
    for method in methods {
      method.implementation.makePermanent()
      dictionary(of: method).set(method.implementation, method.selector, replacing: true)
    }
  }

  /// A class object answers what its class declares as class methods.
  public static var methods: MethodTable { MethodTable(ClassObject.self) }

  /// What slots of class methods are found by.
  public var _messageIdentity: MessageIdentity { MessageIdentity(classMethods.identity) }

  /// The class itself.
  public var _messageClass: MessageClass { MessageClass(of: self, isClassItself: true) }

  /// Asks the class itself.
  public func _resolve(_ selector: Selector) -> Bool { resolveOwnMethod(selector) }

  /// Asks the class itself to make a method: `+resolveClassMethod:`.
  public func resolveOwnMethod(_ selector: Selector) -> Bool {
    (swiftClass as? any MessageReceiver.Type)?.resolveClassMethod(selector) ?? false
  }

  func dictionary(of method: Method) -> MethodDictionary {
    method.isClassMethod ? classMethods : instanceMethods
  }

  // MARK: - The classes of Swift

  private static let known = Locked<[ObjectIdentifier: ClassObject]>([:])

  /// The class object of a Swift class.
  ///
  /// - Parameter type: The class; its superclasses up to the first that declares methods count.
  /// - Returns: The same object every time.
  public static func of(_ type: any MessageReceiver.Type) -> ClassObject {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    // Every class has its own metadata, whose address its instances begin with.
    let address = unsafe UInt(
      bitPattern: unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self))
    let superclass = (_getSuperclass(type) as? any MessageReceiver.Type).map { of($0) }
    let table = type.methods
    let made = ClassObject(
      "\(type)", superclass, type, address: address,
      table.owner == type ? table.methods : [])
    return known.withLock { known in
      if let first = known[key] { return first }
      known[key] = made
      return made
    }
  }
}

extension ClassObject {
  /// Whether this class is another, or inherits from it: `isSubclass(of:)`.
  ///
  /// - Parameter other: The other class.
  /// - Returns: Whether it is.
  public func isSubclass(of other: ClassObject) -> Bool {
    self === other || superclass?.isSubclass(of: other) ?? false
  }

  /// The names of the methods that instances answer and that the class does not inherit, in
  /// alphabetical order: `class_copyMethodList`.
  public var methodNames: [String] { instanceMethods.ownSelectors.map(\.name).sorted() }

  /// The names of the messages that the class itself answers and that it does not inherit.
  public var classMethodNames: [String] { classMethods.ownSelectors.map(\.name).sorted() }

  /// Whether instances answer a message, forwarding aside: `class_respondsToSelector`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether they do.
  public func instancesRespond(to selector: Selector) -> Bool {
    instanceMethods.effective(selector) != nil
  }

  /// The signature of the instances' method: `class_getInstanceMethod`, `method_getTypeEncoding`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Nil if there is no such method, or if it cannot be one.
  public func instanceMethodSignature(for selector: Selector) -> MethodSignature? {
    try? instanceMethods.implementation(selector)?.implementation.interface.signature
  }
}

extension ClassObject: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
