#if Everything
import TestSupport
import XCTest

final class DerivedEncodingTests: XCTestCase {
  func testAnArrayHasACountAndAnElement() throws {
    try CommandLineTool.expect(
      ["encoding", "[12^f]", "--json"],
      prints: #"{"encoding":"[12^f]","kind":"array","name":null,"size":96,"alignment":8,"#
        + #""count":12,"element":{"encoding":"^f","kind":"pointer","name":null,"size":8,"#
        + #""alignment":8,"pointee":{"encoding":"f","kind":"float","name":null,"size":4,"#
        + #""alignment":4}}}"#)
  }

  func testAnArrayOfArraysNests() throws {
    try CommandLineTool.expect(
      ["encoding", "[2[0s]]", "--json"],
      prints: #"{"encoding":"[2[0s]]","kind":"array","name":null,"size":0,"alignment":2,"count":2,"#
        + #""element":{"encoding":"[0s]","kind":"array","name":null,"size":0,"alignment":2,"#
        + #""count":0,"element":{"encoding":"s","kind":"int16","name":null,"size":2,"#
        + #""alignment":2}}}"#)
  }

  func testAPointerToVoidHasAVoidPointee() throws {
    let outcome = try CommandLineTool.run(["encoding", "^v", "--json"])
    XCTAssertTrue(
      outcome.output.hasPrefix(
        #"{"encoding":"^v","kind":"pointer","name":null,"size":8,"alignment":8,"#
          + #""pointee":{"encoding":"v","kind":"void","name":null,"size":null,"alignment":null,"#
      ), outcome.output)
  }

  func testAFunctionPointerHasNoPointee() throws {
    try CommandLineTool.expect(
      ["encoding", "^?", "--json"],
      prints: #"{"encoding":"^?","kind":"functionPointer","name":null,"size":8,"alignment":8,"#
        + #""pointee":null}"#)
  }

  func testAPointerWhosePointeeVanishedHasNone() throws {
    let outcome = try CommandLineTool.run(["encoding", "{V=^}", "--json"])
    XCTAssertTrue(
      outcome.output.contains(
        #"{"name":null,"encoding":"^","kind":"pointer","offset":0,"size":8,"alignment":8,"#
          + #""pointee":null}"#), outcome.output)
  }

  func testAPointerToAnOpaqueRecordNamesIt() throws {
    let outcome = try CommandLineTool.run(["encoding", "^{_IO_FILE}", "--json"])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertTrue(
      outcome.output.hasPrefix(
        #"{"encoding":"^{_IO_FILE}","kind":"pointer","name":null,"size":8,"alignment":8,"#
          + #""pointee":{"encoding":"{_IO_FILE}","kind":"struct","name":"_IO_FILE","#
          + #""size":null,"alignment":null,"fields":[],"note":""#), outcome.output)
  }

  func testABitFieldAloneHasItsDeclaredTypesSize() throws {
    try CommandLineTool.expect(
      ["encoding", "b10S3", "--json"],
      prints: #"{"encoding":"b10S3","kind":"bitField","name":null,"offset":1,"size":2,"#
        + #""alignment":2,"bitOffset":10,"bitWidth":3}"#)
  }

  func testABitFieldWithoutDeclaredTypeHasNoSize() throws {
    let outcome = try CommandLineTool.run(["encoding", "b3", "--json"])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertTrue(
      outcome.output.hasPrefix(
        #"{"encoding":"b3","kind":"bitField","name":null,"offset":null,"size":null,"#
          + #""alignment":null,"bitOffset":null,"bitWidth":3,"note":""#), outcome.output)
  }

  func testAnArrayAndAPointerPrintIndentedTables() throws {
    try CommandLineTool.expect(
      ["encoding", "[2^{P=ic}]"],
      prints: """
        [2^{P=ic}]
        part            kind     offset  size  align  encoding    details
        type            array            16    8      [2^{P=ic}]  2 elements
          each element  pointer          8     8      ^{P=ic}
            P           struct           8     4      {P=ic}
              field 0   int32    0       4     4      i
              field 1   int8     4       1     1      c
        """)
  }
}
#endif
