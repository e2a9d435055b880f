internal import BlockRuntimeErrors
internal import TypeEncodings

/// An operation that failed, as the command line reports it.
package struct Failure: Error {
  /// A stable name for the kind of failure.
  package let code: String

  /// What is wrong, and how to mend it.
  package let message: String

  /// The offset of the faulty byte in the input, nil if there is none.
  package let offset: Int?

  /// Further facts, such as the signal that ended a process.
  package let details: [JSONValue.Member]

  /// The input, nil if the failure is not about an input.
  private let input: String?

  /// Creates a failure, with its place if it is about an input.
  package init(
    code: String, message: String, offset: Int? = nil, input: String? = nil,
    details: [JSONValue.Member] = []
  ) {
    self.code = code
    self.message = message
    self.offset = offset
    self.input = input
    self.details = details
  }

  /// Creates a failure from any error; only those of this package have codes.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - input: The encoding that was refused, in which the failure has a place.
  ///   - place: What the message begins with.
  package init(_ error: any Error, input: String? = nil, at place: String? = nil) {
    let refusal = error as? any BlockRuntimeError
    let ofInput = error as? TypeEncodingError ?? refusal?.underlyingError as? TypeEncodingError
    if let input, let ofInput {
      self.init(
        code: ofInput.code.rawValue, message: ofInput.message, offset: ofInput.offset, input: input)
      return
    }
    let message = refusal?.message ?? "\(error)"
    self.init(
      code: refusal?.code.rawValue ?? "unknown",
      message: place.map { "\($0): \(message)" } ?? message)
  }

  /// Runs an operation, whose errors become failures as in `init(_:input:at:)`.
  @discardableResult
  package static func catching<Result>(
    input: String? = nil, at place: String? = nil, _ operation: () throws -> Result
  ) throws(Failure) -> Result {
    do { return try operation() } catch {
      throw error as? Failure ?? Failure(error, input: input, at: place)
    }
  }

  package var json: JSONValue {
    var members: [JSONValue.Member] = [("code", .string(code)), ("message", .string(message))]
    if let offset { members.append(("offset", .integer(offset))) }
    return .object([("error", .object(members + details))])
  }

  /// The failure as text: a line and, if it helps, the input with a mark under the faulty byte.
  package var text: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    return "hook-demo: \(TextStyle.visible("\(code)\(place): \(message)"))\n\(markedInput)"
  }

  private var markedInput: String {
    let lineLimit = 100
    guard let input, let offset, !input.isEmpty, input.utf8.count <= lineLimit,
      offset <= input.utf8.count, input.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    else { return "" }
    return "  \(input)\n  \(String(repeating: " ", count: offset))^\n"
  }
}
