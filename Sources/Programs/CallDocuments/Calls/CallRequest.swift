import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// A call that the command line or a line of a batch requests.
struct CallRequest {
  /// The shared library's file name or path, nil for everything that is loaded.
  let library: String?

  /// The function's name.
  let symbol: String

  /// The function's type encoding.
  let signature: String

  /// The values, one for each encoded argument.
  var arguments: [CallArgument]

  /// The number of arguments that a variadic function declares; nil for other functions.
  let fixedCount: Int?
}

/// The value of one argument.
enum CallArgument {
  /// A value of a JSON document.
  case value(JSONValue)

  /// A word of the command line: JSON, or text that depends on the argument's type.
  case word([UInt8])
}

extension CallRequest {
  /// Reads a line of a batch.
  ///
  /// - Throws: `malformedJSON` with its offset, `malformedRequest`.
  init(line: [UInt8]) throws(Failure) {
    let document: JSONValue
    do throws(JSONReader.Refusal) {
      document = try JSONReader.value(of: line)
    } catch {
      throw Failure(
        code: "malformedJSON", message: error.message, offset: error.offset,
        input: String(decoding: line, as: UTF8.self))
    }
    guard case .object(let members) = document else {
      throw Self.malformed("a line is an object, not \(document.shown)")
    }
    let known = ["library", "symbol", "signature", "arguments", "fixed"]
    if let unknown = members.first(where: { !known.contains($0.name) }) {
      throw Self.malformed(
        "\"\(unknown.name)\" is none of \(known.joined(separator: ", "))")
    }
    func member(_ name: String) -> JSONValue {
      members.first { $0.name == name }?.value ?? .null
    }
    let library = try Self.text(member("library"), "library", default: "-")
    self.library = library == "-" ? nil : library
    let symbol = try Self.text(member("symbol"), "symbol")
    let isDeclared = CDeclaration.isWritten(symbol)
    let signature = try Self.text(
      member("signature"), "signature", default: isDeclared ? "" : nil)
    switch member("arguments") {
    case .null: arguments = []
    case .array(let values): arguments = values.map(CallArgument.value)
    case let other: throw Self.malformed("\"arguments\" is a list, not \(other.shown)")
    }
    let fixedCount: Int?
    switch member("fixed") {
    case .null: fixedCount = nil
    case .number(let text) where Int(text) != nil: fixedCount = Int(text)
    case let other: throw Self.malformed("\"fixed\" is a count of arguments, not \(other.shown)")
    }
    (self.symbol, self.signature, self.fixedCount) = try Self.function(
      symbol, signature, fixedCount)
  }

  private static func text(
    _ value: JSONValue, _ name: String, default text: String? = nil
  ) throws(Failure) -> String {
    switch value {
    case .string(let text): return text
    case .null:
      if let text { return text }
      throw malformed("\"\(name)\" is missing")
    default: throw malformed("\"\(name)\" is a string, not \(value.shown)")
    }
  }

  /// The function's name, its encoding and how many arguments it declares, from what was given as
  /// its symbol: its name, or its declaration in C.
  private static func function(
    _ symbol: String, _ signature: String, _ fixedCount: Int?
  ) throws(Failure) -> (String, String, Int?) {
    guard CDeclaration.isWritten(symbol) else { return (symbol, signature, fixedCount) }
    guard signature.isEmpty else {
      throw malformed(
        "\(symbol) is a declaration, which holds the signature; leave \(signature) out")
    }
    let function = try Failure.catching(input: symbol) { try CDeclaration.function(symbol) }
    return (function.name, function.signature.description, fixedCount ?? function.fixedCount)
  }

  private static func malformed(_ message: String) -> Failure {
    Failure(code: "malformedRequest", message: message)
  }
}

extension CallRequest {
  /// The words of a command line as one message, which `init(words:)` reads.
  static func message(
    library: String, symbol: String, signature: String, arguments: [[UInt8]], fixedCount: Int?
  ) -> [UInt8] {
    let fields =
      [Array((fixedCount.map { "\($0)" } ?? "").utf8), Array(library.utf8), Array(symbol.utf8)]
      + [Array(signature.utf8)] + arguments
    // No word of a command line contains a zero byte.
    return Array(fields.joined(separator: [0]))
  }

  /// Parses the message with the words of a command line.
  ///
  /// - Throws: `malformedRequest` for a message that `message(…)` did not make.
  init(words message: [UInt8]) throws(Failure) {
    let fields = message.split(separator: 0, omittingEmptySubsequences: false)
    guard fields.count >= 4 else { throw Self.malformed("a call has at least four fields") }
    let texts = fields.prefix(4).map { String(decoding: $0, as: UTF8.self) }
    library = texts[1] == "-" ? nil : texts[1]
    (symbol, signature, fixedCount) = try Self.function(texts[2], texts[3], Int(texts[0]))
    arguments = fields.dropFirst(4).map { .word(Array($0)) }
  }
}
