import XCTest

/// A rule of the tests that the compiler cannot check.
final class SkippingAssertionTests: XCTestCase {
  func testNoAssertionHidesASkip() throws {
    let functions = try SkippingFunctions(in: ["Tests", "Examples/Tests"])
    XCTAssertGreaterThan(functions.files.count, 100)
    XCTAssertEqual(functions.assertionsThatHideSkips(), [])
  }
}
