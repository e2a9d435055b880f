#if Everything
import Foundation
import TestSupport
import XCTest

/// `hook-demo call --batch`: one answer a line, in order, whatever happens.
final class CallBatchTests: XCTestCase {
  private func answers(_ lines: [String], status: Int32) throws -> [String] {
    let outcome = try CommandLineTool.run(
      ["call", "--batch", "-"], input: lines.joined(separator: "\n"))
    XCTAssertEqual(outcome.status, status, outcome.output)
    XCTAssertEqual(outcome.errors, "")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  private let negative = #"{"library":"-","symbol":"abs","signature":"ii","arguments":[-7]}"#
  private let seven = #"{"result":7,"outputs":[null]}"#

  func testAFunctionThatWritesIntoTheAnswersEndsItsProcess() throws {
    let noise = #"{"symbol":"write","signature":"qir*Q","arguments":[203,"AAAAAAAAAAAA",12]}"#
    let found = try answers([noise, negative], status: 1)
    XCTAssertEqual(found.count, 2)
    XCTAssertTrue(found[0].hasSuffix(#","signal":9}}"#), found[0])
    XCTAssertEqual(found[1], seven)
  }

  func testStateLastsUntilTheProcessDies() throws {
    let read = #"{"library":"-","symbol":"getenv","signature":"*r*","arguments":["A_NAME"]}"#
    let found = try answers(
      [
        #"{"symbol":"setenv","signature":"ir*r*i","arguments":["A_NAME","a value",1]}"#, read, "",
        "  \t\r", #"{"symbol":"raise","signature":"ii","arguments":[11]}"#, read, negative,
      ], status: 1)
    XCTAssertEqual(found.count, 5)
    XCTAssertEqual(found[1], #"{"result":"a value","outputs":[null]}"#)
    XCTAssertTrue(found[2].hasSuffix(#","signal":11}}"#), found[2])
    XCTAssertEqual(found[3], #"{"result":null,"outputs":[null]}"#)
    XCTAssertEqual(found[4], seven)
  }

  func testWhatEarlierCallsLoadedIsLoaded() throws {
    // A library of libc's package that no program links.
    let call = #""symbol":"_nss_compat_endpwent","signature":"i"}"#
    let found = try answers(
      [
        #"{"library":"-","# + call, #"{"library":"libnss_compat.so.2","# + call,
        #"{"library":"-","# + call,
      ], status: 1)
    XCTAssertEqual(found.count, 3)
    XCTAssertTrue(found.first?.contains(#""code":"symbolNotFound""#) ?? false)
    XCTAssertEqual(
      found.dropFirst(), [#"{"result":1,"outputs":[]}"#, #"{"result":1,"outputs":[]}"#])
  }

  func testMalformedLinesAreAnsweredAndTheRestGoesOn() throws {
    let rows =
      [
        ("x", "malformedJSON", 0), ("{", "malformedJSON", 1),
        (#"{"symbol":"\ud800"}"#, "malformedJSON", 11),
        (#"{"symbol":"abs","symbol":"abs"}"#, "malformedJSON", 16),
        (negative + "]", "malformedJSON", negative.utf8.count),
        (String(repeating: "[", count: 600), "malformedJSON", 512),
        ("[]", "malformedRequest", nil), ("5", "malformedRequest", nil),
        ("{}", "malformedRequest", nil),
        (#"{"symbol":5,"signature":"v"}"#, "malformedRequest", nil),
        (#"{"symbol":"abs","signature":"ii","arguments":5}"#, "malformedRequest", nil),
        (
          #"{"symbol":"abs","signature":"ii","arguments":[5],"fixed":1.5}"#, "malformedRequest", nil
        ),
        (#"{"symbol":"abs","signature":"ii","values":[5]}"#, "malformedRequest", nil),
        (#"{"symbol":"abs","signature":"iX","arguments":[5]}"#, "unexpectedCharacter", 1),
        (#"{"symbol":"abs\u0000","signature":"ii","arguments":[5]}"#, "symbolNotFound", nil),
        (#"{"symbol":"abs","signature":"ii","arguments":["nan"]}"#, "typeMismatch", nil),
      ] as [(String, String, Int?)]
    let found = try answers(rows.flatMap { [$0.0, negative] }, status: 1)
    XCTAssertEqual(found.count, 2 * rows.count)
    for (index, row) in rows.enumerated() where found.count == 2 * rows.count {
      XCTAssertEqual(found[2 * index + 1], seven)
      let error = try XCTUnwrap(
        try CommandLineTool.document(found[2 * index])["error"] as? [String: Any])
      XCTAssertEqual(error["code"] as? String, row.1, row.0)
      XCTAssertEqual(error["offset"] as? Int, row.2, row.0)
      XCTAssertNotNil(error["message"] as? String)
    }
  }

  func testABatchWithoutFailuresSucceeds() throws {
    XCTAssertEqual(try answers([negative + "\r", negative], status: 0), [seven, seven])
    XCTAssertEqual(try answers([], status: 0), [])
    XCTAssertEqual(
      try answers(
        [#"{"symbol":"snprintf","signature":"i*Qr*f","arguments":[null,0,"%g",0.5],"fixed":3}"#],
        status: 0), [#"{"result":3,"outputs":[null,null,null,null]}"#])
  }

  func testABatchIsAFile() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(negative.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try CommandLineTool.expect(["call", "--batch", file.path], prints: seven)
    let missing = try CommandLineTool.run(["call", "--batch", file.path + "-"])
    XCTAssertEqual(missing.status, 1)
    XCTAssertTrue(missing.output.hasPrefix(#"{"error":{"code":"unreadableFile","#), missing.output)
  }

  func testLongLinesArriveWhole() throws {
    let text = String(repeating: "é", count: 20_000)
    let found = try answers(
      [#"{"symbol":"strdup","signature":"*r*","arguments":["\#(text)"]}"#], status: 0)
    XCTAssertEqual(found, [#"{"result":"\#(text)","outputs":[null]}"#])
  }

  /// Each answer is there before the next line is: addresses of one call go into the next.
  func testAnswersAreFlushedOneByOne() throws {
    let process = Process()
    process.executableURL = try CommandLineTool.url
    process.arguments = ["call", "--batch", "-"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    func ask(_ line: String) throws -> String {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
      return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
    // Wide strings of one character and a zero each.
    let found = try ask(
      #"{"symbol":"dlsym","signature":"^?^vr*","arguments":[null,"wcscmp"]}"#)
    let address = try XCTUnwrap(try CommandLineTool.document(found)["result"] as? String)
    XCTAssertTrue(address.hasPrefix("0x"))
    let sorted = try ask(
      #"{"symbol":"qsort","signature":"v^{W=ii}QQ^?","#
        + #""arguments":[{"buffer":[[3,0],[1,0],[2,0]]},3,8,"\#(address)"]}"#)
    XCTAssertEqual(
      sorted, #"{"result":null,"outputs":[[[1,0],[2,0],[3,0]],null,null,null]}"# + "\n")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }
}
#endif
