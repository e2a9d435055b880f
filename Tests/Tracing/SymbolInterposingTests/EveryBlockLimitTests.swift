import BlockABI
import BlockHooks
import CFixtures
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: blocks are kept while they are copied.

/// Makes a block of a closure of this file.
@inline(never)
private func makeLimited(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// More hooks of every block than the code of one source has room for.
final class EveryBlockLimitTests: XCTestCase {
  func testAHookThatFoundNoRoomIsInstalledWhenThereIsSome() throws {
    let ran = Recorder<Int>()
    var filter = BlockFilter()
    filter.symbols = ["*closure * in *makeLimited*"]
    let block = try Block(makeLimited(1))
    let refused = EveryBlock.counts.refused
    let hooks = try (0..<251).map { number in
      try EveryBlock(matching: filter).hook { call in
        ran.record(number)
        try call.proceed()
      }
    }
    defer { for hook in hooks { hook.remove() } }
    unsafe block.withUnsafePointer { unsafe fixture_release(fixture_copy($0)) }
    XCTAssertEqual(EveryBlock.counts.refused, refused + 1)
    XCTAssertEqual(try block.call(Int32(4)), Int32(5))
    XCTAssertEqual(Set(ran.entries), Set(0..<250))
    hooks[7].remove()
    XCTAssertEqual(try block.call(Int32(4)), Int32(5))
    XCTAssertEqual(Set(ran.entries.dropFirst(250)), Set(0..<251).subtracting([7]))
  }
}
