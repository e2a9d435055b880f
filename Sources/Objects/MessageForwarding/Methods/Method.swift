public import BlockABI
public import Invocations
public import TypeEncodings

/// One method: a selector with the implementation that its messages run.
///
/// ```swift
/// Method("didLoad:", Page.didLoad)                        // a method reference
/// Method("add:to:") { (self: Page, a: Int32, b: Int32) in a + b }
/// Method.property("title", \Page.title)                   // title and setTitle:
/// ```
///
/// The signature is derived from the Swift types: numbers, pointers, objects and structures of C
/// types are passed as in C, values of every other type in an object that holds the value. A
/// selector has one colon for each argument.
///
/// A method reference runs the override of the receiver's class, and retains and releases an object
/// at each call; a closure does neither. Closures are called on the threads that send. The reason
/// why a method is invalid is thrown when its message is sent, and by `MethodTable.validate()`.
///
/// The corresponding Objective-C type is `Method`.
public struct Method: Sendable {
  /// The name of the messages that run the method.
  public let selector: Selector

  /// Whether the method is a class method, not one of the instances.
  public internal(set) var isClassMethod = false

  let implementation: Implementation

  /// Sets what Swift calls of the method find; nil if such calls run no hooks.
  private(set) var setCalls: (@Sendable (CallHooks) -> Void)?

  init(_ selector: Selector, _ implementation: Implementation, isClassMethod: Bool = false) {
    self.selector = selector
    self.implementation = implementation
    self.isClassMethod = isClassMethod
  }

  /// The signature, receiver and selector included.
  ///
  /// - Throws: `invalidMethod`, `invalidSignature`, `unsupportedType`.
  public var signature: MethodSignature {
    get throws(MessageError) { try implementation.interface.signature }
  }

  /// The block that the method was created from, if any: `imp_getBlock`.
  public var block: Block? { (implementation as? BlockImplementation)?.block }

  /// The address of a C function that runs the method: `method_getImplementation`.
  ///
  /// Its first arguments are the receiver and the selector. Hooks are not run.
  ///
  /// An error that the method throws is thrown by the innermost message in progress on the thread;
  /// without one, it is written to standard error.
  ///
  /// - Returns: The address, valid while this value exists, or the class has the method.
  /// - Throws: `invalidMethod`, `invalidSignature`, `unsupportedType`, `noExecutableMemory`.
  ///
  /// ## Safety
  /// The code must be called with the method's signature, and with receivers of its class.
  @unsafe
  public func unsafeImplementation() throws(MessageError) -> UnsafeRawPointer {
    unsafe try implementation.code()
  }

  /// Returns the method as a class method, whose receiver is the `ClassObject`.
  public func ofClass() -> Method {
    var copy = self
    copy.isClassMethod = true
    return copy
  }

  /// Returns the method with Swift calls that run the hooks of its messages.
  ///
  /// - Parameter set: Sets the `CallSlot` that the calls ask.
  /// - Returns: The method.
  public func called(by set: @escaping @Sendable (CallHooks) -> Void) -> Method {
    var copy = self
    copy.setCalls = set
    return copy
  }

  /// Returns the method as one of an actor: messages that are sent outside of the actor are
  /// refused.
  ///
  /// In Swift 6 mode, a reference to a method of the main actor needs no such declaration. In Swift
  /// 5 mode, and for other global actors in both modes, the compiler drops the actor from the type
  /// of a reference to a method that is not async, without a diagnostic: undeclared, the method is
  /// called on the sender's thread. For an `actor` itself, list closures: the compiler refuses
  /// references to its methods.
  ///
  /// - Parameter actor: The actor, such as `Painter.shared`; nil for none, which `#isolation` is
  ///   outside of actors.
  /// - Returns: The method; a message sent outside of the actor throws `wrongExecutor`.
  public func isolated(to actor: (any Actor)?) -> Method {
    guard let actor, self.actor !== actor else { return self }
    var copy = Method(
      selector, IsolatedImplementation(implementation, actor, selector),
      isClassMethod: isClassMethod)
    copy.setCalls = setCalls
    return copy
  }

  /// The actor to which the method is isolated.
  var actor: (any Actor)? { (implementation as? IsolatedImplementation)?.actor }

  /// Creates a method of any signature from a closure that is called with the frame of the call.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - encoding: The signature with receiver and selector, such as `i@:i`.
  ///   - body: Runs at every call: argument 0 is the receiver, 1 the selector. Its errors are
  ///     thrown to the sender.
  public init(
    _ selector: Selector, signature encoding: String,
    frame body: @escaping @Sendable (_ call: inout CallFrame) throws -> Void
  ) {
    self.init(
      selector,
      FrameImplementation(
        Result { () throws(MessageError) in try MethodSignature(method: selector, encoding) }, body)
    )
  }

