#if Everything
import TestSupport
import XCTest

/// A program whose service context travels with its blocks, run by `hook-demo trace`.
final class TracedContextTests: XCTestCase {
  func testAProgramThatCarriesContextsIsTraced() throws {
    let run = try TracedProgram(self, target: "ContextProgram").trace()
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    XCTAssertEqual(run.outcome.output, "first\nfirst\nsecond\nsecond\nnone\nnone\n")
    let calls = run.rows.filter { !$0.isWait && $0.shortName.hasPrefix("send") }
    XCTAssertEqual(
      calls.map { String($0.shortName.prefix { $0 != " " }) },
      ["sendBlock", "sendItem", "sendBlock", "sendItem", "sendNothingAlong", "sendBlock"])
    for call in calls {
      XCTAssertEqual(call.queue, "com.example.context serial", "\(call)")
      XCTAssertEqual(call.outcome, "returned", "\(call)")
    }
    // The program's own hooks are between the tracer and the senders, until they are removed.
    // Optimised, it is said to be merged with `sendNothingAlong`, which has the same code.
    XCTAssertEqual(calls.last?.enqueuedBy?.prefix { $0 != " " }, "sendBlock")
    XCTAssertNotNil(calls.last?.waited)
  }
}
#endif
