#if !Macros
import XCTest

/// Stands for the suites of a module that is empty in this build.
final class MessageMacrosPluginTests: XCTestCase {
  func testTheyNeedATrait() throws {
    throw XCTSkip("needs the trait Macros: Scripts/test --macros")
  }
}
#endif
