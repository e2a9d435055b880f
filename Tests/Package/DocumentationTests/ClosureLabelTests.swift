#if Everything
import TestSupport
import XCTest

/// Closures of one call that could be taken for each other have labels.
final class ClosureLabelTests: XCTestCase {
  private static let preamble = """
    import BlockABI
    import BlockHooks
    import CallMemoization
    import Invocations
    func memoize(_ block: Block) throws {

    """

  private func check(_ call: String) throws {
    let files = try CompiledFiles(self)
    let file = try files.write(
      "Call.swift", Array((Self.preamble + "  try block.install(.memoizing\(call))\n}\n").utf8),
      mode: 0o644)
    try BuiltModules().check([file])
  }

  func testTheCostAndTheKeyOfAMemoHaveLabels() throws {
    for call in [
      "(cost: { _, _ in 2 })", "(key: { call in try call.argument(1, as: Int.self) })",
      "(limits: MemoLimits(), cost: { _, _ in 2 }, key: { _ in 0 })", "(onError: { print($0) })",
    ] {
      XCTAssertNoThrow(try check(call), call)
    }
    for call in [
      " { _, _ in 2 }", " { arguments, result in arguments.count }", " { _ in 0 }",
      " { call in try call.argument(1, as: Int.self) }", " { print($0) }",
      "(limits: MemoLimits()) { $0.count + 1 }", "({ _, _ in 2 })",
      "(cost: { _, _ in 2 }) { call in try call.argument(1, as: Int.self) }",
      "(key: { _ in 0 }) { _, _ in 2 }", "(onError: { print($0) }) { _, _ in 2 }",
    ] {
      XCTAssertThrowsError(try check(call), call)
    }
  }
}
#endif
