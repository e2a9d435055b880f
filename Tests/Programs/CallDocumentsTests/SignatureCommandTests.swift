#if Everything
import TestSupport
import XCTest

final class SignatureCommandTests: XCTestCase {
  private static let block =
    #"{"encoding":"@?","kind":"block","name":null,"size":8,"alignment":8,"frameOffset":0}"#

  private func scalar(_ encoding: String, _ kind: String, _ size: Int, at offset: Int) -> String {
    #"{"encoding":"\#(encoding)","kind":"\#(kind)","name":null,"size":\#(size),"#
      + #""alignment":\#(size),"frameOffset":\#(offset)}"#
  }

  func testABlocksSignatureListsTheBlockItself() throws {
    try CommandLineTool.expect(
      ["signature", "i20@?0i8d12", "--json"],
      prints:
        #"{"signature":"i20@?0i8d12","declaration":"int (^)(int, double)","form":"block","return":{"encoding":"i","#
        + #""kind":"int32","name":null,"size":4,"alignment":4},"frameSize":20,"arguments":["#
        + "\(Self.block),\(scalar("i", "int32", 4, at: 8)),\(scalar("d", "double", 8, at: 12))]}")
  }

  func testOffsetsThatAreMissingAreThoseOfClang() throws {
    try CommandLineTool.expect(
      ["signature", "i@?id", "--json"],
      prints:
        #"{"signature":"i@?id","declaration":"int (^)(int, double)","form":"block","return":{"encoding":"i","#
        + #""kind":"int32","name":null,"size":4,"alignment":4},"frameSize":20,"arguments":["#
        + "\(Self.block),\(scalar("i", "int32", 4, at: 8)),\(scalar("d", "double", 8, at: 12))]}")
  }

  func testAPlainFunctionHasNoHiddenArguments() throws {
    try CommandLineTool.expect(
      ["signature", "ddd", "--json"],
      prints:
        #"{"signature":"ddd","declaration":"double (double, double)","form":"function","return":{"encoding":"d","#
        + #""kind":"double","name":null,"size":8,"alignment":8},"frameSize":16,"arguments":["#
        + "\(scalar("d", "double", 8, at: 0)),\(scalar("d", "double", 8, at: 8))]}")
  }

  /// A signature, its form, its frame size and its frame offsets.
  private struct Row {
    let signature: String
    let form: String
    let frameSize: Int
    let offsets: [Int]
    let line: UInt

    init(
      _ signature: String, _ form: String, _ frameSize: Int, _ offsets: [Int], line: UInt = #line
    ) {
      self.signature = signature
      self.form = form
      self.frameSize = frameSize
      self.offsets = offsets
      self.line = line
    }
  }

