import BlockRuntime
import CFixtures
import TestSupport
import XCTest

// SAFETY, for the whole file: the fixtures say what their blocks are, and blocks are read while
// they are alive.

/// What a block is in memory: printed, and compared with what clang itself says.
///
/// Each address that a capturing block returns is taken inside of it, where a capture's address is
/// its place in the block. So it is clang that says where things lie.
final class BlockLayoutTests: XCTestCase {
  /// The five fields that every block begins with.
  private struct Header {
    let isa: UInt
    let flags: UInt32
    let reserved: UInt32
    let invoke: UInt
    let descriptor: UInt
  }

  /// The variable behind `__block`, in a box of its own.
  private struct SharedVariable {
    let isa: UInt
    /// Where the variable is now: itself, or its copy on the heap.
    let forwarding: UInt
    let flags: UInt32
    let size: UInt32
    let value: Int32
  }

  /// Where clang says that a capturing block's captures are: the block runs once to tell.
  private struct Captures {
    let number: UInt
    let ratio: UInt
    let inner: UInt
    let shared: UInt

    init(of block: Block) {
      let places = unsafe block.withUnsafePointer { unsafe fixture_call_captures($0) }
      number = unsafe UInt(bitPattern: places.number)
      ratio = unsafe UInt(bitPattern: places.ratio)
      inner = unsafe UInt(bitPattern: places.block)
      shared = unsafe UInt(bitPattern: places.shared)
    }

    /// The box of the shared variable.
    var box: UInt { shared - UInt(MemoryLayout<SharedVariable>.offset(of: \.value) ?? 0) }
  }

  private static func read<Value: BitwiseCopyable>(_ type: Value.Type, at address: UInt) -> Value? {
    unsafe UnsafeRawPointer(bitPattern: address).map { unsafe $0.load(as: type) }
  }

  private static func header(of block: Block) throws -> Header {
    let address = unsafe block.withUnsafePointer { UInt(bitPattern: $0) }
    return try XCTUnwrap(read(Header.self, at: address))
  }

  /// Prints what the experiment looks at.
  private static func show(_ block: Block) throws {
    let header = try header(of: block)
    print(
      """
      \(block)
        flags 0x\(String(header.flags, radix: 16)), size \(block.size), \
      invoke 0x\(String(header.invoke, radix: 16)), descriptor 0x\(String(header.descriptor, radix: 16))
      """)
  }

