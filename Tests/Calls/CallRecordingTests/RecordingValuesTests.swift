import BlockABI
import BlockHooks
import CFixtures
import CallRecording
import Invocations
import TestSupport
import TypeEncodings
import XCTest

final class RecordingValuesTests: XCTestCase {
  func testEveryTypeOfCIsRecordedAndReplayedOnTheBlockAndOnTheFunction() throws {
    var count = 0
    let types = unsafe UnsafeBufferPointer(start: fixture_types(&count), count: count)
    XCTAssertGreaterThan(count, 40)
    for index in 0..<count {
      let type = unsafe types[index]
      let name = unsafe String(cString: type.name)
      let made = unsafe try XCTUnwrap(type.make_block?())
      defer { unsafe fixture_release(made) }
      let check = unsafe try XCTUnwrap(type.check_block)
      var block = unsafe Block(unsafePointer: made)
      if name == "bits" {
        block = unsafe try block.assuming(
          signature: "{bits=b0i3b3I20b23q40}@?i{bits=b0i3b3I20b23q40}d")
      }
      let recording = try recording(of: block, as: name) { block in
        unsafe block.withUnsafePointer { XCTAssertTrue(unsafe check($0), name) }
      }
      let call = try XCTUnwrap(recording.calls.first)
      XCTAssertEqual(call.arguments.count, 3, name)
      XCTAssertEqual(call.arguments[0], 7, name)
      XCTAssertEqual(call.arguments[2], 2.5, name)
      XCTAssertEqual(call.result?.description, call.arguments[1].description, name)
      // What points somewhere is described.
      let report = try recording.replay(on: block)
      XCTAssertEqual(report.isClean, name != "pointer", "\(report)")
      XCTAssertEqual(report.skipped.count, name == "pointer" ? 1 : 0, "\(report)")
      var signature = call.subject.signature.withoutFrameOffsets()
      signature.arguments.removeFirst()
      let function = unsafe try CFunction(
        unsafeAddress: try XCTUnwrap(type.function), signature: signature.description)
      XCTAssertEqual(try recording.replay(on: function).isClean, name != "pointer", name)
    }
  }

  func testGeneratedSignaturesAndValuesComeBackAsTheyWere() throws {
    var values = RandomValues(seed: 11)
    for _ in 0..<300 {
      let arguments = (0..<3).map { _ in values.next(depth: 3) }
      let signature = "\(arguments[0].type)@?" + arguments.map(\.type).joined()
      let block = try Block(signature: signature) { call in
        try call.setResultValue(call.argumentValue(1))
      }
      let boxed = arguments.map(\.value)
      let recording = try recording(of: block) { _ = try $0.call(values: boxed) }
      let call = try XCTUnwrap(recording.calls.first)
      XCTAssertEqual(call.arguments, boxed, signature)
      XCTAssertEqual(call.result, boxed[0], signature)
      XCTAssertEqual(call.subject.signature.withoutFrameOffsets().description, signature)
      let report = try recording.replay(on: block)
      XCTAssertTrue(report.isClean, "\(signature) \(report)")
    }
  }

  func testTextIsRecordedByItsBytes() throws {
    let block = try Block(signature: "*@?*") { call in
      try call.setResultValue(call.argumentValue(1))
    }
    let texts: [CValue] = [
      "", "grün", .cString(nil), .bytes([0xFF, 0xFE]),
      .cString(String(repeating: "x", count: 5000)),
    ]
    let recording = try recording(of: block) { block in
      for text in texts { _ = try block.call(values: [text]) }
    }
    XCTAssertEqual(recording.calls.map { $0.arguments[0] }, texts)
    XCTAssertEqual(recording.calls.map { $0.result }, texts)
    XCTAssertTrue(try recording.replay(on: block).isClean)
  }

