private import BlockRuntimeThreads

/// A class made at run time, whose instances are `DynamicObject`s: `objc_allocateClassPair`.
///
/// ```swift
/// let shape = try DynamicClass("Shape")
/// shape.addMethod(Method("area", signature: "d@:") { try $0.setResult(2.5) })
/// try shape.register()
/// let area: Double = try shape.makeInstance().send("area")
/// ```
///
/// A class is allocated, given methods, registered, instantiated and, when it has neither instances
/// nor subclasses any more, disposed of. Methods can be added and hooked at any time before that.
/// All functions may be called from any thread.
public final class DynamicClass: ClassObject, @unchecked Sendable {
  private enum Phase { case allocated, registered, disposed }

  private struct State {
    var phase = Phase.allocated
    var instanceCount = 0
    var subclassCount = 0
    /// Whether the superclass counts the class.
    var isCounted: Bool
  }

  // SAFETY: `@unchecked Sendable`: as for the superclass; the lock guards the state.
  private let state: Locked<State>

  private static let names = Locked<[String: WeakClass]>([:])

  private struct WeakClass { weak var value: DynamicClass? }

  /// Allocates a class.
  ///
  /// - Parameters:
  ///   - name: The name, which must differ from those of all dynamic classes not disposed of.
  ///   - superclass: The class from which methods are inherited; it must be registered.
  /// - Throws: `classState`.
  public init(_ name: String, superclass: DynamicClass? = nil) throws(MessageError) {
    if let superclass { try superclass.countSubclasses(1) }
    state = Locked(State(isCounted: superclass != nil))
    super.init(name, superclass, nil, address: nil, [], as: DynamicClass.self)
    // Returned from the lock, because this may become the last reference to the other class.
    let other = Self.names.withLock { names in
      let other = names[name]?.value
      if other == nil { names[name] = WeakClass(value: self) }
      return other
    }
    guard other == nil else {
      throw MessageError(
        .classState, "there is a dynamic class \(name) already; dispose of it first")
    }
  }

  deinit {
    let other = Self.names.withLock { names in
      let other = names[name]?.value
      if other == nil { names[name] = nil }
      return other
    }
    withExtendedLifetime(other) {}
    instanceMethods.removeAll()
    classMethods.removeAll()
    leaveSuperclass()
  }

  /// The registered dynamic class of a name: `objc_lookUpClass`.
  ///
  /// - Parameter name: The name.
  /// - Returns: The class; nil if there is none, or it is not registered.
  public static func named(_ name: String) -> DynamicClass? {
    let found = names.withLock { $0[name]?.value }
    guard let found, found.isRegistered else { return nil }
    return found
  }

  /// Whether the class can have instances.
  public var isRegistered: Bool { state.withLock { $0.phase == .registered } }

  /// How many instances are alive.
  public var instanceCount: Int { state.withLock { $0.instanceCount } }

  /// Registers the class, which can then have instances: `objc_registerClassPair`.
  ///
  /// - Throws: `classState` if the class is registered or disposed of.
  public func register() throws(MessageError) {
    try state.withLock { state throws(MessageError) in
      guard state.phase == .allocated else { throw wrong("is \(state.phase) already") }
      state.phase = .registered
    }
  }

  /// Makes an instance: `class_createInstance`.
  ///
  /// - Throws: `classState` if the class is not registered.
  public func makeInstance() throws(MessageError) -> DynamicObject {
    try state.withLock { state throws(MessageError) in
      guard state.phase == .registered else {
        throw wrong("is \(state.phase); instances are made of registered classes")
      }
      state.instanceCount += 1
    }
    return DynamicObject(self)
  }

  /// Ends the class, and removes its methods and hooks: `objc_disposeClassPair`.
  ///
  /// - Throws: `classState` if there are instances or subclasses, or the class is disposed of
  ///   already.
  public func dispose() throws(MessageError) {
    try state.withLock { state throws(MessageError) in
      guard state.phase != .disposed else { throw wrong("is disposed of already") }
      guard state.instanceCount == 0, state.subclassCount == 0 else {
        throw wrong(
          "has \(state.instanceCount) instances and \(state.subclassCount) subclasses; release "
            + "them first")
      }
      state.phase = .disposed
    }
    Self.names.withLock { $0[name] = nil }
    instanceMethods.removeAll()
    classMethods.removeAll()
    leaveSuperclass()
  }

  private func leaveSuperclass() {
    let isFirst = state.withLock { exchange(&$0.isCounted, with: false) }
    if isFirst { try? (superclass as? DynamicClass)?.countSubclasses(-1) }
  }

  func instanceEnded() { state.withLock { $0.instanceCount -= 1 } }

  private func countSubclasses(_ difference: Int) throws(MessageError) {
    try state.withLock { state throws(MessageError) in
      guard difference < 0 || state.phase == .registered else {
        throw wrong("is \(state.phase); subclasses are made of registered classes")
      }
      state.subclassCount += difference
    }
  }

  private func wrong(_ text: String) -> MessageError {
    MessageError(.classState, "the class \(name) \(text)")
  }
}

/// An instance of a class made at run time.
///
/// It has no stored properties: use an `AssociationKey` for each value.
public final class DynamicObject: MessageReceiver, Sendable {
  /// The class: `object_getClass`.
  public let dynamicClass: DynamicClass

  init(_ dynamicClass: DynamicClass) { self.dynamicClass = dynamicClass }

  deinit { dynamicClass.instanceEnded() }

  /// No methods: an object has the methods of its dynamic class.
  public static var methods: MethodTable { MethodTable(DynamicObject.self) }

  /// The key by which the dynamic class's methods are found.
  public var _messageIdentity: MessageIdentity {
    MessageIdentity(dynamicClass.instanceMethods.identity)
  }

  /// The dynamic class.
  public var _messageClass: MessageClass { MessageClass(of: dynamicClass) }
}
