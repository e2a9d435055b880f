import BlockABI
import BlockHooks
import CFixtures
import Invocations
import Synchronization
import TestSupport
import TypeEncodings
import XCTest

/// What is kept alive during a call, after it, and for how long.
final class LifetimeTests: XCTestCase {
  func testABlockMayReturnNoBlock() {
    typealias Work = @convention(block) () -> Void
    let maker: @convention(block) (Bool) -> Work? = { isWanted -> Work? in
      let work: Work = {}
      return isWanted ? work : nil
    }
    // Generic code copies a block as a Swift closure, so neither `Any` nor `==` may see it.
    if case .some = maker(false) { XCTFail("a block was returned") }
    if case .some = maker(false) { XCTFail("a block was returned") }
  }

  private struct Holder {
    var object: LifetimeTracker.Tracked
  }

  func testAnObjectInsideAStructureIsKept() throws {
    let tracker = LifetimeTracker()
    do {
      let block = try Block(signature: "B@?{Holder=@}") { call in
        let holder: Holder = try call.argument(1)
        withExtendedLifetime(holder) {}
        try call.setResult(tracker.alive == 1)
      }
      let invocation = try Invocation(block)
      try invocation.setArgument(1, Holder(object: tracker.track()))
      XCTAssertEqual(tracker.alive, 1)
      try invocation.invoke()
      XCTAssertTrue(try invocation.result())

      try block.hook(.before) { call in
        try call.setArgument(1, Holder(object: tracker.track()))
      }
      try invocation.setArgument(1, Holder(object: tracker.track()))
    }
    tracker.expectNothingAlive()
  }

