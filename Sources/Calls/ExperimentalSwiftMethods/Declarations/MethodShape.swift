internal import Invocations
internal import LoadedClasses
internal import TypeEncodings

/// How a method is called: its signature as a C function, and the differences of Swift's
/// convention.
struct MethodShape: Hashable, Sendable {
  /// The receiver is argument 0, the first parameter 1.
  let signature: MethodSignature

  private let parameters: [ValueType]
  private let result: ValueType?

  /// The numbers of arguments besides the receiver that fit into registers.
  private static let integerLimit = 5
  private static let floatLimit = 8

  /// - Parameters:
  ///   - declaration: The method's declaration.
  ///   - descriptor: Its descriptor in the class's table.
  /// - Throws: `unsupportedMethod`, `unsupportedType`.
  init(
    _ declaration: MethodDeclaration, _ descriptor: MethodDescriptor
  ) throws(SwiftMethodError) {
    guard declaration.effects.isEmpty, !descriptor.isAsync else {
      throw SwiftMethodError(
        .unsupportedMethod,
        "\(declaration.name) is declared \(descriptor.isAsync ? "async" : declaration.effects); hooks need a "
          + "method that neither throws nor suspends")
    }
    guard descriptor.isInstanceMethod else {
      throw SwiftMethodError(
        .unsupportedMethod, "\(declaration.name) is a method of the class; hook an instance method")
    }
    var parameters: [ValueType] = []
    for (index, text) in declaration.parameters.enumerated() {
      let type = ValueType(text)
      if case .object = type, descriptor.kind == .setter {
        throw SwiftMethodError(
          .unsupportedType,
          "\(declaration.name) takes ownership of a \(text); only the setters of numbers and "
            + "pointers can be hooked")
      }
      guard let type else {
        throw Self.unsupported(text, "parameter \(index + 1) of \(declaration.name)")
      }
      parameters.append(type)
    }
    self.parameters = parameters
    if declaration.result == "()" {
      result = nil
    } else {
      guard let type = ValueType(declaration.result), type.isReturnable else {
        throw Self.unsupported(declaration.result, "the result of \(declaration.name)")
      }
      result = type
    }
    let floatCount = parameters.count { $0.isFloatingPoint }
    guard floatCount <= Self.floatLimit, parameters.count - floatCount <= Self.integerLimit else {
      throw SwiftMethodError(
        .unsupportedMethod,
        "\(declaration.name) takes more than \(Self.integerLimit) integers and pointers or "
          + "\(Self.floatLimit) floating-point numbers; others are passed on the stack")
    }
    signature = MethodSignature(
      result: result?.encoding ?? TypeEncoding(.primitive(.void)),
      arguments: [.init(TypeEncoding(.object(className: nil)))]
        + parameters.map { .init($0.encoding) })
  }

  private static func unsupported(_ text: Substring, _ place: String) -> SwiftMethodError {
    SwiftMethodError(
      .unsupportedType,
      "\(place) is \(text); parameters may be integers, Bool, Float, Double, pointers and objects "
        + "of classes that are not generic, private or nested, results numbers and optional pointers"
    )
  }

  /// The call interface of the method as a C function.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  var interface: CallInterface {
    get throws(SwiftMethodError) {
      do {
        return try CallInterface.cached(for: signature)
      } catch {
        throw SwiftMethodError(passing: error)
      }
    }
  }

  /// The significant bits of each integer register after the receiver's.
  var integerMasks: [UInt64] {
    let masks = parameters.filter { !$0.isFloatingPoint }.map(\.mask)
    return masks + Array(repeating: .max, count: Self.integerLimit - masks.count)
  }

  /// The significant bits of the result's register.
  var resultMask: UInt64 { result?.mask ?? .max }

  /// Checks the arguments that handlers left, because C types are weaker than Swift's.
  ///
  /// - Parameters:
  ///   - frame: The call.
  ///   - receiver: The class of the method's receiver.
  /// - Throws: `invalidValue`.
  func validate(_ frame: borrowing CallFrame, of receiver: ClassMetadata) throws {
    try Self.validate(frame, 0, .object(receiver, isOptional: false))
    for (index, type) in parameters.enumerated() {
      try Self.validate(frame, index + 1, type)
    }
  }

  private static func validate(
    _ frame: borrowing CallFrame, _ index: Int, _ type: ValueType
  ) throws {
    if case .number = type { return }
    // SAFETY: the type is not a number, so the argument's slot holds a pointer.
    let word = unsafe try frame.argumentSlot(index).address.load(as: UnsafeRawPointer?.self)
    guard let address = unsafe word else {
      if type.hasZero { return }
      throw SwiftMethodError(
        .invalidValue, "argument \(index) is nil, which its type does not allow; it was not called")
    }
    guard case .object(let expected, _) = type else { return }
    // SAFETY: the caller, or a handler, passed a reference to an object.
    let found = unsafe ClassMetadata(ofObjectAt: address)
    guard found.lineage.contains(expected) else {
      throw SwiftMethodError(
        .invalidValue,
        "argument \(index) is a \(found.name), not a \(expected.name); it was not called")
    }
  }
}

extension ValueType {
  /// Whether a handler may give such a result, or leave it zero.
  fileprivate var isReturnable: Bool {
    if case .object = self { return false }
    return hasZero
  }
}
