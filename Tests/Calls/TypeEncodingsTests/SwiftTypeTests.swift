import CTestSupport
import TestSupport
import TypeEncodings
import XCTest

private struct Plain { var count: Int32, ratio: Double }
private struct Nested { var plain: Plain, flag: Bool }
private struct ReusesTail { var inner: (Int32, Int8), last: Int8 }
private struct Generic<Value> { var value: Value, tag: Int8 }
private struct Empty {}
private struct HoldsText { var text: String }
private struct HoldsClosure { var run: () -> Void }
private struct Declared: TypeEncodable {
  var bits: Int32
  static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.uint32)) }
}
private enum Direction: Int32 { case up, down }
private final class Widget {}
private protocol Marked: AnyObject {}

private typealias Callback = @convention(block) (Int32) -> Void
private typealias Comparison = @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Int32
private typealias Nest =
  @convention(block) (
    ctest_point, UnsafePointer<CChar>, @convention(block) (Callback, Int) -> Double, AnyObject?
  ) -> UnsafeMutableRawPointer?

final class SwiftTypeTests: XCTestCase {
  func testSwiftTypesHaveTheEncodingsOfTheirCCounterparts() throws {
    let rows: [(type: Any.Type, expected: String, line: UInt)] = unsafe [
      (Int8.self, "c", #line), (Int16.self, "s", #line), (Int32.self, "i", #line),
      (Int64.self, "q", #line), (Int.self, "q", #line), (UInt8.self, "C", #line),
      (UInt16.self, "S", #line), (UInt32.self, "I", #line), (UInt64.self, "Q", #line),
      (UInt.self, "Q", #line), (Int128.self, "t", #line), (UInt128.self, "T", #line),
      (Bool.self, "B", #line), (Float.self, "f", #line), (Double.self, "d", #line),
      (Void.self, "v", #line), (AnyObject.self, "@", #line), (AnyObject?.self, "@", #line),
      (Widget.self, "@", #line), (Widget?.self, "@", #line), (AnyClass.self, "#", #line),
      (AnyClass?.self, "#", #line), (OpaquePointer.self, "^v", #line),
      (UnsafeRawPointer.self, "r^v", #line), (UnsafeMutableRawPointer?.self, "^v", #line),
      (UnsafePointer<Int32>.self, "r^i", #line), (UnsafeMutablePointer<Double>?.self, "^d", #line),
      (UnsafePointer<CChar>.self, "r*", #line), (UnsafeMutablePointer<CChar>?.self, "*", #line),
      (UnsafePointer<UnsafePointer<CChar>?>.self, "r^*", #line),
      (UnsafePointer<String>.self, "r^v", #line),
      (
        UnsafeMutablePointer<ctest_node>.self, "^{ctest_node=^{ctest_node}*^v^^{ctest_node}}", #line
      ),
      (UnsafeMutablePointer<UnsafeMutablePointer<ctest_point>>.self, "^^{ctest_point}", #line),
      (UnsafeMutablePointer<(Int8, Int32)>.self, "^{?=ci}", #line),
      (UnsafeMutablePointer<ctest_number>.self, "^v", #line),
      (Comparison.self, "^?", #line), (Comparison?.self, "^?", #line),
      (Callback.self, "@?<v@?i>", #line),
      (Nest.self, "@?<^v@?{ctest_point=dd}r*@?<d@?@?<v@?i>q>@>", #line),
      (ctest_point.self, "{ctest_point=dd}", #line),
      (ctest_rect.self, "{ctest_rect={ctest_point=dd}{ctest_point=dd}}", #line),
      (ctest_mixed.self, "{ctest_mixed=csiqfdB}", #line),
      (
        ctest_array.self,
        "{ctest_array=c{?=iiii}{?={ctest_point=dd}{ctest_point=dd}}}", #line
      ),
      (ctest_node.self, "{ctest_node=^{ctest_node}*^v^^{ctest_node}}", #line),
      (ctest_callbacks.self, "{ctest_callbacks=^?^?}", #line),
      (ctest_tail.self, "{ctest_tail={ctest_mixed=csiqfdB}c}", #line),
      (ctest_bits_in_integer_padding.self, "{ctest_bits_in_integer_padding=ci}", #line),
      (ctest_with_certain_block.self, "{ctest_with_certain_block=i@?}", #line),
      (ctest_flexible.self, "{ctest_flexible=i}", #line),
      (ctest_color.self, "I", #line),
      (ctest_painted.self, "{ctest_painted=I{ctest_point=dd}}", #line),
      (Plain.self, "{Plain=id}", #line), (Nested.self, "{Nested={Plain=id}B}", #line),
      (Generic<Int>.self, "{Generic<Int>=qc}", #line), (Empty.self, "{Empty=}", #line),
      ((Int32, Double).self, "{?=id}", #line),
      ((a: Int8, b: (Int8, Int8)).self, "{?=c{?=cc}}", #line),
      (Declared.self, "I", #line),
    ]
    for row in rows {
      let encoding = try TypeEncoding(of: row.type)
      XCTAssertEqual(encoding.description, row.expected, line: row.line)
      XCTAssertEqual(try TypeEncoding(parsing: row.expected), encoding, line: row.line)
    }
  }

  #if arch(x86_64)
  func testFloat80IsALongDouble() throws {
    XCTAssertEqual(try TypeEncoding(of: Float80.self).description, "D")
    XCTAssertEqual(
      try TypeEncoding(of: ctest_long_double.self).description, "{ctest_long_double=cD}")
  }
  #endif

  func testTypesWithoutACounterpartAreRefusedWithARemedy() {
    let rows: [(type: Any.Type, code: ErrorCode, words: String, line: UInt)] = unsafe [
      (String.self, .unsupportedSwiftType, "C string", #line),
      ([Int].self, .unsupportedSwiftType, "pointer", #line),
      ([String: Int].self, .unsupportedSwiftType, "pointer", #line),
      (UnsafeBufferPointer<Int>.self, .unsupportedSwiftType, "pointer", #line),
      (SIMDMask<SIMD4<Int32>>.self, .unsupportedSwiftType, "pointer", #line),
      (SIMD64<Int16>.self, .unsupportedSwiftType, "no such vector", #line),
      (Any.self, .unsupportedSwiftType, "AnyObject", #line),
      ((any Marked).self, .unsupportedSwiftType, "AnyObject", #line),
      ((any Error).self, .unsupportedSwiftType, "AnyObject", #line),
      (Int.Type.self, .unsupportedSwiftType, "no counterpart", #line),
      ((() -> Void).self, .unsupportedSwiftType, "@convention(block)", #line),
      ((() throws -> Void).self, .unsupportedSwiftType, "throwing", #line),
      ((() async -> Void).self, .unsupportedSwiftType, "async", #line),
      (Int32?.self, .unsupportedSwiftType, "unwrap", #line),
      (ctest_point?.self, .unsupportedSwiftType, "unwrap", #line),
      (Direction.self, .unsupportedSwiftType, "raw value", #line),
      (HoldsText.self, .unsupportedSwiftType, "Swift.String", #line),
      (HoldsClosure.self, .unsupportedSwiftType, "@convention", #line),
      (
        ReusesTail.self, .layoutMismatch, "member last lies at byte 5, C would place it at byte 8",
        #line
      ),
      (((Int32, Int8), Int8).self, .layoutMismatch, "at byte 5", #line),
      (ctest_number.self, .layoutMismatch, "union", #line),
      (ctest_with_union.self, .layoutMismatch, "union", #line),
      (ctest_bits.self, .layoutMismatch, "bit-fields", #line),
      (ctest_bits_between.self, .layoutMismatch, "bit-fields", #line),
      (ctest_bits_in_float_padding.self, .layoutMismatch, "could hide bit-fields", #line),
      (ctest_int128.self, .layoutMismatch, "TypeEncodable", #line),
      (ctest_packed.self, .layoutMismatch, "at byte 1", #line),
      (ctest_with_block.self, .unsupportedSwiftType, "block", #line),
    ]
    for row in rows {
      XCTAssertThrowsError(try TypeEncoding(of: row.type), "\(row.type)", line: row.line) { error in
        let error = error as? TypeEncodingError
        XCTAssertEqual(error?.code, row.code, line: row.line)
        let message = error?.message ?? ""
        XCTAssertTrue(message.contains(row.words), "\(row.type): \(message)", line: row.line)
      }
    }
  }

  func testABlocksEncodingIsTheSignatureThatTheRuntimeReads() throws {
    let block: Nest = { _, _, _, _ in nil }
    let address = unsafe unsafeBitCast(block, to: UnsafeRawPointer.self)
    let text = try XCTUnwrap(unsafe runtimeSignature(ofBlockAt: address))
    guard case .block(let derived?) = try unsafe TypeEncoding(of: Nest.self).type else {
      return XCTFail("no signature was derived")
    }
    XCTAssertEqual(derived.differences(from: try MethodSignature(parsing: text)), [])
    XCTAssertEqual(
      try derived.withFrameOffsets().frameSize, try MethodSignature(parsing: text).frameSize)
  }

  func testAGenericCallerMayAskForABlocksTypeWithoutTouchingAValue() throws {
    func encoding<Value>(of type: Value.Type) throws -> String {
      try TypeEncoding(of: type).description
    }
    XCTAssertEqual(try encoding(of: Callback.self), "@?<v@?i>")
    XCTAssertEqual(try encoding(of: Plain.self), "{Plain=id}")
  }
}
