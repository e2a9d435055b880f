import Foundation
import XCTest

final class ExampleTests: XCTestCase {
  func testAMemoizedBlockRunsOnceForEveryArgument() throws {
    XCTAssertEqual(
      try Example.output(of: "MemoizedBlock"),
      """
      fibonacci(15) = 610
      without a hook: 1973 calls ran
      fibonacci(90) = 2880067194370816120
      memoised: 91 calls ran, 88 were answered
      fibonacci(90) = 2880067194370816120
      results kept: 50, evicted: 41

      """)
  }

  func testCallsAreDecidedLater() throws {
    XCTAssertEqual(
      try Example.output(of: "DecideLater"),
      """
        deleting 3 mails in Drafts
      3 mails: 3
        asking: "Inbox", i32 500
      500 mails: -1
        asking: "Archive", i32 99
      99 mails: -1
        asking: "Sent", i32 70
      70 mails: -1
        deleting 500 mails in Inbox
      decided: finished 500
      too late: interceptionDecided
      reported: interceptionDropped

      """)
  }

  func testEveryExampleIsShort() throws {
    for program in try FileManager.default.contentsOfDirectory(atPath: Example.folder.path) {
      let file = Example.folder.appendingPathComponent("\(program)/main.swift")
      let lines = try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      XCTAssertLessThanOrEqual(lines.count, 61, program)
    }
  }
}
