internal import BlockRuntimeErrors
import Glibc
package import TypeEncodings

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

  /// Creates a failure that is not about an input.
  package init(code: String, message: String, details: [JSONValue.Member] = []) {
    self.code = code
    self.message = message
    self.details = details
    offset = nil
    input = nil
  }

  /// Creates a failure from any error; only those of this package have codes.
  package init(_ error: any Error) {
    let refusal = error as? any BlockRuntimeError
    self.init(code: refusal?.code.rawValue ?? "unknown", message: refusal?.message ?? "\(error)")
  }

  /// Creates a failure at a place in an input.
  package init(code: String, message: String, offset: Int, input: String) {
    self.code = code
    self.message = message
    self.offset = offset
    self.input = input
    details = []
  }

  /// Creates a failure from the error of an encoding.
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

/// The system's texts for its error numbers.
package enum SystemError {
  /// The text of an error.
  package static func text(_ number: Int32) -> String {
    // SAFETY: the text lives until the thread's next call of strerror; it is copied at once.
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "errno \(number)"
  }
}