  func testTextThatCannotBeReadIsNotReplayed() throws {
    let block = try Block(signature: "i@?*") { call in try call.setResult(Int32(1)) }
    let recording = try recording(of: block) { _ = try $0.call(values: [.pointer(16)]) }
    XCTAssertEqual(recording.calls[0].arguments[0].description, "unreadable")
    XCTAssertEqual(recording.calls[0].arguments[0], .opaque(OpaqueValue(text: "unreadable")))
    XCTAssertEqual(try recording.replay(on: block).skipped.count, 1)
  }

  func testPointersAndObjectsAreDescribedAndNullsAreReplayed() throws {
    let block = try Block(signature: "^v@?@^{P=i}@?#[3i](U=i*){N=i^i}") { call in
      try call.setResultValue(.pointer(0x1000))
    }
    let object = LifetimeTracker()
    let callback = try Block(signature: "v@?") { _ in }
    let recording = try recording(of: block) { block in
      _ = try block.call(values: [
        .object(object), .pointer(0x2000), .block(callback), .pointer(0x3000), .pointer(0x4000),
        .bytes([1, 2, 3, 4, 5, 6, 7, 8]), .structure([5, .pointer(0x5000)]),
      ])
      _ = try block.call(values: [
        .object(nil), .pointer(0), .block(nil), .pointer(0), .pointer(0),
        .bytes([0, 0, 0, 0, 0, 0, 0, 0]), .structure([5, .pointer(0)]),
      ])
    }
    let call = recording.calls[0]
    XCTAssertTrue(call.arguments[0].description.contains("LifetimeTracker"), "\(call)")
    XCTAssertTrue(call.arguments[1].description.contains("0x2000"), "\(call)")
    XCTAssertTrue(call.arguments[2].description.contains("block v@?"), "\(call)")
    XCTAssertTrue(call.arguments[6].description.hasPrefix("{5, "), "\(call)")
    let isOpaque = call.arguments.map { if case .opaque = $0 { true } else { false } }
    XCTAssertEqual(isOpaque, [true, true, true, true, true, true, false])
    guard case .structure(let members) = call.arguments[6], case .opaque = members[1] else {
      return XCTFail("\(call)")
    }
    XCTAssertEqual(
      recording.calls[1].arguments.prefix(5), ArraySlice(repeating: .pointer(0), count: 5))
    let report = try recording.replay(on: block)
    guard case .skipped(let reason) = report.calls[0].outcome else { return XCTFail("\(report)") }
    XCTAssertTrue(reason.hasPrefix("argument 1: LifetimeTracker"), reason)
    XCTAssertEqual(report.skipped.count, 2)
  }

  func testNullPointersAreReplayedAndDescribedResultsComparedByNull() throws {
    let results = Recorder<UInt>()
    let block = try Block(signature: "^v@?^v@") { call in
      try call.setResultValue(.pointer(UInt(results.entries.count)))
      results.record(0)
    }
    let recording = try recording(of: block) { block in
      for _ in 0..<2 { _ = try block.call(values: [.pointer(0), .object(nil)]) }
    }
    // The first returned null and now returns something, the second another pointer.
    let report = try recording.replay(on: block)
    XCTAssertEqual(report.differences.map { $0.call.number }, [1], "\(report)")
    XCTAssertEqual(
      report.calls[0].outcome, .differs(expected: "null", got: "pointer 0x2"))
  }

