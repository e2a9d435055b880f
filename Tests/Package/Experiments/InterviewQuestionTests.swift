import BlockRuntime
import CFixtures
import SymbolInterposing
import TestSupport
import XCTest

// In a function of its own: Swift 6.3 optimises a block away that is called where it is made.
@inline(never)
private func makeAdder(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// Three questions of an interview, asked of a block of Swift's and of one of clang's.
///
/// `printed` stands for the terminal.
final class InterviewQuestionTests: XCTestCase {
  private let printed = Recorder<String>()

  /// Calls a block of clang's as C does.
  private func callFromC(_ block: Block, _ number: Int32) -> Int32 {
    // SAFETY: the blocks here are `int (int)`.
    unsafe block.withUnsafePointer { unsafe fixture_call_int($0, number) }
  }

  private func clangAdder(_ base: Int32) throws -> Block {
    // SAFETY: the fixture gives a block with one reference, which is ours.
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(base))
    defer { unsafe fixture_release(pointer) }
    return unsafe Block(unsafePointer: pointer)
  }

  /// 1. Have a block print "Hello world" instead of what it does.
  func testABlockPrintsHelloWorldInstead() throws {
    // The hook takes the block's place. It never proceeds, so the block's own code does not run.
    let add = makeAdder(40)
    let hook = try Block(add).hook { [printed] call in
      printed.record("Hello world")
      try call.setResult(Int32(0))
    }
    XCTAssertEqual(add(2), 0)
    XCTAssertEqual(printed.entries, ["Hello world"])

    // The block is what it was once the hook is gone.
    hook.remove()
    XCTAssertEqual(add(2), 42)

    // clang's block is another compiler's, but the same ABI: nothing changes.
    let clangs = try clangAdder(40)
    try clangs.hook { [printed] call in
      printed.record("Hello world")
      try call.setResult(Int32(0))
    }
    XCTAssertEqual(callFromC(clangs, 2), 0)
    XCTAssertEqual(printed.entries, ["Hello world", "Hello world"])
  }

  /// 2. Have a block print its arguments, and then do what it does.
  func testABlockPrintsItsArgumentsAndRuns() throws {
    // The types come from the signature that compilers write into blocks: no macro, no knowledge of
    // the block's Swift type.
    let add = makeAdder(40)
    try Block(add).hook(.before) { [printed] call in printed.record("\(call.arguments)") }
    XCTAssertEqual(add(2), 42)

    // A global block lies in a page that the loader has made read-only; it is hooked all the same.
    // SAFETY: a global block lives for ever.
    let pointer = unsafe try XCTUnwrap(fixture_global_adder())
    let hook = unsafe try Block(unsafePointer: pointer).hook(.before) { [printed] call in
      printed.record("\(call.arguments)")
    }
    defer { hook.remove() }
    XCTAssertEqual(unsafe fixture_call_int_int(pointer, 20, 22), 42)
    XCTAssertEqual(printed.entries, ["i32 2", "i32 20, i32 22"])
  }

  /// 3. Do the second to every block that is made from now on.
  func testEveryBlockFromNowOnPrintsItsArgumentsAndRuns() throws {
    let early = try clangAdder(1)
    // A block must be copied to outlive its function, so `_Block_copy` sees it. The filter keeps
    // the test to its own blocks; without one, all of the process would print.
    var own = BlockFilter()
    own.symbols = ["*closure * in *makeAdder*", "*fixture_heap_adder*"]
    let every = try EveryBlock(matching: own).hook(.before) { [printed] call in
      printed.record("\(call.arguments)")
    }
    defer { every.remove() }

    XCTAssertEqual(makeAdder(40)(2), 42)
    XCTAssertEqual(callFromC(try clangAdder(30), 12), 42)
    XCTAssertEqual(printed.entries, ["i32 2", "i32 12"])

    // What was there before, and is not copied again, is left alone, and so is what comes after.
    XCTAssertEqual(callFromC(early, 41), 42)
    every.remove()
    XCTAssertEqual(makeAdder(40)(3), 43)
    XCTAssertEqual(printed.entries.count, 2)
  }
}
