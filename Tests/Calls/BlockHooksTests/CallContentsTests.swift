import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// The three kinds of calls have the same functions and the same indices.
final class CallContentsTests: XCTestCase {
  private typealias Sum = @convention(block) (Int32, Double) -> Double

  /// Reads and changes everything of a call of `Sum` with the arguments 3 and 4.5.
  private static func check<Call: CallContents>(
    _ call: inout Call, _ name: String, line: UInt = #line
  ) throws where Call: ~Copyable {
    XCTAssertEqual("\(call.signature.withoutFrameOffsets())", "d@?id", name, line: line)
    XCTAssertEqual(call.hiddenArgumentCount, 1, name, line: line)
    XCTAssertEqual(call.ownArgumentIndices, 1..<3, name, line: line)
    XCTAssertEqual(call.arguments.indices, 1..<3, name, line: line)
    XCTAssertEqual(try call.argument(1, as: Int32.self), 3, name, line: line)
    for index in call.ownArgumentIndices {
      XCTAssertEqual(try call.argumentValue(index), call.arguments[index], name, line: line)
    }
    XCTAssertEqual(Array(call.arguments), [3, 4.5], name, line: line)
    XCTAssertEqual(call.arguments.description, "i32 3, double 4.5", name, line: line)
    XCTAssertEqual(call.arguments.text(2), "double 4.5", name, line: line)
    try call.setArgument(1, Int32(5))
    try call.setArgumentValue(2, 0.5)
    XCTAssertEqual(Array(call.arguments), [5, 0.5], name, line: line)
    XCTAssertFalse(call.hasResult, name, line: line)
    XCTAssertNil(call.resultText, name, line: line)
    XCTAssertNil(call.error, name, line: line)
    for index in [-1, 3] {
      do {
        _ = try call.argumentValue(index)
        XCTFail(name, line: line)
      } catch {
        XCTAssertEqual(error.code, .argumentIndex, name, line: line)
      }
    }
  }

  private static func checkResult<Call: CallContents>(
    _ call: inout Call, _ name: String, line: UInt = #line
  ) throws where Call: ~Copyable {
    XCTAssertTrue(call.hasResult, name, line: line)
    XCTAssertEqual(try call.result(as: Double.self), 5.5, name, line: line)
    XCTAssertEqual(try call.resultValue(), 5.5, name, line: line)
    XCTAssertEqual(call.resultText, "double 5.5", name, line: line)
    try call.setResult(6.5)
    XCTAssertEqual(try call.resultValue(), 6.5, name, line: line)
    try call.setResultValue(7.5)
    XCTAssertEqual(try call.result(as: Double.self), 7.5, name, line: line)
  }

  func testFramesInvocationsAndInterceptedCallsAreReadAndChangedAlike() throws {
    let sum: Sum = { Double($0) + $1 }
    let block = try Block(sum)
    let framed = try block.hook { call in
      try Self.check(&call, "frame")
      try call.proceed()
      try Self.checkResult(&call, "frame")
    }
    XCTAssertEqual(sum(3, 4.5), 7.5)
    framed.remove()
    let intercepted = try block.install(
      .intercepting { call in
        var call = call
        try Self.check(&call, "intercepted call")
        try call.proceed()
        try Self.checkResult(&call, "intercepted call")
      })
    XCTAssertEqual(sum(3, 4.5), 7.5)
    intercepted.remove()
    var invocation = try Invocation(block)
    XCTAssertEqual(invocation.arguments.description, "unset, unset")
    try invocation.setArgument(1, Int32(3))
    try invocation.setArgument(2, 4.5)
    try Self.check(&invocation, "invocation")
    try invocation.invoke()
    try Self.checkResult(&invocation, "invocation")
  }

  func testArgumentsThatCannotBeReadAreTexts() throws {
    let block = try Block(signature: "v@?*@#") { call in
      let arguments = call.arguments
      XCTAssertEqual(arguments.indices, 1..<4)
      XCTAssertEqual(arguments[1], .opaque(OpaqueValue(text: "unreadable 0x10")))
      XCTAssertEqual(arguments[2], .opaque(OpaqueValue(text: "unreadable 0x20")))
      XCTAssertEqual(arguments[3], .pointer(0x30))
    }
    let invocation = try Invocation(block)
    for index in 1...3 { try invocation.setArgumentValue(index, .pointer(UInt(index) << 4)) }
    try invocation.invoke()
  }

  func testABlockOnTheStackIsATextAndIsNotCopied() throws {
    let block = try Block(signature: "v@?@?") { call in
      let arguments = call.arguments
      guard case .opaque(let value) = arguments[1] else { return XCTFail("\(arguments)") }
      XCTAssertTrue(value.text.hasPrefix("block "), value.text)
      XCTAssertEqual(arguments.description, value.text)
    }
    let passed = Recorder<Block>()
    passed.record(block)
    unsafe fixture_with_stack_block(Unmanaged.passUnretained(passed).toOpaque()) {
      context, pointer in
      guard let context = unsafe context, let pointer = unsafe pointer else {
        return XCTFail("no block")
      }
      let passed = unsafe Unmanaged<Recorder<Block>>.fromOpaque(context).takeUnretainedValue()
      let result = try? passed.entries.first?.call(values: [.pointer(UInt(bitPattern: pointer))])
      XCTAssertEqual(result, .void)
    }
  }

  func testAListKeepsWhatItRefersToAndNoLonger() throws {
    let tracker = LifetimeTracker()
    let lists = Recorder<String>()
    let block = try Block(signature: "v@?@") { call in
      let arguments = call.arguments
      guard case .object(let object?) = arguments[1] else { return XCTFail("\(arguments)") }
      XCTAssertTrue(object is LifetimeTracker.Tracked)
      lists.record(arguments.description)
    }
    _ = try block.call(values: [.object(tracker.track())])
    XCTAssertEqual(lists.entries.count, 1)
    tracker.expectNothingAlive()
  }
}
