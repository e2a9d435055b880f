import BlockABI
import BlockHooks
import CFixtures
import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

/// An object whose property is a method of its delegate.
final class Echo<Value>: DelegateOwner {
  let dynamicDelegate: DynamicDelegate
  @LinkedMethod("echo:") var echo: (@Sendable (Value) -> Value)?

  init(_ messageProtocol: MessageProtocol) {
    dynamicDelegate = DynamicDelegate(messageProtocol)
  }
}

final class DelegateValueTests: XCTestCase {
  private struct Flags: Equatable { var first: Bool, second: Bool }
  private struct Big: Equatable { var a: Int64, b: Double, c: Int32, d: Float, e: UInt8, f: Int64 }

  private final class Thing: Equatable, Sendable {
    static func == (first: Thing, second: Thing) -> Bool { first === second }
  }

  /// Sends values to delegates that implement `echo:` in every way, with and without a delegate in
  /// front, and compares what comes back; the signature is the values', unless one is given.
  private func echo<Value: Equatable & Sendable>(
    _ values: [Value], _ encoding: String? = nil, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let method: MethodDescription =
      encoding.map { .required("echo:", signature: "\($0)@:\($0)") }
      ?? .required("echo:", taking: Value.self, returning: Value.self)
    let echoes = try MessageProtocol("Echo", [method])
    let encoding = try method.signature.result.description
    let seen = Recorder<Value>()
    let block = try Block(signature: "\(encoding)@?\(encoding)") { call in
      let value = try call.argument(1, as: Value.self)
      seen.record(value)
      try call.setResult(value)
    }
    let closure: @Sendable (Value) -> Value = { value in
      seen.record(value)
      return value
    }
    let ofBlock = DynamicDelegate(echoes)
    try ofBlock.implement("echo:", with: block)
    XCTAssertEqual(ofBlock.implementation(for: "echo:")?.block, block, file: file, line: line)
    let ofClosure = DynamicDelegate(echoes)
    try ofClosure.implement("echo:", closure)
    let owner = Echo<Value>(echoes)
    owner.echo = closure
    XCTAssertNil(owner.$echo, file: file, line: line)
    var sent: [Value] = []
    for delegate in [ofBlock, ofClosure, owner.dynamicDelegate] {
      let front = DynamicDelegate(echoes)
      try front.setRealDelegate(delegate)
      for receiver in [delegate, front] {
        for value in values {
          let back = try receiver.send("echo:", value, returning: Value.self)
          XCTAssertEqual(back, value, file: file, line: line)
          let invocation = try XCTUnwrap(receiver.makeInvocation(of: "echo:"))
          try invocation.setArgument(2, value)
          try invocation.send()
          XCTAssertEqual(try invocation.result(as: Value.self), value, file: file, line: line)
          sent += [value, value]
        }
      }
    }
    XCTAssertEqual(seen.entries, sent, file: file, line: line)
    XCTAssertEqual(owner.echo.map { $0(values[0]) }, values[0], file: file, line: line)
  }

  private func extremes<Number: FixedWidthInteger & Sendable>(
    _ type: Number.Type, _ encoding: String, line: UInt = #line
  ) throws {
    try echo([.min, .max, 0, 90] as [Number], encoding, line: line)
  }

  func testValuesOfEveryWidthPassInEveryForm() throws {
    try extremes(Int8.self, "c")
    try extremes(UInt8.self, "C")
    try extremes(Int16.self, "s")
    try extremes(UInt16.self, "S")
    try extremes(Int32.self, "i")
    try extremes(UInt32.self, "I")
    try extremes(Int64.self, "q")
    try extremes(UInt64.self, "Q")
    try extremes(Int.self, "q")
    try extremes(UInt.self, "Q")
    try echo([1.01, -.greatestFiniteMagnitude, .infinity] as [Float], "f")
    try echo([1.01, -.greatestFiniteMagnitude, .infinity], "d")
    try echo([true, false], "B")
  }

  func testRecordsPassInEveryForm() throws {
    try echo([Flags(first: true, second: false), Flags(first: false, second: true)], "{Flags=BB}")
    try echo(
      [Big(a: .min, b: 1.01, c: .max, d: -2.5, e: 255, f: .max)], "{Big=qdifCq}")
  }

  func testObjectsAndSwiftValuesPassInEveryForm() throws {
    try echo(["text", "", "ßtext"])
    try echo([[1, 2, 3], []])
    try echo([Thing(), Thing()], "@")
    try echo([Thing(), nil], "@")
  }

