private import BlockRuntimeThreads
internal import Invocations
private import Synchronization
internal import TypeEncodings

/// The code that a method runs, with its signature: `IMP`.
///
/// Messages of the same Swift types call the Swift closure directly; all others go through a call
/// frame, like calls from C.
@usableFromInline
class Implementation: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the lock guards `made`; the other properties, also of all
  // subclasses, are immutable.

  /// The types of the messages that `EnteredMethod.callHooked` takes: those of a hooked method whose
  /// types are numbers, and those that ignore its answer.
  ///
  /// They are addresses of classes of implementations; 0 for other methods.
  @usableFromInline final let hookedTypes: (exactly: UInt, ignoringAnswer: UInt)

  /// Whether the implementation is never freed: then messages run it without a hazard pointer.
  ///
  /// The methods of a Swift class's table are permanent.
  final var isPermanent: Bool { made.withLock { $0.isPermanent } }

  /// Makes the implementation permanent; to be called before any message can find it.
  final func makePermanent() {
    let isFirst = made.withLock { made in
      defer { made.isPermanent = true }
      return !made.isPermanent
    }
    // SAFETY: the reference is never released.
    if isFirst { _ = unsafe Unmanaged.passRetained(self) }
  }

  private struct Made {
    var entry: CallEntry?
    var isPermanent = false
  }

  private let made = Locked(Made())

  /// The address of the interface, retained; 0 until it is made.
  private let madeInterface = Atomic<UInt>(0)

  init(hookedTypes numbers: MethodNumbers? = nil) {
    hookedTypes = (
      numbers.map { UInt(bitPattern: $0.implementation) } ?? 0,
      numbers.map { UInt(bitPattern: $0.ignoringOutcome) } ?? 0
    )
  }

  deinit {
    // SAFETY: the reference is this object's.
    if let address = unsafe UnsafeRawPointer(bitPattern: madeInterface.load(ordering: .acquiring)) {
      unsafe Unmanaged<CallInterface>.fromOpaque(address).release()
    }
  }

  /// The signature, receiver and selector included.
  ///
  /// - Throws: `invalidMethod`, `invalidSignature`.
  func makeSignature() throws(MessageError) -> MethodSignature {
    throw MessageError(.invalidMethod, "an implementation without a signature")
  }

  /// Runs the implementation in a call.
  func run(_ frame: inout CallFrame) throws {}

  /// The reason why instances of a class cannot be receivers; nil if they can.
  func refusal(of receiverClass: AnyClass) -> String? { nil }

  /// Whether the implementation is a closure of Swift types.
  var isTyped: Bool { false }

  /// The types of the arguments and of the result, if all are numbers; nil for what is no closure of
  /// Swift types.
  var numbers: MethodNumbers? { nil }

  /// Whether a call runs the override of the receiver's class, like a Swift call.
  var dispatchesDynamically: Bool { false }

  /// Calls a closure with the call interface, which is not retained: calls on several threads share
  /// it.
  ///
  /// - Throws: As `interface`.
  @inline(__always)
  final func withInterface<Outcome>(
    _ body: (CallInterface) -> Outcome
  ) throws(MessageError) -> Outcome {
    // SAFETY: as in `interface`; the caller keeps this object alive.
    guard
      let address = unsafe UnsafeRawPointer(bitPattern: madeInterface.load(ordering: .acquiring))
    else { return body(try interface) }
    return unsafe Unmanaged<CallInterface>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  /// The call interface of the signature.
  ///
  /// - Throws: `invalidMethod`, `invalidSignature`, `unsupportedType`.
  final var interface: CallInterface {
    get throws(MessageError) {
      // SAFETY: the word has the address of an interface that this object retains, if any, which
      // was complete before it was stored.
      if let address = unsafe UnsafeRawPointer(bitPattern: madeInterface.load(ordering: .acquiring))
      {
        return unsafe Unmanaged<CallInterface>.fromOpaque(address).takeUnretainedValue()
      }
      let interface = try makeInterface()
      let made = unsafe Unmanaged.passRetained(interface)
      let (isFirst, other) = unsafe madeInterface.compareExchange(
        expected: 0, desired: UInt(bitPattern: made.toOpaque()), ordering: .acquiringAndReleasing)
      if isFirst { return interface }
      unsafe made.release()
      return unsafe UnsafeRawPointer(bitPattern: other).map {
        unsafe Unmanaged<CallInterface>.fromOpaque($0).takeUnretainedValue()
      } ?? interface
    }
  }

  func makeInterface() throws(MessageError) -> CallInterface {
    let signature = try makeSignature()
    do { return try CallInterface.cached(for: signature) } catch {
      throw MessageError(error, nil)
    }
  }

  /// The address of code that runs the implementation; created at the first call, and valid while
  /// this object lives.
  ///
  /// - Throws: `noExecutableMemory`, `invalidMethod`, `invalidSignature`, `unsupportedType`.
  func code() throws(MessageError) -> UnsafeRawPointer {
    let interface = try interface
    // SAFETY: an entry is never replaced, so its code is valid as long as this object.
    if let entry = made.withLock({ $0.entry }) { return unsafe entry.code }
    // The closure must not retain this object, which owns the code.
    let handler = CallHandler(onError: ThrownErrors.receive) { [unowned self] frame in
      try run(&frame)
    }
    let entry: CallEntry
    do {
      entry = try CallEntry(
        interface, receiver: CallReceiver(interface, hiddenArgumentCount: 0, first: handler),
        .ownCode)
    } catch {
      throw MessageError(error, nil)
    }
    return unsafe made.withLock { made in
      if made.entry == nil { made.entry = entry }
      return unsafe (made.entry ?? entry).code
    }
  }
}

