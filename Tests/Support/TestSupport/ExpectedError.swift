public import BlockRuntimeErrors
import XCTest

/// Checks that a closure throws an error of the package with a code, and returns the error.
///
/// - Parameters:
///   - code: The code.
///   - text: A text that the message must contain; empty for any message.
///   - file: The file in which a failure is reported.
///   - line: The line there.
///   - body: The closure.
/// - Returns: The error; nil if no error of the package was thrown.
@discardableResult
public func expectError(
  _ code: ErrorCode, _ text: String = "", file: StaticString = #filePath, line: UInt = #line,
  _ body: () throws -> Void
) -> (any BlockRuntimeError)? {
  do {
    try body()
    XCTFail("nothing was thrown instead of \(code.rawValue)", file: file, line: line)
    return nil
  } catch {
    guard let error = error as? any BlockRuntimeError else {
      XCTFail("\(error)", file: file, line: line)
      return nil
    }
    XCTAssertEqual(error.code, code, error.message, file: file, line: line)
    XCTAssertTrue(
      text.isEmpty || error.message.contains(text), error.message, file: file, line: line)
    return error
  }
}
