import BlockABI
import BlockHooks
import CFixtures
import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// Every C type by value: what clang compiled and what we call must agree.
final class EveryTypeTests: XCTestCase {
  /// One row of the fixtures' table.
  @safe
  private struct Row {
    let name: String
    let sample: UnsafeRawPointer
    let block: Block
    let function: UnsafeRawPointer
    let checkBlock: (UnsafeRawPointer) -> Bool
    let checkFunction: (UnsafeRawPointer) -> Bool

    /// The signature of the function: the block's without the block.
    var functionSignature: String {
      get throws {
        var signature = try XCTUnwrap(block.signature)
        signature = signature.withoutFrameOffsets()
        signature.arguments.removeFirst()
        return signature.description
      }
    }

    /// The sample, read by the type that the block's signature gives.
    var boxedSample: CValue {
      get throws {
        let signature = try XCTUnwrap(block.signature)
        let layout = try signature.argumentLayout(at: 2)
        return unsafe try ValueSlot(
          signature.arguments[2].encoding, layout, .result,
          at: UnsafeMutableRawPointer(mutating: sample)
        ).value()
      }
    }
  }

  /// Signatures of blocks whose own encodings hide too much.
  private static let explicitSignatures = [
    "bits": "{bits=b0i3b3I20b23q40}@?i{bits=b0i3b3I20b23q40}d"
  ]

  private func forEachType(
    _ body: (Row) throws -> Void, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    var count = 0
    let types = unsafe UnsafeBufferPointer(start: fixture_types(&count), count: count)
    XCTAssertGreaterThan(count, 40)
    for index in 0..<count {
      let type = unsafe types[index]
      let made = unsafe try XCTUnwrap(type.make_block())
      defer { unsafe fixture_release(made) }
      let checkBlock = unsafe try XCTUnwrap(type.check_block)
      let checkFunction = unsafe try XCTUnwrap(type.check_function)
      let name = unsafe String(cString: type.name)
      var block = unsafe Block(unsafePointer: made)
      if let signature = Self.explicitSignatures[name] {
        block = unsafe try block.assuming(signature: signature)
      }
      let row = unsafe Row(
        name: name, sample: try XCTUnwrap(type.sample),
        block: block, function: try XCTUnwrap(type.function),
        checkBlock: { unsafe checkBlock($0) }, checkFunction: { unsafe checkFunction($0) })
      do {
        try body(row)
      } catch {
        XCTFail("\(row.name) \(row.block): \(error)", file: file, line: line)
      }
    }
  }

  func testABlockReturnsTheValueItIsCalledWith() throws {
    try forEachType { row in
      let sample = try row.boxedSample
      let result = try row.block.call(values: [7, sample, 2.5])
      XCTAssertEqual(result, sample, row.name)
    }
  }

  func testAFunctionReturnsTheValueItIsCalledWith() throws {
    try forEachType { row in
      let function = unsafe try CFunction(
        unsafeAddress: row.function, signature: row.functionSignature)
      let sample = try row.boxedSample
      let result = try function.call(values: [7, sample, 2.5])
      XCTAssertEqual(result, sample, row.name)
    }
  }

  func testAProceedingHookPassesTheValueOn() throws {
    try forEachType { row in
      let hook = try row.block.hook { call in try call.proceed() }
      unsafe row.block.withUnsafePointer { XCTAssertTrue(unsafe row.checkBlock($0), row.name) }
      hook.remove()
      unsafe row.block.withUnsafePointer { XCTAssertTrue(unsafe row.checkBlock($0), row.name) }
    }
  }

  func testArgumentsAreReadAsAnyByTheirImportedTypes() throws {
    let read = Recorder<String>()
    let block = try Block(signature: "v@?BcCsSiIqQfd#:^i{P=ii}r**@?@@##") { call in
      for index in call.ownArgumentIndices {
        do {
          let value = try call.argument(index, as: Any.self)
          read.record("\(type(of: value)) \(value)")
        } catch { read.record((error as? InvocationError)?.code.rawValue ?? "\(error)") }
      }
    }
    let record: CValue = .structure([1, 2])
    let selector: Selector = "s:"
    let pointer = unsafe UnsafeMutablePointer<Int32>(bitPattern: 4096)
    let inner = try Block(signature: "v@?") { _ in }
    let bytes = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    unsafe bytes.initialize(to: 0xFF)
    defer { unsafe bytes.deallocate() }
    let foreign = CValue.pointer(UInt(bitPattern: bytes))
    let foreignText = unsafe "UnsafeRawPointer \(UnsafeRawPointer(bytes))"
    unsafe try block.call(
      true, Int8(-1), UInt8(1), Int16(-2), UInt16(2), Int32(-3), UInt32(3), Int(-4), UInt(4),
      Float(0.5), 1.5, Stamp.self as AnyClass, selector, pointer, record, "text",
      foreign, inner, inner, Stamp?.none, AnyClass?.none, foreign)
    XCTAssertEqual(
      read.entries,
      [
        "Bool true", "Int8 -1", "UInt8 1", "Int16 -2", "UInt16 2", "Int32 -3", "UInt32 3", "Int -4",
        "UInt 4", "Float 0.5", "Double 1.5", "Stamp.Type Stamp", "Selector s:",
        "UnsafeRawPointer 0x0000000000001000", "CValue {1, 2}", "String text",
        foreignText, "Block \(inner)", "Block \(inner)", "unexpectedNull",
        "unexpectedNull", foreignText,
      ])
  }

  func testALongDoubleThatNoSwiftNumberHoldsIsRefused() throws {
    let parse = unsafe try CFunction(symbol: "strtold", signature: "D*^*")
    let large = "1.25e4000"
    guard LongDouble.self == Double.self else {
      let expected = try XCTUnwrap(LongDouble(large))
      XCTAssertEqual(try parse.call(values: [.cString(large), .pointer(0)]), .longDouble(expected))
      return
    }
    expectError(.valueOutOfRange) { _ = try parse.call(values: [.cString(large), .pointer(0)]) }
  }

  func testABlockMadeFromAHandlerIsCalledWithTheValue() throws {
    try forEachType { row in
      let encoding = try XCTUnwrap(row.block.signature).description
      let made = try Block(signature: encoding) { call in
        try call.setResultValue(call.argumentValue(2))
      }
      unsafe made.withUnsafePointer { XCTAssertTrue(unsafe row.checkBlock($0), row.name) }
    }
  }

  func testAFunctionPointerIsCalledWithTheValue() throws {
    try forEachType { row in
      let pointer = try FunctionPointer(signature: row.functionSignature) { call in
        try call.setResultValue(call.argumentValue(1))
      }
      XCTAssertTrue(unsafe row.checkFunction(pointer.unsafeAddress), row.name)
    }
  }
}

/// A class that is passed as an argument.
private final class Stamp {}
