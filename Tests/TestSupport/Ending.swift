private import Foundation
import XCTest

/// Runs a closure on a thread of its own, and fails the test where it does not end, as one that waits for
/// itself.
///
/// - Parameters:
///   - what: What the closure does.
///   - seconds: How long it may take; far more than it does.
///   - file: Where the test fails.
///   - line: Where the test fails.
///   - body: The closure.
/// - Returns: Whether it has ended.
@discardableResult
public func expectToEnd(
  _ what: String = "the closure", within seconds: Int = 30, file: StaticString = #filePath,
  line: UInt = #line, _ body: @escaping @Sendable () -> Void
) -> Bool {
  let end = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    end.signal()
  }
  let hasEnded = end.wait(timeout: .now() + .seconds(seconds)) == .success
  XCTAssert(hasEnded, "\(what) does not end", file: file, line: line)
  return hasEnded
}
