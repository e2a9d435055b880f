private import BlockRuntimeThreads
public import Invocations
public import TypeEncodings

/// A class as an object: its class methods, and the methods of its instances.
///
/// There is one class object for each Swift class that receives messages; a `DynamicClass` is
/// itself a class object. A class object is a receiver too: messages to it run class methods.
///
/// The corresponding Objective-C type is `Class`.
public class ClassObject: MessageReceiver, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties are immutable; the dictionaries are guarded by
  // their own lock.

  /// The class's name.
  public let name: String

  /// The class from which methods are inherited: `class_getSuperclass`.
  public let superclass: ClassObject?

  /// The Swift class; nil for a dynamic class.
  public let swiftClass: AnyClass?

  let instanceMethods: MethodDictionary
  let classMethods: MethodDictionary

  init(
    _ name: String, _ superclass: ClassObject?, _ swiftClass: AnyClass?, address: UInt?,
    _ methods: [Method], as objectClass: ClassObject.Type = ClassObject.self
  ) {
    self.name = name
    self.superclass = superclass
    self.swiftClass = swiftClass
    instanceMethods = MethodDictionary(
      address, of: swiftClass ?? DynamicObject.self, inheriting: superclass?.instanceMethods)
    classMethods = MethodDictionary(
      of: objectClass, inheriting: superclass?.classMethods)
    for method in methods {
      method.implementation.makePermanent()
      let dictionary = dictionary(of: method)
      dictionary.set(method.implementation, method.selector, replacing: true)
      let called = method.setCalls.map { set in
        CalledMethod(method.selector, method.implementation, in: dictionary, set)
      }
      dictionary.setBody(called, method.selector)
    }
  }

  /// No methods: a class object has the class methods that its class declares.
  public static var methods: MethodTable { MethodTable(ClassObject.self) }

  /// The key by which the class methods are found.
  public var _messageIdentity: MessageIdentity { MessageIdentity(classMethods.identity) }

  /// The class itself.
  public var _messageClass: MessageClass { MessageClass(of: self, isClassItself: true) }

  /// Calls `resolveOwnMethod(_:)`.
  public func _resolve(_ selector: Selector) -> Bool { resolveOwnMethod(selector) }

  /// Calls `resolveClassMethod(_:)` of the Swift class: `+resolveClassMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether a class method was added.
  public func resolveOwnMethod(_ selector: Selector) -> Bool {
    (swiftClass as? any MessageReceiver.Type)?.resolveClassMethod(selector) ?? false
  }

  func dictionary(of method: Method) -> MethodDictionary {
    method.isClassMethod ? classMethods : instanceMethods
  }

  // MARK: - Swift classes

  private static let known = Locked<[ObjectIdentifier: ClassObject]>([:])

  /// The class object of a Swift class.
  ///
  /// - Parameter type: The class; if its Swift superclass receives messages, methods are inherited
  ///   from that.
  /// - Returns: The same object every time.
  public static func of(_ type: any MessageReceiver.Type) -> ClassObject {
    known.value(for: ObjectIdentifier(type)) {
      // SAFETY: a class reference is the address of the class's metadata, which is only compared:
      // the instances of the class begin with it.
      let address = unsafe UInt(
        bitPattern: unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self))
      let superclass = (_getSuperclass(type) as? any MessageReceiver.Type).map { of($0) }
      let table = type.methods
      return ClassObject(
        "\(type)", superclass, type, address: address,
        table.owner == type ? table.methods : [])
    }
  }
}

extension ClassObject {
  /// Whether this class is a given class, or inherits from it.
  ///
  /// - Parameter other: The other class.
  /// - Returns: True if it is the same class or a superclass.
  public func isSubclass(of other: ClassObject) -> Bool {
    self === other || superclass?.isSubclass(of: other) ?? false
  }

  /// The names of the instance methods that the class does not inherit, in alphabetical order:
  /// `class_copyMethodList`.
  public var methodNames: [String] { instanceMethods.ownSelectors.map(\.name).sorted() }

  /// The names of the class methods that the class does not inherit, in alphabetical order.
  public var classMethodNames: [String] { classMethods.ownSelectors.map(\.name).sorted() }

  /// Whether instances have a method for a message: `class_respondsToSelector`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether they have one; forwarding does not count.
  public func instancesRespond(to selector: Selector) -> Bool {
    instanceMethods.effective(selector) != nil
  }

  /// The signature of the instances' method: `class_getInstanceMethod`, `method_getTypeEncoding`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The signature; nil if there is no such method, or it is invalid.
  public func instanceMethodSignature(for selector: Selector) -> MethodSignature? {
    try? instanceMethods.implementation(selector)?.implementation.interface.signature
  }
}

extension ClassObject: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
