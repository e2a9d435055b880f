import BlockABI
import CFixtures
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: the blocks have their own signatures.

/// What prepared calls and their handles keep alive.
final class PreparedCallLifetimeTests: XCTestCase {
  func testAnObjectThatACallReturnsIsKeptUntilTheNextCall() throws {
    let tracker = LifetimeTracker()
    do {
      let make: @convention(block) () -> AnyObject = { tracker.track() }
      let other: @convention(block) () -> AnyObject = { LifetimeTracker() }
      let invocation = try Invocation(Block(make))
      let call = try invocation.prepared()
      for _ in 0..<10 {
        call()
        try Block(other).call()
        XCTAssertEqual(tracker.alive, 1)
        XCTAssertNoThrow(try invocation.result(as: LifetimeTracker.Tracked.self))
      }
    }
    tracker.expectNothingAlive()
  }

  func testABlockThatACallReturnsIsKept() throws {
    let returner = unsafe try XCTUnwrap(fixture_returner())
    defer { unsafe fixture_release(returner) }
    let invocation = try Invocation(unsafe Block(unsafePointer: returner))
    try invocation.setArgument(1, 10)
    let call = try invocation.prepared()
    call()
    let made: Block = try invocation.result()
    XCTAssertEqual(try made.call(5) as Int, 16)
    // The block's own reference, which its C caller would have released.
    unsafe made.withUnsafePointer { unsafe fixture_release($0) }
  }

  func testThePreparedCallKeepsItsTargetAndItsArguments() throws {
    let tracker = LifetimeTracker()
    do {
      let call: PreparedCall
      let handle: PreparedResult<Bool>
      do {
        let tracked = tracker.track()
        let isAlive: @convention(block) (AnyObject?) -> Bool = { object in
          object != nil && object === tracked
        }
        let invocation = try Invocation(Block(isAlive).copied())
        try invocation.setArgument(1, tracked)
        call = try invocation.prepared()
        handle = try call.result(as: Bool.self)
      }
      XCTAssertEqual(tracker.alive, 1)
      call()
      XCTAssertTrue(handle.value)
    }
    tracker.expectNothingAlive()
  }

  func testAHandleAloneKeepsTheMemory() throws {
    let tracker = LifetimeTracker()
    var handle: PreparedArgument<Int32>?
    do {
      let tracked = tracker.track()
      let take: @convention(block) (Int32) -> Void = { _ in withExtendedLifetime(tracked) {} }
      let invocation = try Invocation(Block(take))
      try invocation.setArgument(1, 5)
      handle = try invocation.prepared().argument(1)
    }
    XCTAssertEqual(tracker.alive, 1)
    handle?.value += 1
    XCTAssertEqual(handle?.value, 6)
    handle = nil
    tracker.expectNothingAlive()
  }
}
