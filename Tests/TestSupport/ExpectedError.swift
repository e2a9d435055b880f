public import BlockRuntimeErrors
import XCTest

/// Checks that a closure throws an error of the package with a code, and gives it back.
///
/// - Parameters:
///   - code: The code.
///   - text: What the message contains; empty for any message.
///   - file: Where a failure is reported.
///   - line: The line there.
///   - body: The closure.
/// - Returns: The error; nil if none of the package was thrown.
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