  /// Claims an encoding that is not its layout.
  private struct Liar: TypeEncodable {
    static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.int64)) }
    var words = (0, 0, 0, 0)
  }

  func testAFalseEncodingOfASwiftTypeIsRefused() throws {
    let block = try Block(signature: "q@?q") { _ in }
    expectError(.typeMismatch) { try block.call(Liar()) }
    expectError(.typeMismatch) { let _: Liar = try block.call(1) }
  }

  func testAFailedStoreLeavesTheArgumentAsItWas() throws {
    let block = try Block(signature: "i@?{R=*i}") { call in
      guard case .structure(let values) = try call.argumentValue(1) else { return }
      XCTAssertEqual(values, ["first", 1])
      try call.setResult(1)
    }
    let invocation = try Invocation(block)
    try invocation.setArgumentValue(1, .structure(["first", 1]))
    expectError(.typeMismatch) {
      try invocation.setArgumentValue(1, .structure(["second", "no integer"]))
    }
    try invocation.invoke()
    XCTAssertEqual(try invocation.result(as: Int.self), 1)
  }

  func testAResultThatPointsIntoAChangedArgumentIsStillThere() throws {
    let pointer = unsafe try XCTUnwrap(fixture_echo_block())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    try block.hook { call in
      try call.setArgument(1, String(repeating: "changed ", count: 100))
      try call.proceed()
    }
    let text: String = try block.call("given")
    XCTAssertEqual(text, String(repeating: "changed ", count: 100))
  }

  func testAMadeBlockThatIsGivenUpByItsHandlerLivesUntilTheCallEnds() throws {
    let last = Mutex<Block?>(nil)
    let pointer: UnsafeRawPointer
    do {
      let made = try Block(signature: "i@?i") { call in
        last.withLock { $0 = nil }
        XCTAssertEqual(try call.argument(0, as: Block.self).encoding, "i12@?0i8")
        try call.setResult(1)
      }
      unsafe pointer = made.withUnsafePointer { unsafe $0 }
      last.withLock { $0 = made }
    }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 41), 1)
  }

  func testAResultThatPointsIntoAnEarlierOneIsStillThere() throws {
    let pointer = unsafe try XCTUnwrap(fixture_echo_block())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    try block.hook(.after) { call in
      let text = unsafe try call.result(as: UnsafeRawPointer.self)
      unsafe try call.setResult(text + 6)
    }
    try block.hook { call in try call.setResult(String(repeating: "pre", count: 100)) }
    XCTAssertEqual(try block.call("given") as String, String(repeating: "pre", count: 100))
    for hook in block.hooks { hook.remove() }
    try block.hook { call in try call.setResult(String(repeating: "pre", count: 100)) }
    try block.hook(.after) { call in
      let text = unsafe try call.result(as: UnsafeRawPointer.self)
      unsafe try call.setResult(text + 3)
    }
    XCTAssertEqual(try block.call("given") as String, String(repeating: "pre", count: 99))
  }

  func testABlockThatIsGivenUpInsideItsCallLivesUntilTheCallEnds() throws {
    let tracker = LifetimeTracker()
    let last = Mutex<Block?>(nil)
    let pointer: UnsafeRawPointer
    do {
      let tracked = tracker.track()
      let made = try Block(signature: "i@?i") { call in
        XCTAssertEqual(tracker.alive, 1)
        withExtendedLifetime(tracked) {}
        try call.setResult(call.argument(1, as: Int.self) + 1)
      }
      try made.hook([.before, .after]) { call in
        last.withLock { $0 = nil }
        XCTAssertEqual(try call.argument(0, as: Block.self).encoding, "i12@?0i8")
      }
      unsafe pointer = made.withUnsafePointer { unsafe $0 }
      last.withLock { $0 = made }
    }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 41), 42)
    tracker.expectNothingAlive()
  }

  private final class Nested {
    let block: Block
    init(_ block: Block) { self.block = block }
    deinit { try? block.call() }
  }

  func testAnObjectWhoseEndReturnsAnotherDoesNotTakeTheNextWithIt() throws {
    let tracker = LifetimeTracker()
    do {
      let inner: @convention(block) () -> AnyObject = { tracker.track() }
      let block = try Block(inner)
      let outer: @convention(block) () -> AnyObject = { Nested(block) }
      for _ in 0..<10 {
        XCTAssertTrue(outer() is Nested)
        XCTAssertTrue(inner() is LifetimeTracker.Tracked)
      }
      let other: @convention(block) () -> AnyObject = { LifetimeTracker() }
      try Block(other).call()
      try Block(other).call()
    }
    tracker.expectNothingAlive()
  }

  func testABlockInAnObjectsPlaceIsABlock() throws {
    let seen = Recorder<String>()
    let taker = try Block(signature: "v@?@") { call in
      seen.record(call.arguments.description)
      let block: Block = try call.argument(1)
      seen.record("\(try block.call(1) as Int)")
      do { _ = try call.argument(1, as: LifetimeTracker.self) } catch { seen.record("refused") }
    }
    let add: @convention(block) (Int32) -> Int32 = { $0 + 1 }
    let invocation = try Invocation(taker)
    try invocation.setArgument(1, Block(add))
    invocation.retainArguments()
    try invocation.invoke()
    XCTAssertTrue(seen.entries[0].hasPrefix("block i@?i 0x"), "\(seen.entries)")
    XCTAssertEqual(seen.entries.dropFirst(), ["2", "refused"])
  }

  func testTheTargetIsArgumentZeroAndCannotBeChangedInACall() throws {
    let codes = Recorder<ErrorCode?>()
    let add: @convention(block) (Int32) -> Int32 = { $0 + 1 }
    let block = try Block(add)
    let invocation = try Invocation(block)
    XCTAssertEqual(try invocation.argument(0, as: Block.self), block)
    try block.hook { call in
      do {
        try call.setArgument(0, call.argument(0, as: Block.self))
      } catch {
        codes.record((error as? InvocationError)?.code)
      }
      try call.proceed()
    }
    XCTAssertEqual(add(1), 2)
    XCTAssertEqual(codes.entries, [.typeMismatch])
  }

  func testAHugeArrayOfNothingTakesNoMemory() throws {
    let seen = Recorder<String>()
    let block = try Block(signature: "v@?{S=c[400000000{E=}]}") { call in
      seen.record(call.arguments.description)
    }
    _ = try block.call(values: [.structure([7, .array([])])])
    XCTAssertEqual(seen.entries, ["{S i8 7, []}"])
  }

  func testHalvesOfARecordReachTheLastRegister() throws {
    let record = fixture_mixed(a: 6, b: 1.5)
    let last = unsafe try CFunction(
      unsafeAddress: address(fixture_last_register), signature: "dqqqqddq{fixture_mixed=qd}d")
    let near: Double = try last(1, 2, 3, 4, 0.5, 0.25, 5, record, 0.125)
    XCTAssertEqual(near, fixture_last_register(1, 2, 3, 4, 0.5, 0.25, 5, record, 0.125))
    let past = unsafe try CFunction(
      unsafeAddress: address(fixture_past_the_last_register),
      signature: "dqqqqqqd{fixture_mixed=qd}d")
    let far: Double = try past(1, 2, 3, 4, 5, 6, 0.5, record, 0.125)
    XCTAssertEqual(far, fixture_past_the_last_register(1, 2, 3, 4, 5, 6, 0.5, record, 0.125))
  }

  private typealias Last =
    @convention(c) (
      Int, Int, Int, Int, Double, Double, Int, fixture_mixed, Double
    ) -> Double
  private typealias Past =
    @convention(c) (
      Int, Int, Int, Int, Int, Int, Double, fixture_mixed, Double
    ) -> Double

  private func address(_ function: Last) -> UnsafeRawPointer {
    unsafe unsafeBitCast(function, to: UnsafeRawPointer.self)
  }
  private func address(_ function: Past) -> UnsafeRawPointer {
    unsafe unsafeBitCast(function, to: UnsafeRawPointer.self)
  }
}
