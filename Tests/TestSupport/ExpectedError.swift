import XCTest

/// Checks that an expression throws an error with a code.
///
/// - Parameters:
///   - path: Where the error keeps its code, such as `\HookError.code`.
///   - code: The code.
///   - file: Where a failure is reported.
///   - line: The line there.
///   - body: The expression.
public func expectError<Failure: Error, Code: Equatable>(
  _ path: KeyPath<Failure, Code>, _ code: Code, file: StaticString = #filePath,
  line: UInt = #line, _ body: () throws -> Void
) {
  XCTAssertThrowsError(try body(), file: file, line: line) { error in
    XCTAssertEqual(
      (error as? Failure)?[keyPath: path], code, "\(error)", file: file, line: line)
  }
}
