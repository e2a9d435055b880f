import BlockABI
import BlockHooks
import CallTracing
import Foundation
import Glibc
import Invocations
import TestSupport
import XCTest

/// Streams that were cut, written over or made to do harm: each gives an error or is read.
final class TraceStreamHostileTests: XCTestCase {
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// A stream with some calls in it.
  private func sample() throws -> [UInt8] {
    let ends = try TraceStreamEnds(self, capacity: Self.page)
    let tracer = Tracer(ends.writer)
    let block = try Block(signature: "q@?qd*{P=ii}") { call in try call.setResult(5) }
    try block.install(.tracing(with: tracer))
    let plain = try Block(signature: "i@?i") { call in
      _ = try block.call(values: [1, 2.5, "text", .structure([1, 2])])
      try call.setResult(Int32(5))
    }
    try plain.install(.tracing(with: tracer))
    for value in 0..<3 as Range<Int32> { _ = try plain.call(value) as Int32 }
    return Array(try Data(contentsOf: URL(fileURLWithPath: ends.path)))
  }

  private func read(_ bytes: [UInt8]) throws -> [TraceRecord] {
    try readStream(bytes, in: temporaryFile(self))
  }

  private func expectRefusal(
    _ bytes: [UInt8], _ message: String, file: StaticString = #filePath, line: UInt = #line
  ) {
    XCTAssertThrowsError(try read(bytes), file: file, line: line) { error in
      XCTAssertEqual((error as? TraceError)?.code, .damagedTrace, file: file, line: line)
      XCTAssertTrue("\(error)".contains(message), "\(error)", file: file, line: line)
    }
  }

  func testTheSampleIsRead() throws { XCTAssertEqual(try read(sample()).count, 6) }

  func testWhatIsNoStreamIsRefused() throws {
    let sample = try sample()
    let refused = "it is no stream of this version"
    expectRefusal([], refused)
    expectRefusal(Array(sample[..<Self.page]), refused)
    expectRefusal(Array(sample.dropLast()), refused)
    expectRefusal(sample + sample[..<Self.page], refused)
    for place in [0, 8, 16, 17] {
      var changed = sample
      changed[place] ^= 0x40
      expectRefusal(changed, refused)
    }
    for path in ["/nowhere/at/all", "/dev/null", "/tmp"] {
      expectError(.damagedTrace) { _ = try TraceStreamReader(path: path) }
    }
  }

  func testAHeadThatIsNowhereIsAnError() throws {
    for byte in 64..<72 {
      var changed = try sample()
      changed[byte] ^= 0xA1
      XCTAssertThrowsError(try read(changed))
    }
  }

  func testNothingThatIsWrittenOverDoesHarm() throws {
    let sample = try sample()
    var generator = SeededGenerator(seed: 11)
    var (refused, lost) = (0, 0)
    for _ in 0..<(isShort ? 600 : 1000) {
      var changed = sample
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        // The header behind the version, or the ring where it is used.
        let place = Int.random(in: 0..<1700, using: &generator)
        let byte = place < 256 ? 12 + place : Self.page + place - 256
        changed[byte] =
          Bool.random(using: &generator) ? .max : .random(in: 0...9, using: &generator)
      }
      do {
        lost += try read(changed).count < 6 ? 1 : 0
      } catch {
        XCTAssertEqual((error as? TraceError)?.code, .damagedTrace)
        refused += 1
      }
    }
    XCTAssertGreaterThan(refused, 30)
    XCTAssertGreaterThan(lost, 0)
  }

  func testCallsThatBeginWithoutEndDoNotFillTheReadersMemory() throws {
    let directory = try temporaryDirectory(self)
    let tracer = Tracer(try TraceStreamWriter(directory: directory, capacity: 1 << 20))
    let trace = unsafe try XCTUnwrap(OpaqueCallTrace(tracer, codeAt: nil))
    let collector = TraceCollector(directory: directory, sinks: [])
    for _ in 0..<100 {
      for _ in 0..<1000 { _ = trace.begin() }
      _ = collector.collect()
    }
    collector.finish()
    XCTAssertEqual(collector.counts.dropped, 0)
    XCTAssertEqual(collector.unfinishedRecords.count, 100_000 - (1 << 16))
    XCTAssertEqual(collector.errors.map(\.code), [.damagedTrace])
    let message = collector.errors.first?.message ?? ""
    XCTAssertTrue(
      message.contains("of which the oldest are missing (65536 open calls of more than 65536)"),
      message)
  }

  func testAPlaceWithoutRoomIsRefusedWithTheReason() throws {
    let rows: [(String, Int, String)] = [
      ("/nowhere/at/all", 4096, "No such file"), (try temporaryDirectory(self), 0, "Invalid"),
      (try temporaryDirectory(self), .max, "Invalid"),
    ]
    for (directory, capacity, reason) in rows {
      XCTAssertThrowsError(try TraceStreamWriter(directory: directory, capacity: capacity)) {
        XCTAssertEqual(($0 as? TraceError)?.code, .outputUnavailable)
        XCTAssertTrue("\($0)".contains(reason), "\($0)")
      }
      if directory.hasPrefix(NSTemporaryDirectory()) {
        XCTAssertEqual(try streams(in: directory), [])
      }
    }
  }
}
