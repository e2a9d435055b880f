import BlockABI
import BlockHooks
import CallRecording
import Foundation
import Invocations
import TestSupport
import TypeEncodings
import XCTest

final class RecordingFormatTests: XCTestCase {
  /// The bytes of the example in the article `Recordings.md`.
  private func documentedBytes() throws -> [UInt8] {
    let document = "\(PackageFiles.folder(of: "CallRecording"))/CallRecording.docc/Recordings.md"
    let lines = try PackageFiles.text(document).split(separator: "\n")
    return lines.filter { $0.hasPrefix("000000") }.flatMap { line in
      line.split(separator: " ").dropFirst().compactMap { UInt8($0, radix: 16) }
    }
  }

  private func scale() throws -> Block {
    try Block(signature: "i20@?0i8*12") { call in
      let text: String? = try call.argument(2)
      try call.setResult(text == nil ? 0 : call.argument(1, as: Int32.self) * 2)
    }
  }

  func testARecordingOfTheDocumentedCallsIsTheDocumentedFile() throws {
    let block = try scale()
    try XCTSkipIf(
      block.structReturnFlag == nil,
      "the documented file is of a processor where blocks say how they return structures")
    let bytes = try recordedBytes(of: block, as: "scale") { block in
      _ = try block.call(2, "hi") as Int32
      _ = try block.call(-3, String?.none) as Int32
    }
    XCTAssertEqual(bytes, try documentedBytes())
  }

  func testAFileOfTheFirstVersionIsRead() throws {
    var bytes = try documentedBytes()
    XCTAssertEqual(bytes[8], 2)
    bytes[8] = 1
    XCTAssertTrue(try Recording(bytes: bytes).replay(on: try scale()).isClean)
  }

  func testTheDocumentedFileIsReadAndReplayed() throws {
    let recording = try Recording(bytes: try documentedBytes())
    XCTAssertEqual(
      recording.calls.map(\.description), ["scale(2, \"hi\") = 4", "scale(-3, null) = 0"])
    XCTAssertEqual(recording.subjects[0].signature.description, "i20@?0i8*12")
    XCTAssertEqual(recording.droppedCount, 0)
    XCTAssertTrue(try recording.replay(on: try scale()).isClean)
  }
}
