import TestSupport
import TypeEncodings
import XCTest

final class TypeLayoutTests: XCTestCase {
  func testLayoutsEqualTheCompilers() throws {
    let types = OracleType.all
    XCTAssertGreaterThan(types.count, 60)
    for type in types {
      let encoding = try TypeEncoding(parsing: type.encoding)
      XCTAssertEqual(encoding.description, type.encoding, type.name)
      let layout = try encoding.layout()
      XCTAssertEqual(layout.size, type.size, "\(type.name) \(type.encoding)")
      XCTAssertEqual(layout.alignment, type.alignment, "\(type.name) \(type.encoding)")
      XCTAssertEqual(
        layout.fields.map { $0.bitOffset == nil ? $0.offset : nil }, type.offsets,
        "\(type.name) \(type.encoding)")
    }
  }

  func testBitFieldsReportTheirFirstBitAndDeclaredType() throws {
    let layout = try TypeEncoding(parsing: "{BF=cb8i3b32i0cb48s9}").layout()
    XCTAssertEqual(layout.fields.map(\.bitOffset), [nil, 8, 32, nil, 48])
    XCTAssertEqual(layout.fields.map(\.offset), [0, 1, 4, 4, 6])
    XCTAssertEqual(layout.fields.map(\.layout?.size), [1, 4, 4, 1, 2])
  }

  func testLayoutsThatAnEncodingCannotSayAreRefusedWithTheReason() {
    let rows: [(text: String, code: ErrorCode, line: UInt)] = [
      ("v", .noLayout, #line), ("?", .noLayout, #line), (" ", .noLayout, #line),
      ("j ", .noLayout, #line), ("{P}", .noLayout, #line), ("(P)", .noLayout, #line),
      ("{A={P}}", .noLayout, #line), ("[3v]", .noLayout, #line), ("A{N}", .noLayout, #line),
      ("A{N=i}", .noLayout, #line), ("b3", .noLayout, #line), ("b0i3", .noLayout, #line),
      ("{A=b3}", .ambiguousLayout, #line), ("{A=i[2{B=b3}]}", .ambiguousLayout, #line),
      ("{A=\"v\"\"i\"i}", .vanishedType, #line),
      ("{A=cb16i3}", .packedRecord, #line), ("{A=b0i20b20i20}", .packedRecord, #line),
      ("{A=b0c9}", .noLayout, #line),
      ("[999999999999[9999999999i]]", .sizeOverflow, #line),
      ("[9223372036854775807c]", .sizeOverflow, #line),
      ("{A=[576460752303423488c]c}", .sizeOverflow, #line),
      ("{A=[576460752303423488c][576460752303423488c]}", .sizeOverflow, #line),
      ("{A=[576460752303423488c]b4611686018427387904q1}", .sizeOverflow, #line),
    ]
    for row in rows {
      XCTAssertThrowsError(
        try TypeEncoding(parsing: row.text).layout(), row.text, line: row.line
      ) { error in
        let error = error as? TypeEncodingError
        XCTAssertEqual(error?.code, row.code, "\(row.text) \(error?.message ?? "")", line: row.line)
        XCTAssertEqual(error?.input, row.text, line: row.line)
      }
    }
  }

  func testDialectsBesidesClangsHaveTheSameLayout() throws {
    let rows: [(text: String, size: Int, alignment: Int, line: UInt)] = [
      ("l", 4, 4, #line), ("L", 4, 4, #line), ("{P=\"x\"d\"o\"@\"A\"}", 16, 8, #line),
      ("{??=cs}", 4, 2, #line), ("@?<v@?q>", 8, 8, #line), ("{A=^}", 8, 8, #line),
      ("[0{E=}]", 0, 1, #line), ("(U=)", 0, 1, #line), ("rn@\"X\"", 8, 8, #line),
    ]
    for row in rows {
      let layout = try TypeEncoding(parsing: row.text).layout()
      XCTAssertEqual(layout.size, row.size, row.text, line: row.line)
      XCTAssertEqual(layout.alignment, row.alignment, row.text, line: row.line)
    }
  }
}
