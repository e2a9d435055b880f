import BlockABI
import CFixtures
import Dispatch
import Invocations
import TestSupport
import XCTest

final class MadeBlockTests: XCTestCase {
  func testCCodeCallsABlockMadeFromAHandler() throws {
    let block = try Block(signature: "i@?ii") { call in
      let left: Int32 = try call.argument(1)
      let right: Int32 = try call.argument(2)
      try call.setResult(left * right)
    }
    XCTAssertEqual(block.encoding, "i16@?0i8i12")
    XCTAssertEqual(block.kind, .heap)
    unsafe block.withUnsafePointer { XCTAssertEqual(unsafe fixture_call_int_int($0, 6, 7), 42) }
    let swift = try block.value(as: (@convention(block) (Int32, Int32) -> Int32).self)
    XCTAssertEqual(swift(6, 7), 42)
    XCTAssertEqual(try block.call(6, 7) as Int, 42)
  }

  func testTheBlocksOwnPlaceMayBeLeftOut() throws {
    let block = try Block(signature: "dd") { call in
      try call.setResult(call.argument(1, as: Double.self) * 2)
    }
    XCTAssertEqual(block.encoding, "d16@?0d8")
    XCTAssertEqual(try block.call(2.5) as Double, 5)
  }

  func testLibdispatchCopiesCallsAndReleasesIt() throws {
    let tracker = LifetimeTracker()
    let calls = Recorder<Int>()
    do {
      let tracked = tracker.track()
      let block = try Block(signature: "v@?") { _ in
        withExtendedLifetime(tracked) {}
        calls.record(1)
      }
      unsafe block.withUnsafePointer { unsafe fixture_dispatch_async_and_wait($0) }
      let work = try block.value(as: (@convention(block) () -> Void).self)
      DispatchQueue(label: "made").sync(execute: work)
    }
    XCTAssertEqual(calls.entries.count, 2)
    tracker.expectNothingAlive()
  }

  func testTheClosureDiesWithTheLastCopy() throws {
    let tracker = LifetimeTracker()
    var copy: UnsafeRawPointer?
    do {
      let tracked = tracker.track()
      let block = try Block(signature: "v@?") { _ in withExtendedLifetime(tracked) {} }
      unsafe block.withUnsafePointer { unsafe copy = unsafe fixture_copy($0) }
    }
    XCTAssertEqual(tracker.alive, 1)
    unsafe fixture_call_void(copy)
    unsafe fixture_release(copy)
    tracker.expectNothingAlive()
  }

  func testTextThatIsReturnedSurvivesTheCall() throws {
    let block = try Block(signature: "r*@?r*") { call in
      try call.setResult("<" + call.argument(1, as: String.self) + ">")
    }
    unsafe block.withUnsafePointer { pointer in
      let text = unsafe fixture_call_string(pointer, "inside")
      XCTAssertEqual(unsafe text.map { unsafe String(cString: $0) }, "<inside>")
    }
  }

  func testAMissingResultIsZero() throws {
    let block = try Block(signature: "i@?i") { _ in }
    unsafe block.withUnsafePointer { XCTAssertEqual(unsafe fixture_call_int($0, 5), 0) }
    let large = try Block(signature: "{L=qqqqqqq}@?{L=qqqqqqq}i") { _ in }
    unsafe large.withUnsafePointer { pointer in
      let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
      let result = unsafe fixture_call_large(pointer, value, 1)
      XCTAssertEqual([result.a, result.d, result.g], [0, 0, 0])
    }
    #if arch(arm64)
    XCTAssertFalse(large.flags.contains(.usesStructReturn), "compilers do not set it")
    #else
    XCTAssertTrue(large.flags.contains(.usesStructReturn))
    #endif
  }

  func testAnObjectThatIsReturnedReachesTheCallerAndDoesNotLeak() throws {
    let tracker = LifetimeTracker()
    do {
      let block = try Block(signature: "@@?") { call in try call.setResult(tracker.track()) }
      let function = try block.value(as: (@convention(block) () -> AnyObject).self)
      for _ in 0..<10 {
        XCTAssertTrue(function() is LifetimeTracker.Tracked)
        XCTAssertLessThanOrEqual(tracker.alive, 1)
      }
      let other = try Block(signature: "@@?") { call in try call.setResult(LifetimeTracker()) }
      try other.call()
    }
    tracker.expectNothingAlive()
  }

  func testSignaturesThatCannotBeMadeAreRefused() {
    for signature in ["", "v@?{", "v@?{A=b20b20b20}", "v@?v", "{E=}@?"] {
      expectError(.invalidSignature) {
        _ = try Block(signature: signature) { _ in }
      }
    }
  }
}
