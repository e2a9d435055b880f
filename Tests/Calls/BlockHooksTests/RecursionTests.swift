import BlockABI
import BlockHooks
import CFixtures
import Foundation
import Invocations
import TestSupport
import XCTest

/// How deep a block may call itself through its hooks.
final class RecursionTests: XCTestCase {
  private typealias Kind = (name: String, hooks: [@Sendable (Block) throws -> Void])

  private static let kinds: [Kind] = {
    let before: @Sendable (Block) throws -> Void = { try $0.hook(.before) { _ in } }
    let instead: @Sendable (Block) throws -> Void = { try $0.hook { try $0.proceed() } }
    let after: @Sendable (Block) throws -> Void = { try $0.hook(.after) { _ in } }
    return [
      ("before", [before]), ("instead", [instead]), ("after", [after]),
      ("before and after", [{ try $0.hook([.before, .after]) { _ in } }]),
      ("three before", [before, before, before]),
      ("one of each", [before, instead, after]),
      ("three instead", [instead, instead, instead]),
    ]
  }()

  /// What one hook takes of the stack for each call of the block that is under way, and each
  /// further hook at most. AArch64 keeps the registers of a call in 112 bytes more.
  #if arch(arm64)
  private static let limits = (first: 812, further: 2048)
  #else
  private static let limits = (first: 700, further: 2048)
  #endif

  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "a sanitizer makes every frame several times larger")
    try XCTSkipIf(CallEngine.current == .libffi, "libffi's calls take five kilobytes each")
  }

  /// A block that calls itself.
  private static func countdown(_ places: UnsafeMutablePointer<UInt>? = nil) throws -> Block {
    // SAFETY: the fixture returns a heap block that its caller owns.
    unsafe try Block(adopting: XCTUnwrap(fixture_heap_countdown(places)))
  }

  /// The stack that each level of a recursion takes, in bytes.
  private func bytesALevel(_ kind: Kind) throws -> Int {
    let levels = 200
    var places = [UInt](repeating: 0, count: levels + 1)
    return unsafe try places.withUnsafeMutableBufferPointer { places in
      let block = unsafe try Self.countdown(places.baseAddress)
      for hook in kind.hooks { try hook(block) }
      XCTAssertEqual(try block.call(Int32(levels)) as Int32, Int32(levels), kind.name)
      // SAFETY: the countdown has noted a place for every number up to its first.
      return unsafe Int(places[150] - places[50]) / 100
    }
  }

  func testALevelOfRecursionThroughAHookTakesLittleOfTheStack() throws {
    let plain = try bytesALevel(("none", []))
    for kind in Self.kinds {
      let bytes = try bytesALevel(kind) - plain
      let limit = Self.limits.first + (kind.hooks.count - 1) * Self.limits.further
      XCTAssertLessThanOrEqual(bytes, limit, kind.name)
    }
  }

  func testTenThousandLevelsThroughAHookFitAThreadOf8MiB() throws {
    let levels: Int32 = 10_000
    for kind in Self.kinds where kind.hooks.count == 1 {
      // SAFETY: it is given no memory.
      let block = unsafe try Self.countdown()
      for hook in kind.hooks { try hook(block) }
      let results = Recorder<Int32>()
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        if let result = try? block.call(levels) as Int32 { results.record(result) }
        isDone.signal()
      }
      thread.stackSize = 8 << 20
      thread.start()
      isDone.wait()
      XCTAssertEqual(results.entries, [levels], kind.name)
    }
  }
}
