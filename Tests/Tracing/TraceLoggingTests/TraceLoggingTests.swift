#if !Logging && !Everything
import XCTest

/// Stands for the suites of a module that is empty in this build.
final class TraceLoggingTests: XCTestCase {
  func testTheyNeedATrait() throws { throw XCTSkip("needs the trait Everything: Scripts/test") }
}
#endif