  func testACodecRecordsWhatPointersPointToAndObjects() throws {
    final class Name {
      let text: String
      init(_ text: String) { self.text = text }
    }
    let block = try Block(signature: "@@?^i@") { call in
      guard case .pointer(let address) = try call.argumentValue(1),
        let pointer = unsafe UnsafePointer<Int32>(bitPattern: address)
      else { return }
      let name: Name = try call.argument(2)
      try call.setResult(Name(name.text + "\(unsafe pointer.pointee)"))
    }
    let memory = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    let address = UInt(bitPattern: memory)
    let codec = RecordingCodec { index, value in
      switch value {
      case .pointer(let address) where index == 1:
        unsafe UnsafePointer<Int32>(bitPattern: address).map { unsafe [UInt8($0.pointee)] }
      case .object(let name as Name): Array(name.text.utf8)
      default: nil
      }
    } decode: { index, bytes in
      if index == 1 {
        unsafe UnsafeMutablePointer<Int32>(bitPattern: address)?.pointee = Int32(bytes[0])
        return .pointer(address)
      }
      return .object(Name(String(decoding: bytes, as: UTF8.self)))
    }
    unsafe memory.initialize(to: 42)
    let recording = try recording(of: block, codec: codec) { block in
      _ = try block.call(values: [.pointer(address), .object(Name("grün"))])
    }
    unsafe memory.pointee = 7
    XCTAssertEqual(recording.calls[0].arguments[0].description, "encoded(2a)")
    XCTAssertEqual(try recording.replay(on: block).skipped.count, 1)
    XCTAssertTrue(try recording.replay(on: block, codec: codec).isClean)
    XCTAssertEqual(unsafe memory.pointee, 42)
    let other = try Block(signature: "@@?^i@") { call in try call.setResult(Name("other")) }
    XCTAssertEqual(try recording.replay(on: other, codec: codec).differences.count, 1)
  }
}

/// Types of every sort that travels by value, with values of them.
private struct RandomValues {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> CValue {
    let value = [Value.min, Value.max, Value.random(in: .min ... .max, using: &generator)][below(3)]
    return Int128(exactly: value).map { .integer($0) }
      ?? .unsignedInteger(UInt128(truncatingIfNeeded: value))
  }

  mutating func next(depth: Int) -> (type: String, value: CValue) {
    switch below(depth > 0 ? 26 : 19) {
    case 0: return ("B", .bool(below(2) == 0))
    case 1: return ("c", integer(Int8.self))
    case 2: return ("C", integer(UInt8.self))
    case 3: return ("s", integer(Int16.self))
    case 4: return ("S", integer(UInt16.self))
    case 5: return ("i", integer(Int32.self))
    case 6: return ("I", integer(UInt32.self))
    case 7: return ("q", integer(Int64.self))
    case 8: return ("Q", integer(UInt64.self))
    case 9: return ("t", integer(Int128.self))
    case 10: return ("T", integer(UInt128.self))
    case 11: return ("f", .float([-0.0, .infinity, 1.5, .leastNonzeroMagnitude][below(4)]))
    case 12: return ("d", .double([-0.0, -.infinity, 1e300, .leastNonzeroMagnitude][below(4)]))
    case 13: return ("D", .longDouble([-0.0, .infinity, .greatestFiniteMagnitude, -1][below(4)]))
    case 14: return ("jd", .complex(real: 1.5, imaginary: -2.5))
    case 15: return ("jD", .complex(real: .greatestFiniteMagnitude, imaginary: .infinity))
    case 16: return ("l", integer(Int32.self))
    case 17: return ("![6,8s]", .array((0..<3).map { _ in integer(Int16.self) }))
    case 18: return ("*", ["", "text", .cString(nil), .bytes([0x80, 0xFF])][below(4)])
    case 19:
      let element = next(depth: depth - 1)
      let count = 1 + below(3)
      return (
        "{A=[\(count)\(element.type)]}",
        .structure([.array(Array(repeating: element.value, count: count))])
      )
    case 20:
      let bytes = (0..<8).map { _ in UInt8(below(256)) }
      return ("(U=q[2i])", .bytes(bytes))
    case 21: return ("{B=b0i3b3I20b23i9}", .structure([-2, 1_000_000, -5]))
    default:
      let members = (0..<(1 + below(4))).map { _ in next(depth: depth - 1) }
      return (
        "{S=\(members.map(\.type).joined())}", .structure(members.map(\.value))
      )
    }
  }
}
