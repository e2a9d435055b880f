import BlockABI
import BlockHooks
import Invocations
import TestSupport
import XCTest

/// What a handler finds out about the code that made its call.
final class CallerTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  @inline(never)
  private func press(_ button: IntBlock) -> Int32 { button(1) &+ 1 }

  @inline(never)
  private func useForm(_ button: IntBlock) -> Int32 { press(button) &* 2 }

  /// How many functions of a call's own path come before its caller: libffi's, and those that it
  /// calls, are on the stack.
  private static let own = CallEngine.current == .libffi ? 30 : 0

  private static func names(_ callers: [CallSite]) -> [String] {
    callers.map { $0.function?.name ?? "?" }
  }

  func testAHandlerFindsItsCallersInEveryPositionAndDepth() throws {
    let found = Recorder<[CallSite]>()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook([.before, .instead, .after]) { call in
      found.record(call.callers(limit: 2 + Self.own))
      if call.position == .instead { try call.proceed() }
    }
    try block.hook(when: .every(1)) { call in
      found.record(call.callers(limit: 2 + Self.own))
      try call.proceed()
    }
    XCTAssertEqual(useForm(original), 4)
    XCTAssertEqual(found.entries.count, 4)
    for callers in found.entries {
      XCTAssertEqual(callers, found.entries[0])
      let names = Self.names(callers)
      XCTAssertEqual(names.count, 2 + Self.own)
      let first = try XCTUnwrap(names.firstIndex { $0.contains("press") }, "\(names)")
      XCTAssertTrue(first == 0 || Self.own > 0, "\(names)")
      XCTAssertTrue(names[first + 1].contains("useForm"), "\(names)")
    }
  }

  func testTheNumberOfCallersIsBounded() throws {
    let counts = Recorder<Int>()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook(.before) { call in
      for limit in [Int.min, -1, 0, 1, 3] { counts.record(call.callers(limit: limit).count) }
      counts.record(call.callers(limit: .max).count)
    }
    // Optimised, the recursion would be a loop.
    @_optimize(none) func descend(_ depth: Int) -> Int32 {
      depth == 0 ? original(1) : descend(depth - 1) &+ 1
    }
    XCTAssertEqual(descend(400), 401)
    XCTAssertEqual(counts.entries, [0, 0, 0, 1, 3, 256])
  }

  func testOtherCallsHaveTheirCallersToo() throws {
    let found = Recorder<[String]>()
    // More arguments than registers, and calls that this library makes by itself.
    typealias WideBlock =
      @convention(block) @Sendable (Int, Int, Int, Int, Int, Int, Int, Double) -> Int
    let wide: WideBlock = { a, _, _, _, _, _, last, _ in a + last }
    try Block(wide).hook { call in
      found.record(Self.names(call.callers(limit: 1 + Self.own)))
      try call.proceed()
    }
    XCTAssertEqual(wide(1, 2, 3, 4, 5, 6, 7, 8), 8)
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook(.before) { call in found.record(Self.names(call.callers(limit: 32))) }
    XCTAssertEqual(try block.call(Int32(2)), Int32(2))
    XCTAssertEqual(found.entries.count, 2)
    for names in found.entries {
      XCTAssertTrue(
        names.contains { $0.contains("testOtherCallsHaveTheirCallersToo") }, "\(names)")
    }
  }

  func testABlocksDeathHasNoCallers() throws {
    let counts = Recorder<Int>()
    do {
      let number = Int32(counts.entries.count)
      let original: IntBlock = { $0 + number }
      try Block(original).hook(.death) { counts.record($0.callers(limit: 9).count) }
    }
    XCTAssertEqual(counts.entries, [0])
  }
}