/// A closure of Swift types, as one that takes its arguments in memory.
@usableFromInline
class ClosureImplementation: Implementation, @unchecked Sendable {
  fileprivate final let bodyInMemory: BodyInMemory

  init(_ bodyInMemory: BodyInMemory) {
    self.bodyInMemory = bodyInMemory
    super.init()
  }

  final override var isTyped: Bool { true }

  /// Runs the closure of the implementation at an address.
  ///
  /// - Returns: The error that it threw, or that C code has received from a method.
  ///
  /// ## Safety
  /// The caller must protect or retain the implementation, which must be of this class, and the
  /// object at the address of the receiver; the memory must be as `BodyInMemory.run` requires.
  @unsafe
  @inline(__always)
  static func run(
    _ address: UnsafeRawPointer, _ receiver: UnsafeRawPointer, _ arguments: UnsafeRawPointer,
    _ outcome: UnsafeMutableRawPointer
  ) -> (any Error)? {
    unsafe Unmanaged<ClosureImplementation>.fromOpaque(address)._withUnsafeGuaranteedRef { method in
      unsafe Unmanaged<AnyObject>.fromOpaque(receiver)._withUnsafeGuaranteedRef { receiver in
        ThrownErrors.collect { unsafe try method.bodyInMemory.run(receiver, arguments, outcome) }
      }
    }
  }
}

/// An implementation whose arguments have Swift types.
@usableFromInline
class ArgumentsImplementation<Arguments>: ClosureImplementation, @unchecked Sendable {
  /// Runs the implementation and ignores its result.
  func callDroppingResult(_ receiver: AnyObject, _ arguments: Arguments) throws {}
}

