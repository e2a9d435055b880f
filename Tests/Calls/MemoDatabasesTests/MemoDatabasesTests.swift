#if !Database
import XCTest

/// Stands for the suites of a module that is empty in this build.
final class MemoDatabasesTests: XCTestCase {
  func testTheyNeedATrait() throws {
    throw XCTSkip("needs the trait Database: Scripts/test --database")
  }
}
#endif
