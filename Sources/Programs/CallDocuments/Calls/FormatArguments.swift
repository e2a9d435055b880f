import CommandOptionsAndResults
import Invocations
import TypeEncodings

// Calls of functions such as `printf` and `scanf`, whose format says which arguments they take.

extension MethodSignature {
  /// The signature with the types of the arguments that a call's format takes, if it lists only
  /// those that the function declares.
  func naming(_ request: CallRequest) throws -> MethodSignature {
    guard let format = VariadicFunction.format(of: request.symbol),
      let isScanned = format.isScanned, arguments.count == request.fixedCount,
      request.arguments.indices.contains(format.index),
      let bytes = try request.text(format.index, as: arguments[format.index].encoding)
    else { return self }
    var signature = withoutFrameOffsets()
    for argument in try FormatString(bytes, isScanned: isScanned).arguments {
      signature.arguments.append(.init(argument.encoding))
    }
    return signature
  }
}

extension CallRequest {
  /// The request with a buffer in place of the text of a format of `wchar_t`.
  var withWideFormat: CallRequest {
    guard let index = VariadicFunction.format(of: symbol)?.index,
      VariadicFunction.isWide(symbol), arguments.indices.contains(index)
    else { return self }
    let text: String
    switch arguments[index] {
    case .value(.string(let given)) where !given.hasPrefix("0x"): text = given
    case .word(let word) where word.first.map { !#"{"n"#.utf8.contains($0) } ?? true:
      text = String(decoding: word, as: UTF8.self)
    default: return self
    }
    let units = text.unicodeScalars.map { JSONValue.number("\($0.value)") } + [.number("0")]
    var copy = self
    copy.arguments[index] = .value(.object([("buffer", .array(units))]))
    return copy
  }

  /// The bytes of an argument that is text, of `char` or as a buffer of `wchar_t`; nil for any
  /// other argument.
  fileprivate func text(_ index: Int, as encoding: TypeEncoding) throws -> [UInt8]? {
    let value: JSONValue
    switch arguments[index] {
    case .value(let given): value = given
    case .word(let word):
      switch try WordValue(word, for: encoding, at: "argument \(index)") {
      case .value(let given): value = given
      case .text(let text): return text
      }
    }
    switch value {
    case .string(let text): return Array(text.utf8)
    case .object(let members):
      guard case .array(let elements) = members.first?.value else { return nil }
      let units = elements.map { UInt32($0.text) ?? 0 }
      return WideText.bytes(Array(units.prefix { $0 != 0 }))
    default: return nil
    }
  }
}
