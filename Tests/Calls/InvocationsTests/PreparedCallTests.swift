import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import TypeEncodings
import XCTest

// SAFETY, for the whole file: the functions have the signatures that they are called by.

/// Calls that are checked once and made many times.
final class PreparedCallTests: XCTestCase {
  private let add: @convention(block) (Int32, Double) -> Int32 = { $0 + Int32($1) }
  private let word: @convention(c) (Int) -> Int = { $0 }
  private let float: @convention(c) (Float) -> Float = { $0 }
  private let double: @convention(c) (Double) -> Double = { $0 }

  /// A prepared call of a function that returns its argument.
  private func echo(_ encoding: String) throws -> (call: PreparedCall, invocation: Invocation) {
    let address =
      switch encoding.last {
      case "f": unsafe unsafeBitCast(float, to: UnsafeRawPointer.self)
      case "d": unsafe unsafeBitCast(double, to: UnsafeRawPointer.self)
      default: unsafe unsafeBitCast(word, to: UnsafeRawPointer.self)
      }
    let invocation = Invocation(
      unsafe try CFunction(unsafeAddress: address, signature: encoding))
    try invocation.setArgumentValue(0, zero(encoding.last))
    return (try invocation.prepared(), invocation)
  }

  private func zero(_ type: Character?) -> CValue {
    switch type {
    case "f", "d": 0.0
    case "B": .bool(false)
    case "v": .pointer(0)
    default: 0
    }
  }

  private func expectEcho<Value: BitwiseCopyable & Equatable>(
    _ encoding: String, _ values: [Value], file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let (call, invocation) = try echo(encoding)
    let argument = try call.argument(0, as: Value.self)
    let result = try call.result(as: Value.self)
    for value in values {
      argument.value = value
      call()
      XCTAssertEqual(argument.value, value, encoding, file: file, line: line)
      XCTAssertEqual(result.value, value, encoding, file: file, line: line)
      XCTAssertEqual(
        try invocation.result(as: Value.self), value, encoding, file: file, line: line)
    }
  }

  func testEveryScalarGoesInAndComesOut() throws {
    try expectEcho("cc", [Int8.min, -1, 0, 1, Int8.max])
    try expectEcho("CC", [UInt8.min, 1, UInt8.max])
    try expectEcho("ss", [Int16.min, -1, 0, 1, Int16.max])
    try expectEcho("SS", [UInt16.min, 1, UInt16.max])
    try expectEcho("ii", [Int32.min, -1, 0, 1, Int32.max])
    try expectEcho("II", [UInt32.min, 1, UInt32.max])
    try expectEcho("qq", [Int.min, -1, 0, 1, Int.max])
    try expectEcho("QQ", [UInt.min, 1, UInt.max])
    try expectEcho("qq", [Int64.min, Int64.max])
    try expectEcho("QQ", [UInt64.min, UInt64.max])
    try expectEcho("BB", [true, false, true])
    try expectEcho("ff", [-Float.infinity, -0.1, 0, .leastNonzeroMagnitude, .infinity])
    try expectEcho("dd", [-Double.infinity, -0.1, 0, .leastNonzeroMagnitude, .infinity])
    unsafe try expectEcho("^v^v", [UnsafeRawPointer(bitPattern: 16), nil])
    unsafe try expectEcho("^v^v", [UnsafeMutableRawPointer(bitPattern: 16), nil])
  }

  func testSmallIntegersAreWidenedAsCompiledCodeExpects() throws {
    func widened<Value: BitwiseCopyable>(_ encoding: String, _ value: Value) throws -> Int {
      let (call, _) = try echo("q" + encoding)
      try call.argument(0, as: Value.self).value = value
      call()
      return try call.result(as: Int.self).value
    }
    XCTAssertEqual(try widened("c", Int8(-2)), -2)
    XCTAssertEqual(try widened("C", UInt8(254)), 254)
    XCTAssertEqual(try widened("s", Int16(-2)), -2)
    XCTAssertEqual(try widened("S", UInt16(65534)), 65534)
    XCTAssertEqual(try widened("i", Int32(-2)), -2)
    XCTAssertEqual(try widened("I", UInt32.max - 1), 4_294_967_294)
  }

