internal import Invocations
internal import TypeEncodings

/// An implementation by a Swift closure of any types, which is called by the closure's code.
@usableFromInline
class ClosureImplementation: Implementation, @unchecked Sendable {
  /// The code of a closure that the subclass retains.
  fileprivate final let closure: ClosureCode

  init(_ closure: ClosureCode, layer: (mark: HandlerMark, inner: Implementation)?) {
    self.closure = closure
    super.init(layer: layer)
  }

  final override var isTyped: Bool { true }

  /// Runs the closure of the implementation at an address.
  ///
  /// - Returns: The error that it threw, or that C code has received from a method.
  ///
  /// ## Safety
  /// The caller must protect or retain the implementation, which must be of this class, and the
  /// object at the address of the receiver; the memory must be as `ClosureCode.run` requires.
  @unsafe
  @inline(__always)
  static func run(
    _ address: UnsafeRawPointer, _ receiver: UnsafeRawPointer, _ arguments: UnsafeRawPointer,
    _ outcome: UnsafeMutableRawPointer
  ) -> (any Error)? {
    unsafe Unmanaged<ClosureImplementation>.fromOpaque(address)._withUnsafeGuaranteedRef { method in
      unsafe Unmanaged<AnyObject>.fromOpaque(receiver)._withUnsafeGuaranteedRef { receiver in
        ThrownErrors.collect(from: { unsafe method.closure.run(receiver, arguments, outcome) })
      }
    }
  }
}

/// An implementation by a Swift closure with given argument types, and any result.
@usableFromInline
class ArgumentsImplementation<Arguments>: ClosureImplementation, @unchecked Sendable {
  /// Runs the implementation and ignores its result.
  func callDroppingResult(_ receiver: AnyObject, _ arguments: Arguments) throws {}
}

/// An implementation by a Swift closure with given argument types and a given result type.
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
    layer: (mark: HandlerMark, inner: Implementation)? = nil
  ) {
    self.receiverClass = receiverClass
    self.isReference = isReference
    self.body = body
    argumentTypes = Result { () throws(MessageError) in try ArgumentTypes.of(Arguments.self) }
    numberArguments = try? argumentTypes.get().numbers
    super.init(ClosureCode(of: body), layer: layer)
  }

  override var numbers: MethodNumbers? {
    guard let arguments = try? argumentTypes.get(), number != .none || !hasResult else {
      return nil
    }
    return MethodNumbers(
      implementation: ObjectIdentifier(Self.self),
      ignoringOutcome: ObjectIdentifier(TypedImplementation<Arguments, Void>.self), result: number,
      elements: arguments.elements)
  }

  override var types: MethodTypes? { try? argumentTypes.get().types(returning: Outcome.self) }

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
    try running { try $0 === self ? runBody(&frame) : $0.run(&frame) }
  }

  private func runBody(_ frame: inout CallFrame) throws {
    let receiver = try receiver(of: frame)
    let isNumber = number != .none && frame.withInterface { number == $0.resultNumber }
    if let numberArguments, isNumber || !hasResult,
      try numberArguments.run(closure, receiver, &frame, hasResult: hasResult)
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
