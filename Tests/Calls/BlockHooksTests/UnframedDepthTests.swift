import BlockABI
import BlockHooks
import XCTest

/// Calls without a frame within each other, of which so many are observed at once.
final class UnframedDepthTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32) -> Int32

  private static let other: @convention(block) @Sendable (Int32) -> Int32 = { $0 + 1 }

  func testAHandlerMayCallWhatIsHookedInAnyDepth() throws {
    // A thread observes 64.
    for depth in [10, 63, 64, 65, 70] as [Int32] {
      nonisolated(unsafe) var call: IntBlock?
      let block: IntBlock = { level in
        level < depth ? ((unsafe call)?(level + 1) ?? 0) + 1 : 1
      }
      unsafe call = block
      let inner = try Block(Self.other).unframed.hook(.before) { _ in }
      let outer = try Block(block).unframed.hook(.before) { _ in
        XCTAssertEqual(Self.other(1), 2)
      }
      XCTAssertEqual(block(1), depth)
      outer.remove()
      inner.remove()
      unsafe call = nil
    }
  }
}
