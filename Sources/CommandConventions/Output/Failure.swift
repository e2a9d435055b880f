package import TypeEncodings

/// An operation that failed, as the command line reports it.
package struct Failure: Error {
  /// A stable name of what went wrong.
  package let code: String

  /// What is wrong, and how to mend it.
  package let message: String

  /// The byte of the input at which it went wrong, where there is one.
  package let offset: Int?

  /// What else is known, such as the signal that ended a process.
  package let details: [JSONValue.Member]

  /// The input, where there is one.
  private let input: String?

  /// Creates a failure that belongs to no input.
  package init(code: String, message: String, details: [JSONValue.Member] = []) {
    self.code = code
    self.message = message
    self.details = details
    offset = nil
    input = nil
  }

  /// Creates a failure at a place in an input.
  package init(code: String, message: String, offset: Int, input: String) {
    self.code = code
    self.message = message
    self.offset = offset
    self.input = input
    details = []
  }

  /// Creates a failure from an encoding that was refused.
  package init(_ error: TypeEncodingError, input: String) {
    code = error.code.rawValue
    message = error.message
    offset = error.offset
    details = []
    self.input = input
  }

  /// The failure as a JSON document.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [("code", .string(code)), ("message", .string(message))]
    if let offset { members.append(("offset", .integer(offset))) }
    return .object([("error", .object(members + details))])
  }

  /// The failure for a person: a line, and where it helps the input with a mark below the place.
  package var text: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    return "hook-demo: \(code)\(place): \(TextStyle.visible(message))\n\(markedInput)"
  }

  private var markedInput: String {
    let lineLimit = 100
    guard let input, let offset, !input.isEmpty, input.utf8.count <= lineLimit,
      offset <= input.utf8.count, input.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    else { return "" }
    return "  \(input)\n  \(String(repeating: " ", count: offset))^\n"
  }
}