  func testAPointerIsTheAddressThatWasSent() throws {
    let numbers = try MessageProtocol("Numbers", [.required("sum:count:", signature: "i@:^ii")])
    let delegate = DynamicDelegate(numbers)
    let block = try Block(signature: "i@?^ii") { call in
      let start = unsafe try call.argument(1, as: UnsafePointer<Int32>.self)
      let count = try call.argument(2, as: Int32.self)
      try call.setResult(
        unsafe UnsafeBufferPointer(start: start, count: Int(count)).reduce(0, +))
    }
    try delegate.implement("sum:count:", with: block)
    let values: [Int32] = [1, .max - 10, 3]
    unsafe try values.withUnsafeBufferPointer { values in
      let start = unsafe try XCTUnwrap(values.baseAddress)
      XCTAssertEqual(
        unsafe try delegate.send("sum:count:", start, Int32(3), returning: Int32.self), .max - 6)
    }
  }

  func testBlocksOfEveryCTypeGetTheValue() throws {
    var count = 0
    let types = unsafe UnsafeBufferPointer(start: fixture_types(&count), count: count)
    XCTAssertGreaterThan(count, 40)
    for index in 0..<count {
      let name = unsafe String(cString: types[index].name)
      let made = unsafe try XCTUnwrap(types[index].make_block())
      defer { unsafe fixture_release(made) }
      // The encoding of a block with bit-fields hides how wide they are.
      if name == "bits" { continue }
      let block = unsafe Block(unsafePointer: made)
      let signature = try XCTUnwrap(block.signature).withoutFrameOffsets()
      let parameters = signature.arguments.dropFirst().map(\.encoding.description).joined()
      let takes = try MessageProtocol(
        "Takes", [.required("take:value:with:", signature: "\(signature.result)@:\(parameters)")])
      let sample = try unsafe self.sample(types[index].sample, signature)
      let delegate = DynamicDelegate(takes)
      try delegate.implement("take:value:with:", with: block)
      XCTAssertEqual(
        try delegate.send("take:value:with:", values: [7, sample, 2.5]), sample, name)
    }
  }

  private func sample(
    _ place: UnsafeRawPointer?, _ signature: MethodSignature
  ) throws -> CValue {
    let place = unsafe try XCTUnwrap(place)
    return unsafe try ValueSlot(
      signature.arguments[2].encoding, signature.argumentLayout(at: 2), .result,
      at: UnsafeMutableRawPointer(mutating: place)
    ).value()
  }

  func testTenCharactersSpillToTheStack() throws {
    let digits = try MessageProtocol(
      "Digits", [.required("a:b:c:d:e:f:g:h:i:j:", signature: "q@:cccccccccc")])
    let delegate = DynamicDelegate(digits)
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_ten_characters_block()))
    try delegate.implement("a:b:c:d:e:f:g:h:i:j:", with: block)
    let one = Int8(1)
    XCTAssertEqual(
      try delegate.send(
        "a:b:c:d:e:f:g:h:i:j:", one, Int8(2), Int8(3), Int8(4), Int8(5), Int8(6), Int8(7), Int8(8),
        Int8(9), Int8(-1), returning: Int.self), 1_234_567_889)
  }

  func testARecordBehindEightCharactersIsPassedByValue() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_spilled_block()))
    let record = try XCTUnwrap(block.signature).result.description
    let spills = try MessageProtocol(
      "Spills", [.required("a:b:c:d:e:f:g:h:value:", signature: "\(record)@:cccccccc\(record)")])
    let delegate = DynamicDelegate(spills)
    try delegate.implement("a:b:c:d:e:f:g:h:value:", with: block)
    let one: CValue = 1
    let answer = try delegate.send(
      "a:b:c:d:e:f:g:h:value:",
      values: [
        one, one, one, one, one, one, one, -3,
        .structure([1.01, 90, .pointer(4096), .bool(true), .bool(false)]),
      ])
    XCTAssertEqual(
      answer, .structure([1.01, 94, .pointer(4096), .bool(true), .bool(false)]))
  }

  func testALargeRecordIsReturned() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_large_block()))
    let record = try XCTUnwrap(block.signature).result.description
    let larges = try MessageProtocol(
      "Larges", [.required("add:to:", signature: "\(record)@:\(record)i")])
    let delegate = DynamicDelegate(larges)
    try delegate.implement("add:to:", with: block)
    let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
    let direct: fixture_large = try block.call(value, Int32(5))
    let answer = try delegate.send("add:to:", value, Int32(5), returning: fixture_large.self)
    XCTAssertEqual(
      [answer.a, answer.b, answer.c, answer.d, answer.e, answer.f, answer.g],
      [direct.a, direct.b, direct.c, direct.d, direct.e, direct.f, direct.g])
    XCTAssertNotEqual(answer.a, value.a)
  }
}