  /// A number whose Swift type the calls do not know: it would not be widened.
  private struct Letter: TypeEncodable {
    static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.int8)) }
    var code: Int8
  }

  func testWrongTypesAndIndicesAreRefused() throws {
    let (call, _) = try echo("qc")
    expectError(.typeMismatch) { _ = try call.argument(0, as: UInt8.self) }
    expectError(.typeMismatch) { _ = try call.argument(0, as: Int.self) }
    expectError(.typeMismatch) { _ = try call.argument(0, as: Letter.self) }
    expectError(.typeMismatch) { _ = try call.argument(0, as: Bool.self) }
    expectError(.typeMismatch) { _ = try call.result(as: Double.self) }
    expectError(.typeMismatch) {
      _ = try call.result(as: fixture_mixed.self)
    }
    expectError(.argumentIndex) { _ = try call.argument(1, as: Int8.self) }
    expectError(.argumentIndex) { _ = try call.argument(-1, as: Int8.self) }

    let nothing: @convention(block) () -> Void = {}
    let void = try Invocation(Block(nothing)).prepared()
    void()
    expectError(.noResult) { _ = try void.result(as: Int.self) }
    expectError(.typeMismatch) {
      _ = unsafe try void.argument(0, as: UnsafeRawPointer?.self)
    }
  }

  func testWhatIsMissingIsAnErrorOfThePreparation() throws {
    expectError(.missingTarget) {
      _ = try Invocation(signature: "v@?").prepared()
    }
    let invocation = try Invocation(Block(add))
    try invocation.setArgument(1, 1)
    expectError(.missingArgument) { _ = try invocation.prepared() }
    try invocation.setArgument(2, 1)
    XCTAssertNoThrow(try invocation.prepared())
  }

  func testTheResultIsZeroBeforeTheFirstCall() throws {
    let invocation = try Invocation(Block(add))
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4)
    let call = try invocation.prepared()
    XCTAssertEqual(try call.result(as: Int32.self).value, 0)
    XCTAssertEqual(try invocation.result(as: Int.self), 0)
    call()
    XCTAssertEqual(try invocation.result(as: Int.self), 7)
  }

  func testTheInvocationAndTheHandlesShareTheirMemory() throws {
    let invocation = try Invocation(Block(add))
    try invocation.setArgument(1, 0)
    try invocation.setArgument(2, 0.5)
    let call = try invocation.prepared()
    let first = try call.argument(1, as: Int32.self)
    let sum = try call.result(as: Int32.self)
    try invocation.setArgument(1, 41)
    XCTAssertEqual(first.value, 41)
    first.value = -5
    XCTAssertEqual(try invocation.argument(1, as: Int.self), -5)
    try invocation.setArgumentValue(2, 7.0)
    call()
    XCTAssertEqual(sum.value, 2)
    try invocation.setArgument(2, 8.0)
    try invocation.invoke()
    XCTAssertEqual(sum.value, 3)
  }

  func testStructuresArePassedAndReturned() throws {
    let pointer = unsafe try XCTUnwrap(fixture_large_block())
    defer { unsafe fixture_release(pointer) }
    let invocation = try Invocation(unsafe Block(unsafePointer: pointer))
    try invocation.setArgument(1, fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7))
    try invocation.setArgument(2, 10)
    let call = try invocation.prepared()
    let value = try call.argument(1, as: fixture_large.self)
    let result = try call.result(as: fixture_large.self)
    for step in 1...3 {
      value.value.a = 100 * step
      call()
      XCTAssertEqual([result.value.a, result.value.b, result.value.g], [100 * step + 10, 2, 17])
    }
    expectError(.typeMismatch) {
      _ = try call.argument(1, as: fixture_mixed.self)
    }
  }

  func testTheHalvesOfARecordTravelApart() throws {
    let echo = try FunctionPointer(signature: "{fixture_mixed=qd}i{fixture_mixed=qd}") { call in
      try call.setResult(call.argument(1, as: fixture_mixed.self))
    }
    let invocation = Invocation(
      unsafe try CFunction(
        unsafeAddress: echo.unsafeAddress, signature: "{fixture_mixed=qd}i{fixture_mixed=qd}"))
    try invocation.setArgument(0, 1)
    try invocation.setArgument(1, fixture_mixed(a: 0, b: 0))
    let call = try invocation.prepared()
    try call.argument(1, as: fixture_mixed.self).value = fixture_mixed(a: -3, b: 1.5)
    call()
    let result = try call.result(as: fixture_mixed.self).value
    XCTAssertEqual(result.a, -3)
    XCTAssertEqual(result.b, 1.5)
    withExtendedLifetime(echo) {}
  }

  func testAHookThatIsInstalledLaterTakesPart() throws {
    let block = try Block(add)
    let invocation = try Invocation(block)
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4)
    let call = try invocation.prepared()
    let sum = try call.result(as: Int32.self)
    let hook = try block.hook { call in
      try call.proceed()
      try call.setResult(call.result(as: Int32.self) * 10)
    }
    call()
    XCTAssertEqual(sum.value, 70)
    hook.remove()
    call()
    XCTAssertEqual(sum.value, 7)
  }

  func testTheTargetOfAPreparedCallCannotBeExchanged() throws {
    let block = try Block(add)
    let other = try Block(add).copied()
    let multiply: @convention(block) (Int32, Double) -> Int32 = { $0 * Int32($1) }
    let invocation = try Invocation(block)
    try invocation.setArgument(0, Block(multiply))
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4)
    let call = try invocation.prepared()
    XCTAssertEqual(try invocation.argument(0, as: Block.self), block)
    expectError(.typeMismatch) {
      try invocation.setArgument(0, Block(multiply))
    }
    expectError(.typeMismatch) { try invocation.invoke(on: Block(multiply)) }
    XCTAssertNoThrow(try invocation.invoke())
    if other == block { XCTAssertNoThrow(try invocation.invoke(on: other)) }
    call()
    XCTAssertEqual(try call.result(as: Int32.self).value, 7)
    let copy = invocation.copied()
    try copy.invoke(on: Block(multiply))
    XCTAssertEqual(try copy.result(as: Int.self), 12)
  }

  func testACallThroughLibffiIsPreparedToo() throws {
    let engine = CallEngine.current
    defer { CallEngine.current = engine }
    CallEngine.current = .libffi
    let invocation = try Invocation(Block(add))
    try invocation.setArgument(1, 3)
    try invocation.setArgument(2, 4)
    let call = try invocation.prepared()
    try call.argument(1, as: Int32.self).value = -9
    call()
    XCTAssertEqual(try call.result(as: Int32.self).value, -5)
  }

  func testAnInteger128NeedsNoMoreAlignmentThanItsPlaceHas() throws {
    let block = try Block(signature: "t@?t") { call in
      try call.setResult(call.argument(1, as: Int128.self))
    }
    let invocation = try Invocation(block)
    try invocation.setArgument(1, 5)
    let call = try invocation.prepared()
    let argument = try call.argument(1, as: Int128.self)
    argument.value = Int128.max
    call()
    XCTAssertEqual(try call.result(as: Int128.self).value, Int128.max)
    XCTAssertEqual(argument.value, Int128.max)
  }
}
