import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Invocations
import QueueTracing
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

@inline(never)
private func makeAdder(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// Hooks of every block, on blocks that have hooks without a frame, or had.
final class EveryUnframedBlockTests: XCTestCase {
  private func pass(_ block: Block) {
    // SAFETY: the block is alive; a copy is released.
    unsafe block.withUnsafePointer { unsafe fixture_release(fixture_copy($0)) }
  }

  private func filter(_ symbol: String) -> BlockFilter {
    var filter = BlockFilter()
    filter.symbols = [symbol]
    return filter
  }

  func testEachRunsOncePerCallAndTheBlocksOwnAreOutside() throws {
    let rows: [(HookPositions, isRemoved: Bool, calls: [String])] = [
      (.death, false, ["every"]), (.death, true, ["every"]), (.before, true, ["every"]),
      (.before, false, ["own", "every"]), ([.before, .death], false, ["own", "every"]),
    ]
    for (positions, isRemoved, calls) in rows {
      let seen = Recorder<String>()
      let block = try Block(makeAdder(1))
      let own = try block.unframed.hook(positions) { call in
        if call.position == .before { seen.record("own") }
      }
      if isRemoved { own.remove() }
      let every = try EveryBlock(matching: filter("*closure * in *makeAdder*")).hook(.before) { _ in
        seen.record("every")
      }
      for pass in 1...3 {
        self.pass(block)
        let before = seen.entries.count
        let result: Int32 = try block.call(1)
        XCTAssertEqual(result, 2)
        XCTAssertEqual(
          Array(seen.entries[before...]), calls, "\(positions) \(isRemoved), pass \(pass)")
      }
      every.remove()
      let before = seen.entries.count
      let _: Int32 = try block.call(1)
      XCTAssertEqual(Array(seen.entries[before...]), calls.filter { $0 == "own" })
      own.remove()
      let _: Int32 = try block.call(1)
      XCTAssertEqual(seen.entries.count, before + calls.count - 1)
    }
  }

  func testABlockWithoutASignatureIsTracedBelowItsOwnHooks() throws {
    for positions in [nil, HookPositions.before, .death] {
      let block = unsafe Block(
        unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
      let own = Atomic<Int>(0)
      if let positions {
        try block.hook(positions) { _ in own.add(1, ordering: .relaxed) }
      }
      let buffer = TraceBuffer()
      let tracer = Tracer(buffer)
      let every = try EveryBlock(matching: filter("*doubled*")).install(.tracing(with: tracer))
      for _ in 0..<2 {
        pass(block)
        // SAFETY: the block takes an integer and returns one.
        unsafe block.withUnsafePointer { pointer in
          let code = unsafe unsafeBitCast(
            pointer.load(fromByteOffset: 16, as: UnsafeRawPointer.self),
            to: (@convention(c) (UnsafeRawPointer, Int32) -> Int32).self)
          XCTAssertEqual(unsafe code(pointer, 21), 42)
        }
      }
      tracer.close()
      every.remove()
      block.removeHooks()
      XCTAssertEqual(buffer.records.count, 2, "\(String(describing: positions))")
      XCTAssertEqual(own.load(ordering: .relaxed), positions == .before ? 2 : 0)
    }
  }

  func testAnAssumedSignatureLeavesHooksWithoutAFrame() throws {
    let block = try Block(makeAdder(1))
    for unframed in [block.unframed, try unsafe block.unframed.assuming(signature: "i@?i")] {
      expectError(.noFrame) { _ = try unframed.hook(.instead) { _ in } }
    }
  }
}
