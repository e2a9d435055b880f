private import Foundation
import XCTest

/// Runs a closure on a new thread, and fails the test if it does not end, as in a deadlock.
///
/// - Parameters:
///   - what: A description of the closure, for the failure's message.
///   - seconds: The time limit, which should be far more than the closure takes.
///   - file: The file in which a failure is reported.
///   - line: The line there.
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