  /// Creates a method from a block, which is called with the receiver and the arguments:
  /// `imp_implementationWithBlock`.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - block: The block; it must be safe to call from every thread that sends.
  public init(_ selector: Selector, block: Block) {
    self.init(selector, BlockImplementation(block, .receiverAndArguments))
  }

  /// Creates a method from a C function, which is called with the receiver, the selector and the
  /// arguments: `IMP`.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - function: The function.
  public init(_ selector: Selector, function: CFunction) {
    guard function.signature.form == .method else {
      self.init(
        selector,
        Implementation.invalid(
          "a method's function begins with a receiver and a selector (@:), but it is "
            + "\(function.signature)", selector))
      return
    }
    self.init(selector, FunctionImplementation(function))
  }

  /// Creates a method from a closure of Swift types.
  @usableFromInline
  init<Arguments, Outcome>(
    _ selector: Selector, _ receiver: AnyClass, isReference: Bool,
    _ argumentTypes: [Any.Type],
    _ body: @escaping @Sendable (AnyObject, Arguments) throws -> Outcome
  ) {
    self.selector = selector
    implementation =
      Self.refusal(selector, argumentTypes, Outcome.self)
      ?? TypedImplementation(of: receiver, isReference: isReference, body)
  }

  /// The implementation that throws why the Swift types cannot be a method's; nil if they can.
  private static func refusal(
    _ selector: Selector, _ argumentTypes: [Any.Type], _ result: Any.Type
  ) -> Implementation? {
    if let error = selector.mismatch(argumentTypes.count, takenBy: "the method") {
      return .invalid(error)
    }
    if let tuple = argumentTypes.first(where: { TupleElements.isTuple($0) }) {
      return .invalid("\(tuple) cannot be one argument; declare a struct", selector)
    }
    if let block = (argumentTypes + [result]).first(where: { BlockType.isBlock(any: $0) }) {
      return .invalid("\(block) is a block type; declare a Block", selector)
    }
    return nil
  }
}

extension Method {
  /// Creates the methods of a property: its getter, and its setter if the property can be set.
  ///
  /// - Parameters:
  ///   - name: The getter's selector, such as `title`; the setter's is then `setTitle:`.
  ///   - keyPath: The property.
  /// - Returns: The methods.
  public static func property<Receiver: AnyObject, Value>(
    _ name: Selector, _ keyPath: any KeyPath<Receiver, Value> & Sendable
  ) -> [Method] {
    let getter = Method(name) { (receiver: Receiver) -> Value in receiver[keyPath: keyPath] }
    guard let writable = keyPath as? ReferenceWritableKeyPath<Receiver, Value> else {
      return [getter]
    }
    // SAFETY: the key path is the same object as `keyPath`, which is Sendable.
    nonisolated(unsafe) let path = writable
    let setter = Selector(setterOf: name)
    return [
      getter,
      Method(setter) { (receiver: Receiver, value: Value) in receiver[keyPath: unsafe path] = value
      },
    ]
  }
}

extension Selector {
  /// Creates the selector of a property's setter from that of its getter: `setTitle:` for `title`.
  ///
  /// - Parameter getter: The getter's selector.
  public init(setterOf getter: Selector) {
    let name = getter.name
    self.init("set" + name.prefix(1).uppercased() + name.dropFirst() + ":")
  }
}

extension Selector {
  /// The error for a number of arguments that differs from that of the name's colons; nil if they
  /// agree.
  func mismatch(_ count: Int, takenBy taker: String) -> MessageError? {
    if count == argumentCount { return nil }
    return MessageError(
      .invalidMethod, of: self,
      "the name has \(argumentCount.of("colon")), \(taker) takes \(count.of("argument")); a "
        + "selector has one for each")
  }
}

extension MethodSignature {
  /// Reads the encoding of a method.
  ///
  /// - Throws: `invalidSignature`, `invalidMethod`.
  init(method selector: Selector, _ encoding: String) throws(MessageError) {
    do throws(TypeEncodingError) {
      self = try MethodSignature(parsing: encoding)
    } catch {
      throw MessageError(
        .init(rawValue: "invalidSignature"), of: selector, error.message, underlying: error)
    }
    guard form == .method else {
      throw MessageError(
        .invalidMethod, of: selector,
        "a method's signature begins with a receiver and a selector (@:), but it is \(self)")
    }
    let taker = "the signature \(self)"
    if let error = selector.mismatch(arguments.count - 2, takenBy: taker) { throw error }
  }
}
