#if Everything
import TestSupport
import XCTest

final class ScalarEncodingTests: XCTestCase {
  private struct Row {
    let encoding: String
    let kind: String
    let size: Int
    let line: UInt

    init(_ encoding: String, _ kind: String, _ size: Int, line: UInt = #line) {
      self.encoding = encoding
      self.kind = kind
      self.size = size
      self.line = line
    }
  }

  private static let rows = [
    Row("B", "bool", 1), Row("c", "int8", 1), Row("C", "uint8", 1), Row("s", "int16", 2),
    Row("S", "uint16", 2), Row("i", "int32", 4), Row("I", "uint32", 4), Row("l", "int32", 4),
    Row("L", "uint32", 4), Row("q", "int64", 8), Row("Q", "uint64", 8), Row("t", "int128", 16),
    Row("T", "uint128", 16), Row("f", "float", 4), Row("d", "double", 8),
    Row("D", "longDouble", 16), Row("*", "cString", 8), Row("r*", "cString", 8),
    Row("@", "object", 8), Row("#", "class", 8), Row(":", "selector", 8), Row("@?", "block", 8),
    Row("@?<v@?@?<q@?d>>", "block", 8), Row("rnNoORVi", "int32", 4), Row("Aq", "int64", 8),
  ]

  func testEveryScalarHasItsKindSizeAndAlignment() throws {
    for row in Self.rows {
      try CommandLineTool.expect(
        ["encoding", row.encoding, "--json"],
        prints: #"{"encoding":"\#(row.encoding)","kind":"\#(row.kind)","name":null,"#
          + #""size":\#(row.size),"alignment":\#(row.size)}"#, line: row.line)
    }
  }

  func testComplexNumbersAreAlignedAsTheirParts() throws {
    for (encoding, kind, size) in [
      ("jf", "complexFloat", 8), ("jd", "complexDouble", 16), ("jD", "complexLongDouble", 32),
    ] {
      try CommandLineTool.expect(
        ["encoding", "--json", encoding],
        prints: #"{"encoding":"\#(encoding)","kind":"\#(kind)","name":null,"#
          + #""size":\#(size),"alignment":\#(size / 2)}"#)
    }
  }

  func testANamedClassIsAnObjectWithoutRecordName() throws {
    try CommandLineTool.expect(
      ["encoding", #"@"NSString<NSCopying>""#, "--json"],
      prints: #"{"encoding":"@\"NSString<NSCopying>\"","kind":"object","name":null,"#
        + #""size":8,"alignment":8}"#)
  }

  func testTypesWithoutLayoutSayWhy() throws {
    for (encoding, kind) in [("v", "void"), ("?", "unknown"), (" ", "unknown"), ("Vv", "void")] {
      let outcome = try CommandLineTool.run(["encoding", encoding, "--json"])
      XCTAssertEqual(outcome.status, 0, encoding)
      XCTAssertTrue(
        outcome.output.hasPrefix(
          #"{"encoding":"\#(encoding)","kind":"\#(kind)","name":null,"size":null,"#
            + #""alignment":null,"note":""#), outcome.output)
      let document = try CommandLineTool.document(outcome.output)
      XCTAssertFalse(try XCTUnwrap(document["note"] as? String).isEmpty)
    }
  }

  func testAnUnquotedTypePrintsATable() throws {
    try CommandLineTool.expect(
      ["encoding", "i"],
      prints: """
        i
        part  kind   size  align  encoding
        type  int32  4     4      i
        """)
  }
}
#endif
