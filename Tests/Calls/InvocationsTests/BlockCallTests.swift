import BlockABI
import CFixtures
import Invocations
import TestSupport
import XCTest

final class BlockCallTests: XCTestCase {
  private let add: @convention(block) (Int32, Double) -> Int32 = { $0 + Int32($1) }

  func testATypedCallConvertsLiterals() throws {
    let sum: Int32 = try Block(add).call(3, 4.5)
    XCTAssertEqual(sum, 7)
    let wide: Int = try Block(add).call(Int8(3), 4)
    XCTAssertEqual(wide, 7)
  }

  func testAResultCanBeIgnored() throws {
    let seen = Recorder<Int32>()
    let work: @convention(block) (Int32) -> Int32 = { value in
      seen.record(value)
      return value
    }
    try Block(work).call(3)
    XCTAssertEqual(seen.entries, [3])
  }

  func testNothingIsTruncatedSilently() throws {
    let block = try Block(add)
    expectError(.valueOutOfRange) { try block.call(Int(Int32.max) + 1, 4.5) }
    expectError(.typeMismatch) { try block.call(3.5, 4.5) }
    expectError(.valueOutOfRange) { try block.call(3, (1 << 53) + 1) }
    expectError(.valueOutOfRange) { let _: Int8 = try block.call(100, 100) }
    expectError(.typeMismatch) { let _: Double = try block.call(1, 1) }
    let narrow: @convention(block) (Float) -> Void = { _ in }
    expectError(.valueOutOfRange) { try Block(narrow).call(1e300) }
    expectError(.valueOutOfRange) { try Block(narrow).call(1e-300) }
    try Block(narrow).call(0.1)
  }

  func testWrongArgumentsAreRefused() throws {
    let block = try Block(add)
    expectError(.argumentCount) { try block.call() }
    expectError(.argumentCount) { try block.call(1) }
    expectError(.argumentCount) { try block.call(1, 2, 3) }
    expectError(.typeMismatch) { try block.call("1", 2) }
    expectError(.typeMismatch) { try block.call(true, 2) }
    expectError(.typeMismatch) { try block.call(nil as Int?, 2) }
    expectError(.typeMismatch) { try block.call(add, 2) }
    expectError(.typeMismatch) { let _: String = try block.call(1, 2) }
    expectError(.typeMismatch) {
      let _: @convention(block) () -> Void = try block.call(1, 2)
    }
    let nothing: @convention(block) () -> Void = {}
    expectError(.noResult) { let _: Int = try Block(nothing).call() }
    XCTAssertEqual(try Block(nothing).call(values: []), .void)
  }

  func testTextGoesToACStringForTheDurationOfTheCall() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_greeter()))
    let answer: String = try block.call("grüße")
    XCTAssertEqual(answer, "grüße")
    let nothing: String? = try block.call(nil as String?)
    XCTAssertNil(nothing)
    expectError(.unexpectedNull) {
      let _: String = try block.call(nil as String?)
    }
    expectError(.valueOutOfRange) { try block.call("zero\0inside") }
  }

  func testMoreArgumentsThanRegistersArrive() throws {
    let pointer = unsafe try XCTUnwrap(fixture_fifteen_block())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let result: Int = try block.call(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    XCTAssertEqual(result, 2240)
    XCTAssertEqual(result, unsafe fixture_call_fifteen(pointer))
  }

  func testABlockIsPassedAndReturnedAsABlock() throws {
    let applier = unsafe try XCTUnwrap(fixture_applier())
    let returner = unsafe try XCTUnwrap(fixture_returner())
    defer {
      unsafe fixture_release(applier)
      unsafe fixture_release(returner)
    }
    let double: @convention(block) (Int32) -> Int32 = { 2 * $0 }
    let applied: Int32 = unsafe try Block(unsafePointer: applier).call(Block(double), 20)
    XCTAssertEqual(applied, 41)

    let made: Block = unsafe try Block(unsafePointer: returner).call(10)
    XCTAssertEqual(try made.call(5) as Int32, 16)
    // The block's own reference, which its C caller would have released.
    unsafe made.withUnsafePointer { pointer in
      XCTAssertEqual(unsafe fixture_reference_count(pointer), 2)
      unsafe fixture_release(pointer)
    }
  }

  func testAStructureIsPassedAndReturnedByItsSwiftType() throws {
    let pointer = unsafe try XCTUnwrap(fixture_large_block())
    defer { unsafe fixture_release(pointer) }
    let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
    let result: fixture_large = unsafe try Block(unsafePointer: pointer).call(value, 10)
    XCTAssertEqual([result.a, result.b, result.f, result.g], [11, 2, 6, 17])
    expectError(.typeMismatch) {
      let _: (Int, Int) = unsafe try Block(unsafePointer: pointer).call(value, 10)
    }
  }

  func testABlockWhoseArgumentVanishedIsRefused() throws {
    let pointer = unsafe try XCTUnwrap(fixture_vector_block())
    defer { unsafe fixture_release(pointer) }
    expectError(.invalidSignature) {
      unsafe try Block(unsafePointer: pointer).call(1, 2)
    }
  }

  func testObjectsThatBlocksReturnAreOwnedByTheCallerAndDoNotLeak() throws {
    let tracker = LifetimeTracker()
    let maker: @convention(block) () -> AnyObject = { tracker.track() }
    let block = try Block(maker)
    for _ in 0..<100 {
      let object: LifetimeTracker.Tracked = try block.call()
      let anything: AnyObject = try block.call()
      XCTAssertLessThanOrEqual(tracker.alive, 3)
      withExtendedLifetime((object, anything)) {}
    }
    expectError(.typeMismatch) { let _: LifetimeTracker = try block.call() }
    // One object a thread stays until the thread's next result.
    XCTAssertLessThanOrEqual(tracker.alive, 1)
    let other: @convention(block) () -> AnyObject = { LifetimeTracker() }
    try Block(other).call()
    tracker.expectNothingAlive()
  }

  func testAnObjectArgumentIsPassed() throws {
    let tracker = LifetimeTracker()
    let isTracker: @convention(block) (AnyObject?) -> Bool = { $0 === tracker }
    XCTAssertTrue(try Block(isTracker).call(tracker))
    XCTAssertFalse(try Block(isTracker).call(nil as AnyObject?))
    XCTAssertFalse(try Block(isTracker).call(LifetimeTracker()))
  }

  func testManyThreadsCallAtOnce() throws {
    let block = try Block(add)
    let sums = Recorder<Int32>()
    DispatchQueue.concurrentPerform(iterations: 1000) { index in
      if let sum: Int32 = try? block.call(index, 0.5) { sums.record(sum) }
    }
    XCTAssertEqual(sums.entries.sorted(), Array(0..<1000))
  }
}
