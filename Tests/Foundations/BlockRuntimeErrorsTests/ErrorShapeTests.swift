import BlockRuntimeErrors
import Synchronization
import TestSupport
import XCTest

/// The shape that the errors of all products have.
final class ErrorShapeTests: XCTestCase {
  private struct SomeError: BlockRuntimeError {
    let details: ErrorDetails

    init(details: ErrorDetails) { self.details = details }
  }

  private struct OtherError: BlockRuntimeError {
    let details: ErrorDetails

    init(details: ErrorDetails) { self.details = details }
  }

  func testTheDescriptionHasTheCodeThePlaceAndTheSubjectUnlessTheMessageNamesIt() {
    let rows: [(SomeError, String)] = [
      (SomeError(.typeMismatch, "no number"), "typeMismatch: no number"),
      (SomeError(.typeMismatch, "no number", subject: ""), "typeMismatch: no number"),
      (
        SomeError(.typeMismatch, "no number", subject: "a.b", at: .byte(2)),
        "typeMismatch at byte 2 in \"a.b\": no number"
      ),
      (
        SomeError(.typeMismatch, "a.b is no number", subject: "a.b", at: .byte(2)),
        "typeMismatch at byte 2: a.b is no number"
      ),
      (
        SomeError(.typeMismatch, "argument 1: no number", at: .argument(1)),
        "typeMismatch: argument 1: no number"
      ),
    ]
    for (error, description) in rows { XCTAssertEqual("\(error)", description) }
  }

  func testAMessageIsMadeWhenItIsReadAndNotBefore() {
    let count = Atomic(0)
    let error = SomeError(.noSuchMethod, subject: "name") {
      "made \(count.add(1, ordering: .relaxed).newValue)"
    }
    let passed = OtherError(passing: error, prefix: "outer: ")
    XCTAssertEqual(count.load(ordering: .relaxed), 0)
    XCTAssertEqual(passed.message, "outer: made 1")
    XCTAssertEqual(error.message, "made 2")
  }

  func testAnErrorThatIsPassedOnKeepsCodePlaceAndSubject() throws {
    let first = SomeError(.invalidSignature, "ends early", subject: "i@?{", at: .byte(4))
    let passed = OtherError(passing: first)
    XCTAssertEqual(passed.code, first.code)
    XCTAssertEqual(passed.message, first.message)
    XCTAssertEqual(passed.subject, first.subject)
    XCTAssertEqual(passed.place, first.place)
    XCTAssertEqual(try XCTUnwrap(passed.underlyingError as? SomeError), first)
    XCTAssertEqual(OtherError(passing: first, subject: "work").subject, "work")
    XCTAssertNil(first.underlyingError)
  }

  func testErrorsAreEqualIfCodeMessageSubjectAndPlaceAre() {
    let error = SomeError(.typeMismatch, "text", subject: "a", at: .argument(1))
    let same = SomeError(
      .typeMismatch, "text", subject: "a", at: .argument(1), underlying: CancellationError())
    XCTAssertEqual(error, same)
    XCTAssertEqual(error.hashValue, same.hashValue)
    let others = [
      SomeError(.invalidValue, "text", subject: "a", at: .argument(1)),
      SomeError(.typeMismatch, "other", subject: "a", at: .argument(1)),
      SomeError(.typeMismatch, "text", subject: "b", at: .argument(1)),
      SomeError(.typeMismatch, "text", subject: "a", at: .byte(1)),
    ]
    for other in others { XCTAssertNotEqual(error, other) }
  }
}
