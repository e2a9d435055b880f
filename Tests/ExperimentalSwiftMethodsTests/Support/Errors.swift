import ExperimentalSwiftMethods
import XCTest

/// Checks that a method is refused with a code, and a message that says something.
func assertError(
  _ code: SwiftMethodError.Code, _ text: String, file: StaticString = #filePath,
  line: UInt = #line, _ body: () throws -> Void
) {
  XCTAssertThrowsError(try body(), file: file, line: line) { error in
    guard let error = error as? SwiftMethodError else {
      return XCTFail("\(error)", file: file, line: line)
    }
    XCTAssertEqual(error.code, code, error.message, file: file, line: line)
    XCTAssertTrue(error.message.contains(text), error.message, file: file, line: line)
  }
}
