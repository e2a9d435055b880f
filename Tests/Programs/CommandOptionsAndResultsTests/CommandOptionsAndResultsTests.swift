#if !Everything
import XCTest

/// Stands for the suites of commands that are not in this build.
final class CommandOptionsAndResultsTests: XCTestCase {
  func testTheyNeedATrait() throws { throw XCTSkip("needs the trait Everything: Scripts/test") }
}
#endif
