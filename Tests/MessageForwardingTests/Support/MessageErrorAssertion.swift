import MessageForwarding
import XCTest

/// Fails unless the message is refused with a code and a text.
func assertMessageError(
  _ code: MessageError.Code, _ text: String, file: StaticString = #filePath, line: UInt = #line,
  _ body: () throws -> Void
) {
  do {
    try body()
    XCTFail("nothing was thrown", file: file, line: line)
  } catch {
    guard let error = error as? MessageError else {
      return XCTFail("\(error)", file: file, line: line)
    }
    XCTAssertEqual(error.code, code, error.message, file: file, line: line)
    XCTAssertTrue(error.message.contains(text), error.message, file: file, line: line)
  }
}
