#if !Metrics && !Everything
import XCTest

/// Stands for the suites of a module that is empty in this build.
final class TraceMetricsTests: XCTestCase {
  func testTheyNeedATrait() throws { throw XCTSkip("needs the trait Everything: Scripts/test") }
}
#endif
