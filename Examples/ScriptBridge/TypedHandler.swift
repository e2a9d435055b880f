internal import BlockRuntime

/// A block that scripts call: its signature says which arguments it takes, and what it answers.
///
/// Truth values, numbers, C strings and structures of them are taken; a structure is an array of
/// its members. The result is the answer. A block of no result may take another block last, of at
/// most one parameter, and answer by it, at once or later.
struct TypedHandler: Sendable {
  private let block: Block
  private let parameters: [TypeEncoding]
  /// The signature of the block that the last parameter is.
  private let answerSignature: MethodSignature?
  private let onError: @Sendable (any Error) -> Void

  /// - Parameters:
  ///   - block: The block.
  ///   - onError: Receives the error of a block that answers twice, as its caller cannot.
  /// - Throws: `unsupportedHandler`.
  init(
    _ block: Block, onError: @escaping @Sendable (any Error) -> Void
  ) throws(ScriptBridgeError) {
    let signature: MethodSignature?
    do { signature = try block.signature } catch {
      throw ScriptBridgeError(.unsupportedHandler, error.message)
    }
    guard let signature else {
      throw ScriptBridgeError(
        .unsupportedHandler, "the block has no signature; give it one with assuming(signature:)")
    }
    var parameters = signature.arguments.dropFirst().map(\.encoding)
    if case .block(let answer?) = parameters.last?.type, signature.result.kind == .void {
      parameters.removeLast()
      answerSignature = answer
    } else {
      answerSignature = nil
    }
    self.block = block
    self.parameters = parameters
    self.onError = onError
    let answers = answerSignature?.arguments.dropFirst().map(\.encoding) ?? []
    let results = [signature.result, answerSignature?.result].compactMap(\.self)
    for encoding in parameters + answers + results.filter({ $0.kind != .void })
    where !encoding.isScriptable {
      throw ScriptBridgeError(
        .unsupportedHandler,
        "scripts have no values for \(encoding) (\(encoding.kind.rawValue)) in "
          + "\(signature); take a closure of script values")
    }
    guard answers.count < 2, answerSignature?.result.kind ?? .void == .void else {
      throw ScriptBridgeError(
        .unsupportedHandler, "the block that \(signature) answers by must take at most one value")
    }
  }

  /// Calls the block.
  ///
  /// - Throws: `invalidArguments`; `invalidValue` for a result that is no JSON; `handlerFailed` for
  ///   a block that cannot be called.
  func run(_ arguments: [ScriptValue], _ answer: ScriptAnswer) throws(ScriptBridgeError) {
    guard arguments.count == parameters.count else {
      throw ScriptBridgeError(
        .invalidArguments, "\(parameters.count) arguments are taken, \(arguments.count) were given")
    }
    var values: [CValue] = []
    for (index, argument) in arguments.enumerated() {
      guard let value = argument.boxed(as: parameters[index]) else {
        throw ScriptBridgeError(
          .invalidArguments,
          "argument \(index) is \(argument), but \(parameters[index].kind.rawValue) is taken")
      }
      values.append(value)
    }
    let result: CValue
    do throws(InvocationError) {
      if let answerSignature {
        values.append(.block(try answerBlock(answerSignature, answer)))
      }
      result = try block.call(values: values)
    } catch {
      throw ScriptBridgeError(error)
    }
    if answerSignature == nil { try answer.send(ScriptValue(value: result)) }
  }

  /// A real block that gives the answer; if nobody calls it, the answer's end tells the script.
  private func answerBlock(
    _ signature: MethodSignature, _ answer: ScriptAnswer
  ) throws(InvocationError) -> Block {
    let takesValue = signature.arguments.count > 1
    return try Block(signature: signature.description, onError: onError) { call in
      try answer.send(takesValue ? ScriptValue(value: call.argumentValue(1)) : .null)
    }
  }
}

extension ScriptBridgeError {
  /// Why something was not called, or what it threw: its caller's fault, or its own.
  init(_ error: any Error) {
    guard let failure = error as? any BlockRuntimeError else {
      self = error as? ScriptBridgeError ?? ScriptBridgeError(.handlerFailed, "\(error)")
      return
    }
    switch failure.code {
    case .argumentCount, .typeMismatch, .valueOutOfRange, .unexpectedNull:
      self.init(.invalidArguments, failure.message)
    case .thrown where failure.underlyingError != nil:
      self.init(failure.underlyingError ?? failure)
    default: self.init(.handlerFailed, failure.message)
    }
  }
}

extension TypeEncoding {
  /// Whether there are script values for all values of the type.
  fileprivate var isScriptable: Bool {
    switch kind {
    case .bool, .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64, .float, .double,
      .cString:
      return true
    case .struct:
      guard case .structure(let record) = type, let fields = record.fields else { return false }
      return fields.allSatisfy(\.encoding.isScriptable)
    default: return false
    }
  }
}

extension ScriptValue {
  /// The value as one of C's; nil if it is none, as null, which C blocks rarely expect, always is.
  fileprivate func boxed(as encoding: TypeEncoding) -> CValue? {
    switch (self, encoding.kind) {
    case (.bool(let value), .bool): return .bool(value)
    case (.string(let value), .cString): return .cString(value)
    case (.number(let value), .double), (.number(let value), .float): return .double(value)
    case (.number, .bool), (.number, .cString), (.number, .struct): return nil
    case (.number(let value), _): return Int128(exactly: value).map(CValue.integer)
    case (.array(let values), .struct):
      guard case .structure(let record) = encoding.type, let fields = record.fields,
        fields.count == values.count
      else { return nil }
      let members = zip(values, fields).compactMap { $0.boxed(as: $1.encoding) }
      return members.count == fields.count ? .structure(members) : nil
    default: return nil
    }
  }

  /// A value of C's, of a type that scripts have values for.
  ///
  /// - Throws: `invalidValue` for an integer that is not exact as a double, and for other types.
  init(value: CValue) throws(ScriptBridgeError) {
    switch value {
    case .void, .cString(nil): self = .null
    case .bool(let value): self = .bool(value)
    case .float(let value): self = .number(Double(value))
    case .double(let value): self = .number(value)
    case .cString(let text?): self = .string(text)
    case .integer(let value):
      guard let number = Double(exactly: value) else {
        throw ScriptBridgeError(.invalidValue, "\(value) is not exact as a script's number")
      }
      self = .number(number)
    case .structure(let members):
      var values: [ScriptValue] = []
      for member in members { values.append(try ScriptValue(value: member)) }
      self = .array(values)
    default: throw ScriptBridgeError(.invalidValue, "scripts have no value for \(value)")
    }
  }
}
