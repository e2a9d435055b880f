#if Everything
import TestSupport
import XCTest

final class RecordEncodingTests: XCTestCase {
  func testNestedRecordsWithNamedFieldsKeepBothNames() throws {
    try CommandLineTool.expect(
      ["encoding", #"{R="o"{P="x"d"y"f}"tag"c}"#, "--json"],
      prints: #"{"encoding":"{R=\"o\"{P=\"x\"d\"y\"f}\"tag\"c}","kind":"struct","name":"R","#
        + #""size":24,"alignment":8,"fields":["#
        + #"{"name":"o","encoding":"{P=\"x\"d\"y\"f}","kind":"struct","offset":0,"size":16,"#
        + #""alignment":8,"fields":["#
        + #"{"name":"x","encoding":"d","kind":"double","offset":0,"size":8,"alignment":8},"#
        + #"{"name":"y","encoding":"f","kind":"float","offset":8,"size":4,"alignment":4}]},"#
        + #"{"name":"tag","encoding":"c","kind":"int8","offset":16,"size":1,"alignment":1}]}"#)
  }

  func testAFieldsNameIsTheQuotedOneOnly() throws {
    try CommandLineTool.expect(
      ["encoding", "{R={P=d}^{P}}", "--json"],
      prints: #"{"encoding":"{R={P=d}^{P}}","kind":"struct","name":"R","size":16,"alignment":8,"#
        + #""fields":[{"name":null,"encoding":"{P=d}","kind":"struct","offset":0,"size":8,"#
        + #""alignment":8,"fields":[{"name":null,"encoding":"d","kind":"double","offset":0,"#
        + #""size":8,"alignment":8}]},{"name":null,"encoding":"^{P}","kind":"pointer","offset":8,"#
        + #""size":8,"alignment":8,"pointee":{"encoding":"{P}","kind":"struct","name":"P","#
        + #""size":null,"alignment":null,"fields":[],"note":"the record's members are not listed; "#
        + #"write them behind P="}}]}"#)
  }

  func testAnonymousAndEmptyRecordsHaveNoName() throws {
    for (encoding, kind) in [
      ("{?=}", "struct"), ("{??=}", "struct"), ("{=}", "struct"), ("(?=)", "union"),
    ] {
      try CommandLineTool.expect(
        ["encoding", encoding, "--json"],
        prints: #"{"encoding":"\#(encoding)","kind":"\#(kind)","name":null,"size":0,"#
          + #""alignment":1,"fields":[]}"#)
    }
  }

  func testEveryFieldOfAUnionBeginsAtZero() throws {
    try CommandLineTool.expect(
      ["encoding", "(U=c[3s]d)", "--json"],
      prints: #"{"encoding":"(U=c[3s]d)","kind":"union","name":"U","size":8,"alignment":8,"#
        + #""fields":[{"name":null,"encoding":"c","kind":"int8","offset":0,"size":1,"#
        + #""alignment":1},{"name":null,"encoding":"[3s]","kind":"array","offset":0,"size":6,"#
        + #""alignment":2,"count":3,"element":{"encoding":"s","kind":"int16","name":null,"#
        + #""size":2,"alignment":2}},{"name":null,"encoding":"d","kind":"double","offset":0,"#
        + #""size":8,"alignment":8}]}"#)
  }

  func testGNUBitFieldsHaveTheirPlaces() throws {
    try CommandLineTool.expect(
      ["encoding", #"{F="a"b0i3"b"b3i7""b32i0"c"c}"#, "--json"],
      prints: #"{"encoding":"{F=\"a\"b0i3\"b\"b3i7\"\"b32i0\"c\"c}","kind":"struct","name":"F","#
        + #""size":8,"alignment":4,"fields":["#
        + #"{"name":"a","encoding":"b0i3","kind":"bitField","offset":0,"size":4,"alignment":4,"#
        + #""bitOffset":0,"bitWidth":3},"#
        + #"{"name":"b","encoding":"b3i7","kind":"bitField","offset":0,"size":4,"alignment":4,"#
        + #""bitOffset":3,"bitWidth":7},"#
        + #"{"name":"","encoding":"b32i0","kind":"bitField","offset":4,"size":4,"alignment":4,"#
        + #""bitOffset":32,"bitWidth":0},"#
        + #"{"name":"c","encoding":"c","kind":"int8","offset":4,"size":1,"alignment":1}]}"#)
  }

  func testABitFieldBeyondTheFirstByteHasThatBytesOffset() throws {
    let outcome = try CommandLineTool.run(["encoding", "{F=b0I10b10I3}", "--json"])
    XCTAssertTrue(
      outcome.output.contains(
        #"{"name":null,"encoding":"b10I3","kind":"bitField","offset":1,"size":4,"alignment":4,"#
          + #""bitOffset":10,"bitWidth":3}"#), outcome.output)
  }

  func testNeXTBitFieldsLeaveTheRecordWithoutLayout() throws {
    let outcome = try CommandLineTool.run(["encoding", "{F=cb3b0}", "--json"])
    XCTAssertEqual(outcome.status, 0)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertTrue(document["size"] is NSNull)
    XCTAssertTrue(document["alignment"] is NSNull)
    XCTAssertNotNil(document["note"] as? String)
    let fields = try XCTUnwrap(document["fields"] as? [[String: Any]])
    XCTAssertEqual(fields.map { $0["kind"] as? String }, ["int8", "bitField", "bitField"])
    XCTAssertEqual(fields.map { $0["bitWidth"] as? Int }, [nil, 3, 0])
    for field in fields.dropFirst() {
      for key in ["offset", "bitOffset", "size", "alignment"] {
        XCTAssertTrue(field[key] is NSNull, key)
      }
    }
  }

  func testBitFieldsOfAUnionBeginAtZeroWhateverTheirType() throws {
    let outcome = try CommandLineTool.run(["encoding", "(U=ib3)", "--json"])
    let document = try CommandLineTool.document(outcome.output)
    let fields = try XCTUnwrap(document["fields"] as? [[String: Any]])
    XCTAssertEqual(fields.map { $0["offset"] as? Int }, [0, 0])
    XCTAssertEqual(fields.last?["bitOffset"] as? Int, 0)
  }

  func testABitFieldElsewhereThanCPlacesItKeepsItsPlaceInARecordWithoutLayout() throws {
    let outcome = try CommandLineTool.run(["encoding", "{F=b0i3b17i5}", "--json"])
    XCTAssertEqual(outcome.status, 0)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertTrue(document["size"] is NSNull)
    let fields = try XCTUnwrap(document["fields"] as? [[String: Any]])
    XCTAssertEqual(fields.map { $0["bitOffset"] as? Int }, [0, 17])
    XCTAssertEqual(fields.map { $0["offset"] as? Int }, [0, 2])
  }

  func testAFieldThatVanishedIsUnknown() throws {
    let outcome = try CommandLineTool.run(["encoding", #"{V="v""n"i}"#, "--json"])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertTrue(
      outcome.output.contains(
        #"{"name":"v","encoding":"","kind":"unknown","offset":null,"size":null,"#), outcome.output)
  }

  func testControlCharactersAndQuotesAreEscapedInJSON() throws {
    let outcome = try CommandLineTool.run(["encoding", "{A=\"a\u{1}\n\\é\u{1B}\"i}", "--json"])
    XCTAssertTrue(
      outcome.output.hasPrefix(#"{"encoding":"{A=\"a\u0001\n\\é\u001b\"i}""#), outcome.output)
    let document = try CommandLineTool.document(outcome.output)
    let fields = try XCTUnwrap(document["fields"] as? [[String: Any]])
    XCTAssertEqual(fields.first?["name"] as? String, "a\u{1}\n\\é\u{1B}")
  }

  func testControlCharactersCannotSteerATerminal() throws {
    let outcome = try CommandLineTool.run(["encoding", "{A=\"\u{1B}[2J\"i}"])
    XCTAssertFalse(outcome.output.contains("\u{1B}"))
    XCTAssertTrue(outcome.output.contains(#"\u{1b}[2J"#), outcome.output)
  }

  func testATableListsNestedFieldsIndentedAndTheReasonBelow() throws {
    try CommandLineTool.expect(
      ["encoding", #"{R="o"{P="x"d}b3}"#],
      prints: """
        {R="o"{P="x"d}b3}
        part       kind      offset  size  align  encoding           details
        R          struct            ?     ?      {R="o"{P="x"d}b3}
          o        struct            8     8      {P="x"d}
            x      double    0       8     8      d
          field 1  bitField          ?     ?      b3                 3 bits
        note: the bit-field b3 does not say its declared type; write it as b<offset><type><width>, or pass the record by pointer
        """)
  }
}
#endif
