import BlockABI
import BlockHooks
import CFixtures
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: blocks are kept while they are copied.

/// Not inlined: Swift 6.3 optimises the memory of a block away that is called where it is made.
@inline(never)
private func makeRaced(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// A block that gets its first own hook on one thread while a hook of every block sees it on
/// another.
final class FirstHookRaceTests: XCTestCase {
  func testBothHooksOfABlockRunOnceEachWhereverTheFirstOneComesBetween() throws {
    try XCTSkipIf(isSanitized, "sanitizers deliver signals later")
    // They exist before every block is hooked.
    let blocks = try (0..<shortened(30_000)).map { try Block(makeRaced(Int32($0))) }
    let every = Atomic(0)
    let own = Atomic(0)
    var filter = BlockFilter()
    filter.symbols = ["*closure * in *makeRaced*"]
    let hook = try EveryBlock(matching: filter).hook(.before) { _ in
      every.add(1, ordering: .relaxed)
    }
    defer { hook.remove() }

    let current = Atomic(-1)
    let thread = Atomic<UInt>(0)
    let isOver = Atomic(false)
    let threads = ThreadGroup()
    threads.start {
      thread.store(UInt(pthread_self()), ordering: .releasing)
      for (index, block) in blocks.enumerated() {
        current.store(index, ordering: .releasing)
        unsafe block.withUnsafePointer { unsafe fixture_release(fixture_copy($0)) }
      }
      current.store(blocks.count, ordering: .releasing)
      while !isOver.load(ordering: .acquiring) { sched_yield() }
    }
    while current.load(ordering: .acquiring) < 0 { sched_yield() }
    var hooked: Set<Int> = []
    while current.load(ordering: .acquiring) < blocks.count {
      var hook = {
        let index = current.load(ordering: .acquiring)
        guard index < blocks.count, hooked.insert(index).inserted else { return }
        _ = try? blocks[index].hook(.before) { _ in own.add(1, ordering: .relaxed) }
      }
      // Wherever it is.
      unsafe withUnsafeMutablePointer(to: &hook) { hook in
        unsafe fixture_while_stopped(UInt(thread.load(ordering: .acquiring)), hook) { hook in
          unsafe hook?.assumingMemoryBound(to: (() -> Void).self).pointee()
        }
      }
    }
    isOver.store(true, ordering: .releasing)
    threads.wait()

    for (index, block) in blocks.enumerated() {
      XCTAssertEqual(try block.call(Int32(1)) as Int32, Int32(index) + 1)
      let ownRuns = own.exchange(0, ordering: .relaxed)
      let everyRuns = every.exchange(0, ordering: .relaxed)
      guard ownRuns != (hooked.contains(index) ? 1 : 0) || everyRuns != 1 else { continue }
      return XCTFail("block \(index): own hooks ran \(ownRuns), every block's \(everyRuns) times")
    }
  }
}
