#if !Everything
import XCTest

/// Stands for the suites of modules that are not in this build.
final class CompiledDocumentTests: XCTestCase {
  func testTheyNeedATrait() throws { throw XCTSkip("needs the trait Everything: Scripts/test") }
}
#endif
