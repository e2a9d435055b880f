import BlockABI
import CFixtures
import Invocations
import TestSupport
import XCTest

final class InvocationTests: XCTestCase {
  private let add: @convention(block) (Int32, Double) -> Int32 = { $0 + Int32($1) }

  func testAnInvocationIsFilledInvokedAndReadAgainAndAgain() throws {
    let invocation = try Invocation(Block(add))
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4.5)
    try invocation.invoke()
    XCTAssertEqual(try invocation.result(as: Int.self), 7)
    try invocation.setArgument(1, 10)
    try invocation.invoke()
    XCTAssertEqual(try invocation.resultValue(), 14)
    XCTAssertEqual(try invocation.argument(1, as: Int.self), 10)
    XCTAssertEqual(try invocation.argumentValue(2), 4.5)
  }

  func testWhatIsMissingIsAnError() throws {
    let invocation = try Invocation(Block(add))
    expectError(.noResult) { _ = try invocation.result(as: Int.self) }
    expectError(.missingArgument) { try invocation.invoke() }
    expectError(.missingArgument) {
      _ = try invocation.argument(1, as: Int.self)
    }
    expectError(.argumentIndex) { try invocation.setArgument(3, 1) }
    expectError(.argumentIndex) { try invocation.setArgument(-1, 1) }
    expectError(.typeMismatch) { try invocation.setArgument(1, "text") }
    expectError(.typeMismatch) { try invocation.setArgument(1, add) }
    expectError(.missingTarget) { try Invocation(signature: "v@?").invoke() }
    expectError(.invalidSignature) { _ = try Invocation(signature: "") }
    let nothing: @convention(block) () -> Void = {}
    let void = try Invocation(Block(nothing))
    try void.invoke()
    expectError(.noResult) { _ = try void.resultValue() }
  }

  func testItIsInvokedOnOtherTargetsOfTheSameSignature() throws {
    let invocation = try Invocation(signature: "i@?id")
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4)
    try invocation.invoke(on: Block(add))
    XCTAssertEqual(try invocation.result(as: Int.self), 7)
    let multiply: @convention(block) (Int32, Double) -> Int32 = { $0 * Int32($1) }
    try invocation.invoke(on: Block(multiply))
    XCTAssertEqual(try invocation.result(as: Int.self), 12)
    let other: @convention(block) (Int32) -> Int32 = { $0 }
    expectError(.typeMismatch) { try invocation.invoke(on: Block(other)) }
  }

  func testACopyHasItsOwnArguments() throws {
    let invocation = try Invocation(Block(add))
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4)
    let copy = invocation.copied()
    try copy.setArgument(1, 30)
    try invocation.invoke()
    try copy.invoke()
    XCTAssertEqual(try invocation.result(as: Int.self), 7)
    XCTAssertEqual(try copy.result(as: Int.self), 34)
  }

  func testTheDescriptionShowsTargetArgumentsAndResult() throws {
    let pow = unsafe try CFunction(symbol: "pow", signature: "ddd")
    let invocation = Invocation(pow)
    try invocation.setArgument(0, 2)
    XCTAssertEqual(invocation.description, "pow(double 2.0, unset)")
    try invocation.setArgument(1, 10)
    try invocation.invoke()
    XCTAssertEqual(invocation.description, "pow(double 2.0, double 10.0) = double 1024.0")
  }

  func testArgumentsAreKeptForAsLongAsTheyAreSet() throws {
    let tracker = LifetimeTracker()
    let isThere: @convention(block) (AnyObject?) -> Bool = { $0 != nil }
    do {
      let invocation = try Invocation(Block(isThere))
      try invocation.setArgument(1, tracker.track())
      XCTAssertEqual(tracker.alive, 1)
      try invocation.setArgument(1, tracker.track())
      XCTAssertEqual(tracker.alive, 1)
      try invocation.invoke()
      XCTAssertTrue(try invocation.result())
    }
    tracker.expectNothingAlive()
  }

  func testRetainedTextSurvivesItsBuffer() throws {
    for retainsFirst in [false, true] {
      let invocation = try unsafe Invocation(
        Block(unsafePointer: XCTUnwrap(fixture_global_greeter())))
      if retainsFirst { invocation.retainArguments() }
      var buffer = Array("origin".utf8CString)
      unsafe try buffer.withUnsafeMutableBufferPointer { bytes in
        unsafe try invocation.setArgument(1, bytes.baseAddress)
        if !retainsFirst { invocation.retainArguments() }
        unsafe bytes.update(repeating: 0x58)
      }
      XCTAssertTrue(invocation.argumentsRetained)
      try invocation.invoke()
      XCTAssertEqual(try invocation.result(as: String.self), "origin")
    }
  }

  func testUnretainedMemoryIsTheCallers() throws {
    let invocation = try unsafe Invocation(
      Block(unsafePointer: XCTUnwrap(fixture_global_greeter())))
    var buffer = Array("origin".utf8CString)
    unsafe try buffer.withUnsafeMutableBufferPointer { bytes in
      unsafe try invocation.setArgument(1, bytes.baseAddress)
      unsafe bytes[0] = 0x4F
      try invocation.invoke()
      XCTAssertEqual(try invocation.result(as: String.self), "Origin")
    }
  }

  func testAnObjectResultIsKeptUntilTheNextCall() throws {
    let tracker = LifetimeTracker()
    do {
      let make: @convention(block) () -> AnyObject = { tracker.track() }
      let other: @convention(block) () -> AnyObject = { LifetimeTracker() }
      let invocation = try Invocation(Block(make))
      try invocation.invoke()
      try Block(other).call()
      XCTAssertEqual(tracker.alive, 1)
      XCTAssertNoThrow(try invocation.result(as: LifetimeTracker.Tracked.self))
      try invocation.invoke(on: Block(other))
      XCTAssertEqual(tracker.alive, 0)
    }
    tracker.expectNothingAlive()
  }

  /// One more than the argument, in every scalar type.
  func testEveryScalarGoesInAndOneMoreComesOut() throws {
    let rows: [(encoding: String, value: CValue, next: CValue)] = [
      ("c", 98, 99), ("C", 254, 255), ("s", 12344, 12345), ("i", 123_455, 123_456),
      ("q", 123_455, 123_456), ("Q", 7, 8), ("f", .float(122.5), .float(123.5)),
      ("d", 122.5, 123.5), ("D", .longDouble(1.5), .longDouble(2.5)),
    ]
    for row in rows {
      let block = try Block(signature: "\(row.encoding)@?\(row.encoding)") { call in
        switch try call.argumentValue(1) {
        case .integer(let value): try call.setResultValue(.integer(value + 1))
        case .float(let value): try call.setResultValue(.float(value + 1))
        case .double(let value): try call.setResultValue(.double(value + 1))
        case .longDouble(let value): try call.setResultValue(.longDouble(value + 1))
        default: XCTFail("no such value")
        }
      }
      let invocation = try Invocation(block)
      try invocation.setArgumentValue(1, row.value)
      try invocation.invoke()
      XCTAssertEqual(try invocation.resultValue(), row.next, row.encoding)
    }
  }

  func testBitFieldsMakeTheRoundTrip() throws {
    let flags = (0..<10).map { "b\($0)I1" }.joined()
    let rows: [(encoding: String, value: [CValue])] = [
      ("{three=b0I4b4I4b8I4}", [3, 5, 7]),
      ("{flags=\(flags)}", (0..<10).map { .integer($0 % 3 == 0 ? 1 : 0) }),
      ("{units=b0i20b32i20}", [-500_000, 400_000]),
    ]
    for row in rows {
      let block = try Block(signature: "\(row.encoding)@?\(row.encoding)i") { call in
        XCTAssertEqual(try call.argument(2, as: Int.self), 9)
        guard case .structure(let values) = try call.argumentValue(1) else { return XCTFail() }
        try call.setResultValue(.structure(values.reversed()))
      }
      let result = try block.call(values: [.structure(row.value), 9])
      XCTAssertEqual(result, .structure(row.value.reversed()), row.encoding)
    }
    let block = try Block(signature: "v@?{b=b0I3}") { _ in }
    expectError(.valueOutOfRange) {
      _ = try block.call(values: [.structure([8])])
    }
  }

  func testMoreSignaturesThanTheCacheHoldsStillWork() throws {
    for index in 0..<1500 {
      let block = try Block(signature: "i@?{R\(index)=i}") { call in
        guard case .structure(let values) = try call.argumentValue(1) else { return }
        try call.setResultValue(values[0])
      }
      XCTAssertEqual(try block.call(values: [.structure([7])]), 7)
    }
  }
}
