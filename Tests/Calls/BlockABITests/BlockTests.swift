import BlockABI
import CFixtures
import Glibc
import TestSupport
import TypeEncodings
import XCTest

private typealias IntBlock = @convention(block) (Int32) -> Int32

/// Blocks are dangerous in generic code on Linux: every way in is tried here without optimisation.
final class BlockTests: XCTestCase {
  func testABlockIsMadeFromASwiftBlock() throws {
    let base: Int32 = 3
    let add: IntBlock = { $0 + base }
    let block = try Block(add)
    XCTAssertEqual(block.encoding, "i12@?0i8")
    XCTAssertEqual(block.kind, .heap)
    XCTAssertEqual(add(4), 7)
  }

  func testABlockIsMadeInsideGenericCode() throws {
    func wrapped<Value>(_ value: borrowing Value) throws -> Block { try Block(value) }
    let block: IntBlock = { $0 }
    XCTAssertEqual(try wrapped(block), try Block(block))
  }

  func testABlockInABoxSurvivesCollectionsAndAny() throws {
    let block: IntBlock = { $0 * 2 }
    let box = try Block(block)
    let list = [box, box]
    let table = ["a": box]
    let anything: Any = box
    XCTAssertEqual(Set(list).count, 1)
    XCTAssertEqual(table["a"], box)
    let back = try XCTUnwrap(anything as? Block)
    XCTAssertEqual(try back.value(as: IntBlock.self)(21), 42)
  }

  func testOtherValuesAreRefused() {
    func expectRefusal(
      _ make: @autoclosure () throws -> Block, line: UInt = #line
    ) {
      XCTAssertThrowsError(try make(), line: line) { error in
        XCTAssertEqual((error as? BlockError)?.code, .notABlock, line: line)
      }
    }
    let closure: (Int) -> Int = { $0 }
    let cFunction: @convention(c) (Int) -> Int = { $0 }
    expectRefusal(try Block(5))
    expectRefusal(try Block("text"))
    expectRefusal(try Block(closure))
    expectRefusal(try Block(cFunction))
    expectRefusal(try Block(LifetimeTracker()))
  }

