import BlockABI
import CFixtures
import Foundation
import Invocations
import Synchronization
import TestSupport
import TypeEncodings
import XCTest

final class FunctionPointerTests: XCTestCase {
  private typealias Visitor = @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void

  func testQsortTakesASwiftClosure() throws {
    let compare = try FunctionPointer(signature: "i^v^v") { call in
      let left = unsafe try call.argument(0, as: UnsafePointer<Int32>.self).pointee
      let right = unsafe try call.argument(1, as: UnsafePointer<Int32>.self).pointee
      try call.setResult(left < right ? -1 : left > right ? 1 : 0)
    }
    var values: [Int32] = [5, -1, 3, 2, 4]
    let count = values.count
    let qsort = unsafe try CFunction(symbol: "qsort", signature: "v^vQQ^?")
    unsafe try values.withUnsafeMutableBytes { bytes in
      unsafe try qsort(bytes.baseAddress, count, 4, compare)
    }
    XCTAssertEqual(values, [-1, 2, 3, 4, 5])
  }

  func testAPointerIsUsableAsASwiftCFunction() throws {
    let seen = Recorder<Int32>()
    let pointer = try FunctionPointer(signature: "vi^v") { call in
      seen.record(try call.argument(0))
    }
    let visitor = unsafe try pointer.value(as: Visitor.self)
    unsafe fixture_visit([1, 2, 3], 3, visitor, nil)
    XCTAssertEqual(seen.entries, [1, 2, 3])
    typealias Wrong = @convention(c) (Int64, UnsafeMutableRawPointer?) -> Void
    expectError(.typeMismatch) {
      _ = unsafe try pointer.value(as: Wrong.self)
    }
    expectError(.typeMismatch) { _ = try pointer.value(as: Int.self) }
    let own = try FunctionPointer(signature: "v@?") { _ in }
    expectError(.typeMismatch) {
      _ = try own.value(as: (@convention(block) () -> Void).self)
    }
    expectError(.typeMismatch) {
      _ = unsafe try pointer.value(
        as: (@convention(block) (Int32, UnsafeMutableRawPointer?) -> Void).self)
    }
  }

  func testABlockIsCalledByAFunctionOfItsTypes() throws {
    let add: @convention(block) @Sendable (Int16, Double, UInt16, Float) -> Int64 = {
      Int64($0) + Int64($1) + Int64($2) + Int64($3)
    }
    let pointer = try FunctionPointer(calling: Block(add))
    XCTAssert(pointer.jumpsToBlock || CallEngine.current == .libffi)
    XCTAssertEqual(pointer.signature.withoutFrameOffsets().description, "qsdSf")
    typealias Add = @convention(c) (Int16, Double, UInt16, Float) -> Int64
    let call = try pointer.value(as: Add.self)
    XCTAssertEqual(call(-1, 10, 65_535, 0.5), 65_544)
  }

  func testABlockWhoseArgumentsLeaveTheRegistersIsCalledThroughAFrame() throws {
    let six: @convention(block) @Sendable (Int, Int, Int, Int, Int, Int) -> Int = {
      $0 + 10 * ($1 + 10 * ($2 + 10 * ($3 + 10 * ($4 + 10 * $5))))
    }
    let eight: @convention(block) @Sendable (Int, Int, Int, Int, Int, Int, Int, Int) -> Int = {
      six($0, $1, $2, $3, $4, $5) + $6 - $7
    }
    let pointers = try [FunctionPointer(calling: Block(six)), .init(calling: Block(eight))]
    #if arch(x86_64)
    XCTAssertEqual(pointers.map(\.jumpsToBlock), [false, false])
    #else
    XCTAssertFalse(pointers[1].jumpsToBlock)
    #endif
    typealias Six = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int
    typealias Eight = @convention(c) (Int, Int, Int, Int, Int, Int, Int, Int) -> Int
    XCTAssertEqual(try pointers[0].value(as: Six.self)(1, 2, 3, 4, 5, 6), 654_321)
    XCTAssertEqual(try pointers[1].value(as: Eight.self)(1, 2, 3, 4, 5, 6, 7, 8), 654_320)
  }

