import CFixtures
import TestSupport
import XCTest

/// What is read of a block while another thread hooks it for the first time.
final class FirstHookTests: XCTestCase {
  private typealias Read = (Int, UnsafeMutablePointer<Bool>) -> UnsafePointer<CChar>?

  /// Installs the first hook before each instruction of a reader.
  private func expect(_ text: String, line: UInt = #line, _ read: Read) throws {
    try XCTSkipIf(isSanitized, "sanitizers take thousands of instructions more")
    var isOver = false
    var step = 0
    while !isOver {
      step += 1
      let found = unsafe read(step, &isOver)
      XCTAssertEqual(
        unsafe found.map { unsafe String(cString: $0) }, text, "before instruction \(step)",
        line: line)
    }
    #if arch(x86_64)
    XCTAssertGreaterThan(step, 10, "nothing was stepped through", line: line)
    #endif
  }

  func testASignatureIsRightWheneverTheFirstHookComes() throws {
    unsafe try expect("i8@?0") { unsafe fixture_read_signature($0, $1) }
  }

  func testACaptureLayoutIsRightWheneverTheFirstHookComes() throws {
    unsafe try expect("\u{12}") { unsafe fixture_read_layout($0, $1) }
  }
}