/// A Swift closure as an implementation.
@usableFromInline
final class TypedImplementation<Arguments, Outcome>: ArgumentsImplementation<Arguments>,
  @unchecked Sendable
{
  @usableFromInline typealias Body = @Sendable (AnyObject, Arguments) throws -> Outcome

  @usableFromInline let body: Body
  private let receiverClass: AnyClass
  private let isReference: Bool
  private let argumentTypes: Result<ArgumentTypes, MessageError>

  /// The arguments, if all are numbers.
  private let numberArguments: NumberArguments?
  private let number = ScalarKind(of: Outcome.self)
  private let hasResult = Outcome.self != Void.self
  private let isAsync = Outcome.self is any AnyAsyncAnswer.Type

  init(
    of receiverClass: AnyClass, isReference: Bool, _ body: @escaping Body,
    _ bodyInMemory: BodyInMemory
  ) {
    self.receiverClass = receiverClass
    self.isReference = isReference
    self.body = body
    argumentTypes = Result { () throws(MessageError) in try ArgumentTypes.of(Arguments.self) }
    numberArguments = try? argumentTypes.get().numbers
    super.init(bodyInMemory)
  }

  override var numbers: MethodNumbers? {
    guard let arguments = try? argumentTypes.get(), number != .none || !hasResult else {
      return nil
    }
    return MethodNumbers(
      implementation: ObjectIdentifier(Self.self),
      ignoringOutcome: ObjectIdentifier(TypedImplementation<Arguments, Void>.self), result: number,
      elements: arguments.arguments.map { ($0.offset, $0.number) })
  }

  override var dispatchesDynamically: Bool { isReference }

  override func refusal(of receiverClass: AnyClass) -> String? {
    Self.inherits(receiverClass, from: self.receiverClass)
      ? nil : "a method of \(self.receiverClass) is not a method of \(receiverClass)"
  }

  override func makeSignature() throws(MessageError) -> MethodSignature {
    try argumentTypes.get().signature(returning: Outcome.self)
  }

  override func callDroppingResult(_ receiver: AnyObject, _ arguments: Arguments) throws {
    let outcome = try body(receiver, arguments)
    if isAsync { (outcome as? any AnyAsyncAnswer)?.start() }
  }

  override func run(_ frame: inout CallFrame) throws {
    let receiver = try receiver(of: frame)
    let isNumber = number != .none && frame.withInterface { number == $0.resultNumber }
    if let numberArguments, isNumber || !hasResult,
      try numberArguments.run(bodyInMemory, receiver, &frame, hasResult: hasResult)
    {
      return
    }
    let outcome = try argumentTypes.get().withArguments(Arguments.self, &frame) {
      try body(receiver, $0)
    }
    guard Outcome.self != Void.self else { return }
    if isNumber {
      var word: UInt64 = 0
      // SAFETY: the result is a number of the kind, of at most eight bytes.
      unsafe withUnsafeBytes(of: outcome) { bytes in
        unsafe withUnsafeMutableBytes(of: &word) { unsafe $0.copyBytes(from: bytes) }
      }
      if frame.setResultWord(word) { return }
    }
    try frame.storeResult(outcome)
  }

  /// Returns argument 0, which must be an instance of the method's class.
  private func receiver(of frame: borrowing CallFrame) throws -> AnyObject {
    // SAFETY: argument 0 of a method is an object or null, and the caller keeps it alive.
    let place = unsafe frame.memory.argumentAddress(0)
    guard let address = unsafe place.load(as: UnsafeRawPointer?.self) else {
      throw MessageError(.deadReceiver, "argument 0: the receiver is nil", argument: 0)
    }
    let receiver = unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    guard Self.inherits(Swift.type(of: receiver), from: receiverClass) else {
      throw MessageError(
        .typeMismatch,
        "argument 0: the receiver is a \(Swift.type(of: receiver)), the method is one of "
          + "\(receiverClass)", argument: 0)
    }
    return receiver
  }
}

extension Implementation {
  /// Whether a class is another, or inherits from it.
  final class func inherits(_ type: AnyClass, from other: AnyClass) -> Bool {
    // The receiver class of methods that accept any object.
    if other == AnyObject.self { return true }
    var type: AnyClass? = type
    while let current = type {
      if current == other { return true }
      type = _getSuperclass(current)
    }
    return false
  }
}