  private static let rows = [
    Row("v40@?0{P=dd}8r*24@32", "block", 40, [0, 8, 24, 32]),
    Row("v24@0:8@16", "method", 24, [0, 8, 16]),
    Row("v@:@", "method", 24, [0, 8, 16]),
    Row("@16#0:8", "method", 16, [0, 8]),
    Row("v@i", "function", 12, [0, 8]),
    Row("i12@?0i8", "block", 12, [0, 8]),
    Row("v16@?0@?<v@?q>8", "block", 16, [0, 8]),
    Row("v@?@?<v@?@?<i@?d>>", "block", 16, [0, 8]),
    Row("24@?08", "block", 24, [0, 8]),
    Row("v12@0:4i8", "method", 12, [0, 4, 8]),
    Row("v20@+0:+8i+16", "method", 20, [0, 8, 16]),
    Row("v@?csC", "block", 20, [0, 8, 12, 16]),
    Row("v@?[4i]i", "block", 20, [0, 8, 16]),
    Row("v@?AcAs", "block", 11, [0, 8, 9]),
    Row("v@?t{P=cd}", "block", 40, [0, 8, 24]),
    Row("v100i4d", "function", 100, [4, 4]),
    Row("v-8i-4", "function", -8, [-4]),
    Row("v", "function", 0, []),
    Row("v0", "function", 0, []),
    Row("@?<v@?>", "function", 0, []),
    Row("@?@?", "block", 8, [0]),
    Row(#"v@"Reader":@"NSData""#, "method", 24, [0, 8, 16]),
  ]

  func testEveryDialectHasItsFormAndItsFrame() throws {
    for row in Self.rows {
      let outcome = try CommandLineTool.run(["signature", "--json", "--", row.signature])
      XCTAssertEqual(outcome.status, 0, row.signature, line: row.line)
      XCTAssertEqual(outcome.errors, "", row.signature, line: row.line)
      let document = try CommandLineTool.document(outcome.output)
      XCTAssertEqual(document["signature"] as? String, row.signature, line: row.line)
      XCTAssertEqual(document["form"] as? String, row.form, row.signature, line: row.line)
      XCTAssertEqual(document["frameSize"] as? Int, row.frameSize, row.signature, line: row.line)
      let arguments = try XCTUnwrap(document["arguments"] as? [[String: Any]])
      XCTAssertEqual(
        arguments.map { $0["frameOffset"] as? Int }, row.offsets, row.signature, line: row.line)
    }
  }

  func testAnArrayArgumentKeepsItsOwnSize() throws {
    let outcome = try CommandLineTool.run(["signature", "v@?[4i]", "--json"])
    XCTAssertTrue(
      outcome.output.contains(
        #"{"encoding":"[4i]","kind":"array","name":null,"size":16,"alignment":4,"count":4,"#
          + #""element":{"encoding":"i","kind":"int32","name":null,"size":4,"alignment":4},"#
          + #""frameOffset":8}"#), outcome.output)
  }

  func testARecordArgumentHasItsFields() throws {
    let outcome = try CommandLineTool.run(["signature", "v24@?0{P=dd}8", "--json"])
    XCTAssertTrue(
      outcome.output.contains(
        #"{"encoding":"{P=dd}","kind":"struct","name":"P","size":16,"alignment":8,"fields":["#
          + #"{"name":null,"encoding":"d","kind":"double","offset":0,"size":8,"alignment":8},"#
          + #"{"name":null,"encoding":"d","kind":"double","offset":8,"size":8,"alignment":8}],"#
          + #""frameOffset":8}"#), outcome.output)
  }

  func testAVanishedArgumentIsUnknownWithAReason() throws {
    let outcome = try CommandLineTool.run(["signature", "v24@?08", "--json"])
    let arguments = try arguments(of: outcome)
    XCTAssertEqual(arguments.map { $0["kind"] as? String }, ["block", "unknown"])
    XCTAssertTrue(arguments[1]["size"] is NSNull)
    XCTAssertNotNil(arguments[1]["note"] as? String)
    XCTAssertEqual(arguments[1]["frameOffset"] as? Int, 8)
  }

  func testTheFrameSettlesBitFieldsWithoutDeclaredType() throws {
    let outcome = try CommandLineTool.run(["signature", "v12@?0{F=b3b5}8", "--json"])
    let arguments = try arguments(of: outcome)
    XCTAssertEqual(arguments[1]["size"] as? Int, 4)
    let fields = try XCTUnwrap(arguments[1]["fields"] as? [[String: Any]])
    XCTAssertEqual(fields.map { $0["bitOffset"] as? Int }, [0, 3])
  }

  func testARecordThatTheFrameShowsToBePackedHasNoSize() throws {
    let outcome = try CommandLineTool.run(["signature", "v13@?0{P=ci}8", "--json"])
    let arguments = try arguments(of: outcome)
    XCTAssertTrue(arguments[1]["size"] is NSNull)
    XCTAssertEqual(
      arguments[1]["note"] as? String,
      "argument 1: the frame has 5 bytes for {P=ci}, which takes 8: the record is packed; "
        + "pass it by pointer")
  }

  func testOffsetsBehindAnArgumentOfUnknownSizeAreNull() throws {
    let outcome = try CommandLineTool.run(["signature", "v@?{R}ii", "--json"])
    XCTAssertEqual(outcome.status, 0)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertTrue(document["frameSize"] is NSNull)
    XCTAssertEqual(
      document["note"] as? String,
      "argument 1: the record's members are not listed; write them behind R=")
    let offsets = try arguments(of: outcome).map { $0["frameOffset"] as? Int }
    XCTAssertEqual(offsets, [0, 8, nil, nil])
  }

  func testAFrameWithoutArgumentsIsRemarkedOn() throws {
    let document = try CommandLineTool.document(
      try CommandLineTool.run(["signature", "v16", "--json"]).output)
    XCTAssertEqual(document["frameSize"] as? Int, 16)
    XCTAssertEqual(
      document["note"] as? String,
      "the frame has 16 bytes, but no argument is listed; give the signature explicitly")
  }

  func testATableNamesTheHiddenArguments() throws {
    try CommandLineTool.expect(
      ["signature", "v@:{P=sf}"],
      prints: """
        v@:{P=sf}
        struct P { short m0; float m1; }; void (id, SEL, struct P)
        method, a frame of 24 bytes
                        kind      offset  size  align  encoding
        returns         void                           v
        0 the receiver  object    0       8     8      @
        1 the selector  selector  8       8     8      :
        2 argument      struct    16      8     4      {P=sf}
          field 0       int16     0       2     2      s
          field 1       float     4       4     4      f
        """)
  }

  private func arguments(of outcome: CommandLineTool.Outcome) throws -> [[String: Any]] {
    let document = try CommandLineTool.document(outcome.output)
    return try XCTUnwrap(document["arguments"] as? [[String: Any]])
  }
}
#endif