  func testReferencesAreBalanced() throws {
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(1))
    XCTAssertEqual(unsafe fixture_reference_count(pointer), 1)
    do {
      let block = unsafe Block(unsafePointer: pointer)
      XCTAssertEqual(unsafe fixture_reference_count(pointer), 2)
      let copy = block.copied()
      XCTAssertEqual(unsafe fixture_reference_count(pointer), 3)
      XCTAssertEqual(copy, block)
      _ = try block.value(as: IntBlock.self)
    }
    XCTAssertEqual(unsafe fixture_reference_count(pointer), 1)
    unsafe fixture_release(pointer)
  }

  func testTheCapturesOfASwiftBlockDieWithItsLastReference() throws {
    let tracker = LifetimeTracker()
    do {
      let tracked = tracker.track()
      let closure: @convention(block) () -> Void = { withExtendedLifetime(tracked) {} }
      let block = try Block(closure)
      let value = try block.value(as: (@convention(block) () -> Void).self)
      value()
      XCTAssertEqual(tracker.alive, 1)
    }
    tracker.expectNothingAlive()
  }

  func testEveryKindIsRecognised() throws {
    let global = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    XCTAssertEqual(global.kind, .global)
    XCTAssertEqual(global.flags, [.isGlobal, .hasSignature])
    XCTAssertEqual(global.encoding, "i16@?0i8i12")
    XCTAssertEqual(global.size, 32)

    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(1))
    defer { unsafe fixture_release(pointer) }
    let heap = unsafe Block(unsafePointer: pointer)
    XCTAssertEqual(heap.kind, .heap)
    XCTAssertEqual(heap.flags, [.needsFree, .hasSignature])
    XCTAssertEqual(heap.size, 36)

    let large = unsafe try XCTUnwrap(fixture_large_block())
    defer { unsafe fixture_release(large) }
    #if arch(x86_64)
    XCTAssertEqual(unsafe Block(unsafePointer: large).structReturnFlag, true)
    #else
    XCTAssertNil(unsafe Block(unsafePointer: large).structReturnFlag)
    #endif
  }

  func testAStackBlockIsNeitherCopiedNorRetained() {
    unsafe fixture_with_stack_block(nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      let block = unsafe Block(unsafePointer: pointer)
      XCTAssertEqual(block.kind, .stack)
      unsafe block.withUnsafePointer { unsafe XCTAssertEqual(unsafe $0, unsafe pointer) }
      let copy = block.copied()
      XCTAssertEqual(copy.kind, .heap)
      XCTAssertNotEqual(copy, block)
      XCTAssertEqual(try? copy.value(as: IntBlock.self)(5), 15)
    }
  }

  func testABlockThatItsCalleeDoesNotKeepIsOnTheStackAndNoGlobal() {
    unsafe fixture_with_noescape_block(nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      let block = unsafe Block(unsafePointer: pointer)
      XCTAssertEqual(block.kind, .stack)
      XCTAssertEqual(block.flags, [.isNoEscape, .isGlobal, .hasSignature])
      XCTAssertEqual(try? block.value(as: IntBlock.self)(5), 15)
    }
  }

  func testABlockWithoutSignatureSaysSo() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
    XCTAssertNil(block.encoding)
    XCTAssertNil(try block.signature)
    expectError(.noSignature) { _ = try { _ = try block.value(as: IntBlock.self) }() }
    let described = unsafe try block.assuming(signature: "i@?i")
    XCTAssertEqual(try described.value(as: IntBlock.self)(21), 42)
  }

  func testAnAssumedSignatureMustBeABlocks() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    for encoding in ["", "i", "ii", "v@:", "i@?{", "@?"] {
      XCTAssertThrowsError(unsafe try block.assuming(signature: encoding), encoding) { error in
        XCTAssertEqual((error as? BlockError)?.code, .invalidSignature, encoding)
      }
    }
  }

  func testAValueOfAnotherTypeIsRefusedWithTheDifference() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    typealias Wrong = @convention(block) (Int32, Int) -> Int32
    XCTAssertThrowsError(try { _ = try block.value(as: Wrong.self) }()) { error in
      let error = error as? BlockError
      XCTAssertEqual(error?.code, .typeMismatch)
      XCTAssertTrue(error?.message.contains("argument 2") ?? false, "\(error as Any)")
    }
    XCTAssertThrowsError(try { _ = try block.value(as: Int.self) }())
    XCTAssertThrowsError(try { _ = try block.value(as: ((Int32, Int32) -> Int32).self) }())
  }

  func testTheImplementationIsNamed() throws {
    let global = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    let symbol = try XCTUnwrap(global.implementation)
    XCTAssertTrue(symbol.name?.contains("block_invoke") ?? false, "\(symbol)")
    XCTAssertTrue(symbol.image.contains("xctest"), symbol.image)
    XCTAssertEqual("\(symbol)", "\(try XCTUnwrap(symbol.name)) in \(symbol.image)")

    let closure: @convention(block) () -> Void = {}
    let name = try XCTUnwrap(Block(closure).implementation?.name)
    XCTAssertTrue(name.contains("closure #1"), name)
    XCTAssertTrue(name.contains("testTheImplementationIsNamed"), name)
  }

  func testAnAddressOutsideOfAllImagesHasNoSymbol() {
    XCTAssertNil(unsafe CodeSymbol(at: UnsafeRawPointer(bitPattern: 0x10)!))
  }

  func testACaptureLayoutIsRead() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_with_layout()))
    XCTAssertEqual(
      block.captureLayout,
      [.init(kind: .strong, count: 2), .init(kind: .byref, count: 1), .init(kind: .weak, count: 3)])
    let other = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    XCTAssertNil(other.captureLayout)
  }

  func testADispatchBlockShowsTheBlockInside() throws {
    var counter: Int32 = 0
    let pointer = unsafe try XCTUnwrap(fixture_dispatch_block(&counter))
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let inner = try XCTUnwrap(block.dispatchedBlock)
    XCTAssertEqual(inner.encoding, "v8@?0")
    XCTAssertNotEqual(inner, block)
    XCTAssertNil(inner.dispatchedBlock)
  }
}