  func testAFunctionRetainsItsBlock() throws {
    let tracker = LifetimeTracker()
    do {
      let tracked = tracker.track()
      let work: @convention(block) @Sendable (Int32) -> Int32 = { value in
        withExtendedLifetime(tracked) { value + 1 }
      }
      let pointer = try FunctionPointer(calling: Block(work))
      XCTAssertEqual(tracker.alive, 1)
      XCTAssertEqual(try pointer.value(as: (@convention(c) (Int32) -> Int32).self)(1), 2)
    }
    tracker.expectNothingAlive()
  }

  func testTheClosureDiesWithItsOwner() throws {
    let tracker = LifetimeTracker()
    do {
      let tracked = tracker.track()
      let pointer = try FunctionPointer(signature: "v") { _ in withExtendedLifetime(tracked) {} }
      XCTAssertEqual(tracker.alive, 1)
      withExtendedLifetime(pointer) {}
    }
    tracker.expectNothingAlive()
  }

  func testAScopedPointerDiesWithItsScope() throws {
    let tracker = LifetimeTracker()
    let seen = Recorder<Int32>()
    do {
      let tracked = tracker.track()
      try FunctionPointer.withFunctionPointer(signature: "vi^v") { call in
        withExtendedLifetime(tracked) {}
        seen.record(try call.argument(0))
      } _: { pointer in
        unsafe fixture_visit([7], 1, try pointer.value(as: Visitor.self), nil)
      }
    }
    XCTAssertEqual(seen.entries, [7])
    tracker.expectNothingAlive()
  }

  func testAOneShotPointerFreesItselfAfterItsCall() throws {
    let tracker = LifetimeTracker()
    let seen = Recorder<Int32>()
    for round in 0..<100 {
      let tracked = tracker.track()
      let address = unsafe try FunctionPointer.makeOneShot(signature: "vi^v") { call in
        withExtendedLifetime(tracked) {}
        seen.record(try call.argument(0))
      }
      XCTAssertEqual(tracker.alive, 1)
      let visitor = unsafe unsafeBitCast(address, to: Visitor.self)
      unsafe fixture_visit([Int32(round)], 1, visitor, nil)
    }
    XCTAssertEqual(seen.entries, Array(0..<100))
    tracker.expectNothingAlive()
  }

  func testMoreThanAHundredThousandLiveAtOnce() throws {
    let count = 100_001
    let sum = Mutex(0)
    let pointers = try (0..<count).map { index in
      try FunctionPointer(signature: "v") { _ in sum.withLock { $0 += index } }
    }
    for pointer in pointers { try pointer.value(as: (@convention(c) () -> Void).self)() }
    XCTAssertEqual(sum.withLock { $0 }, count * (count - 1) / 2)
  }

  func testAnErrorOfTheHandlerIsReportedAndTheResultIsZero() throws {
    struct Refusal: Error {}
    let errors = Recorder<String>()
    let pointer = try FunctionPointer(
      signature: "ii", onError: { errors.record("\(type(of: $0))") },
      { _ in throw Refusal() })
    let function = try pointer.value(as: (@convention(c) (Int32) -> Int32).self)
    XCTAssertEqual(function(5), 0)
    XCTAssertEqual(errors.entries, ["Refusal"])
  }

  func testAHandlerHasNothingToProceedTo() throws {
    let errors = Recorder<ErrorCode?>()
    let pointer = try FunctionPointer(
      signature: "v", onError: { errors.record(($0 as? InvocationError)?.code) },
      { call in try call.proceed() })
    try pointer.value(as: (@convention(c) () -> Void).self)()
    XCTAssertEqual(errors.entries, [.cannotProceed])
  }

  /// Clang's `-fsanitize=function` reads the eight bytes before a function that it calls.
  func testWhatStandsBeforeAFunctionCanBeRead() throws {
    let pointers = try (0..<9000).map { _ in try FunctionPointer(signature: "v") { _ in } }
    let file = try XCTUnwrap(FileHandle(forReadingAtPath: "/proc/self/maps"))
    let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
    let starts = Set(
      maps.split(separator: "\n").compactMap { line in
        line.split(separator: "-").first.flatMap { UInt($0, radix: 16) }
      })
    XCTAssertFalse(starts.isEmpty)
    for pointer in pointers {
      XCTAssertFalse(starts.contains(unsafe UInt(bitPattern: pointer.unsafeAddress)))
    }
  }
}