  /// A block that captures nothing needs no instance: it is a constant of the program.
  func testABlockWithoutCapturesIsGlobal() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    try Self.show(block)
    XCTAssertEqual(block.kind, .global)
    // The header is all of it, and copying gives the constant itself.
    XCTAssertEqual(block.size, MemoryLayout<Header>.size)
    XCTAssertEqual(block.copied(), block)
    let invoke = unsafe UInt(bitPattern: block.invokeAddress)
    XCTAssertEqual(try Self.header(of: block).invoke, invoke)
  }

  /// One that captures lies in its function's frame, until it is copied to the heap.
  func testABlockWithCapturesMovesFromTheStackToTheHeap() {
    unsafe fixture_with_capturing_block(7, nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      let onStack = unsafe Block(unsafePointer: pointer)
      let onHeap = onStack.copied()
      do {
        try BlockLayoutTests.show(onStack)
        try BlockLayoutTests.show(onHeap)
        let (stack, heap) = (
          try BlockLayoutTests.header(of: onStack), try BlockLayoutTests.header(of: onHeap)
        )
        // Another class and other flags; the code, the descriptor and so the signature are shared.
        XCTAssertNotEqual(stack.isa, heap.isa)
        XCTAssertEqual(stack.invoke, heap.invoke)
        XCTAssertEqual(stack.descriptor, heap.descriptor)
        // The flags word counts references too, in steps of two; on the stack nobody counts.
        XCTAssertEqual(stack.flags & 0xFFFF, 0)
        XCTAssertEqual(heap.flags & 0xFFFE, 2)
        XCTAssertEqual(heap.flags & ~0xFFFF, stack.flags & ~0xFFFF | Block.Flags.needsFree.rawValue)
        // What is captured must be copied and released: the descriptor has two helpers for that.
        XCTAssertTrue(onStack.flags.contains(.hasCopyDispose))
        XCTAssertTrue(onHeap.flags.contains([.needsFree, .hasCopyDispose, .hasSignature]))
      } catch { XCTFail("\(error)") }
    }
  }

  /// Captures follow the header as the members of a structure would.
  func testCapturesByValueLieInTheBlock() {
    unsafe fixture_with_capturing_block(7, nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      let block = unsafe Block(unsafePointer: pointer)
      let start = UInt(bitPattern: pointer)
      let captures = Captures(of: block)
      // All captures by value lie behind the header, within the size that the descriptor says.
      let places = start + UInt(MemoryLayout<Header>.size)..<start + UInt(block.size)
      XCTAssertTrue(places.contains(captures.number))
      XCTAssertTrue(places.contains(captures.ratio))
      XCTAssertTrue(places.contains(captures.inner))
      XCTAssertEqual(BlockLayoutTests.read(Int32.self, at: captures.number), 7)
      XCTAssertEqual(BlockLayoutTests.read(Double.self, at: captures.ratio), 2.5)
      // A captured block is a pointer to it, and what is there is a block again, on the heap.
      let word = BlockLayoutTests.read(UInt.self, at: captures.inner) ?? 0
      guard let inner = unsafe UnsafeRawPointer(bitPattern: word) else {
        return XCTFail("no block is captured")
      }
      let captured = unsafe Block(unsafePointer: inner)
      XCTAssertEqual(captured.encoding, "v8@?0")
      XCTAssertEqual(captured.kind, .heap)
      // A heap copy has captures of its own.
      XCTAssertNotEqual(Captures(of: block.copied()).number, captures.number)
    }
  }

  /// A `__block` variable is not in the block: both share a box, which moves to the heap as they
  /// do.
  func testCapturesByReferenceLieInABoxThatMoves() {
    unsafe fixture_with_capturing_block(7, nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      let block = unsafe Block(unsafePointer: pointer)
      let start = UInt(bitPattern: pointer)
      // The first call, on the stack: the box's `forwarding` is the box itself.
      let before = Captures(of: block).box
      XCTAssertEqual(BlockLayoutTests.read(SharedVariable.self, at: before)?.forwarding, before)
      XCTAssertEqual(BlockLayoutTests.read(SharedVariable.self, at: before)?.value, 101)
      XCTAssertFalse((start..<start + UInt(block.size)).contains(before))

      // The copy takes the box along. The old box forwards, so the block on the stack, which still
      // points there, sees the same variable.
      let after = Captures(of: block.copied()).box
      XCTAssertNotEqual(after, before)
      XCTAssertEqual(BlockLayoutTests.read(SharedVariable.self, at: before)?.forwarding, after)
      XCTAssertEqual(Captures(of: block).box, after)
      XCTAssertEqual(BlockLayoutTests.read(SharedVariable.self, at: after)?.value, 103)
    }
  }

  /// Swift's blocks capture one thing: the closure, as its code and its context.
  func testASwiftBlockHoldsAClosure() throws {
    let tracker = LifetimeTracker()
    let tracked = tracker.track()
    let closure: @convention(block) (Int32) -> Int32 = { number in
      withExtendedLifetime(tracked) { number + 1 }
    }
    let block = try Block(closure)
    try Self.show(block)
    XCTAssertEqual(block.kind, .heap)
    // The header, the closure's code, and its context, in which the objects are.
    XCTAssertEqual(block.size, MemoryLayout<Header>.size + 16)
    let start = unsafe block.withUnsafePointer { UInt(bitPattern: $0) }
    let code = try XCTUnwrap(Self.read(UInt.self, at: start + 32))
    guard let address = unsafe UnsafeRawPointer(bitPattern: code) else { return XCTFail("no code") }
    XCTAssertEqual(unsafe CodeSymbol(at: address), block.implementation)
    // What the block enters is a thunk, shared by all blocks of this type.
    XCTAssertNotEqual(code, unsafe UInt(bitPattern: block.invokeAddress))
  }

  /// clang writes a layout of the captures into blocks of Objective-C, as four counts in one
  /// number.
  func testAnExtendedLayoutCountsTheCaptures() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_with_layout()))
    XCTAssertTrue(block.flags.contains(.hasExtendedLayout))
    // 0x213: two strong references, one `__block` variable, three weak references.
    XCTAssertEqual(
      block.captureLayout?.map { "\($0.count) \($0.kind)" }, ["2 strong", "1 byref", "3 weak"])
  }
}
