import CallTracing
import Foundation
import Glibc
import TestSupport
import XCTest

/// Counts of calls that a process leaves in a file.
final class CountedCallsTests: XCTestCase {
  private let functions = [
    (place: 2, function: CountedCalls.Function(symbol: "$s4Shop3addyyF", image: "/bin/a b")),
    (place: 3, function: CountedCalls.Function(symbol: "$s4Shop4idleyyF", image: "/bin/a b")),
  ]

  func testTheCountsOfAllSetsAreAddedUpAtTheEnd() throws {
    let directory = try temporaryDirectory(self)
    let collector = TraceCollector(directory: directory, sinks: [])
    for _ in 0..<2 {
      let counted = try CountedCalls(directory: directory, size: 4, functions: functions)
      // SAFETY: the file has so many counters, and stays mapped.
      for set in 0..<CountedCalls.setCount { unsafe counted.counters[set * 4 + 2] = UInt64(set) }
      // What no function has is nothing.
      unsafe counted.counters[1] = 7
    }
    _ = collector.collect()
    // This process can still count.
    XCTAssertEqual(collector.countedCalls, [:])
    collector.finish()
    let name = TracedName(title: "Shop.add() -> ()", image: "/bin/a b", signature: "")
    XCTAssertEqual(collector.countedCalls, [name: 240])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory), [])
  }

  func testADirectoryThatIsNotThereIsAnError() {
    XCTAssertThrowsError(
      try CountedCalls(directory: "/no/such/directory", size: 4, functions: functions)
    ) { XCTAssertEqual(($0 as? TraceError)?.code, .outputUnavailable) }
  }

  func testFilesThatAProgramHasDamagedCountForNothing() throws {
    let directory = try temporaryDirectory(self)
    let magic: UInt64 = 0x3143_7572_5452_4243
    func words(_ words: [UInt64]) -> Data {
      words.reduce(into: Data()) { data, word in
        for byte in 0..<8 { data.append(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
      }
    }
    let text = Data("0 $s4Shop3addyyF /bin/a\n".utf8)
    let files: [Data] = [
      Data(), Data([1, 2, 3]), words([magic]), words([magic, 1, 1]) + text,
      words([magic, .max, .max, 1]) + text, words([magic, 1 << 63, 2, 1]) + text,
      words([magic, 1 << 32, 1 << 32, 1]) + text, words([magic, 100, 1, 1]) + text,
      words([1, 1, 1, 1]) + text, words([magic, 0, 0]) + text,
      words([magic, 1, 1, 5]) + Data("1 a b\n-1 a b\nx a b\n0 a\n\u{0}\n 0\n".utf8),
      words([magic, 1, 1, 5]) + Data([0xFF, 0xFE, 10, 48, 32, 0xFF]),
    ]
    for (number, data) in files.enumerated() {
      try data.write(to: URL(fileURLWithPath: "\(directory)/\(number).counts"))
    }
    // SAFETY: the paths are null-terminated for the duration of the calls.
    XCTAssertEqual(unsafe mkfifo("\(directory)/pipe.counts", 0o600), 0)
    XCTAssertEqual(unsafe symlink("/dev/zero", "\(directory)/link.counts"), 0)
    // One that is as it should be, twice as often as can be counted.
    for name in ["good", "better"] {
      try (words([magic, 1, 2, .max, .max]) + text).write(
        to: URL(fileURLWithPath: "\(directory)/\(name).counts"))
    }
    let collector = TraceCollector(directory: directory, sinks: [])
    _ = collector.collect()
    collector.finish()
    let name = TracedName(title: "Shop.add() -> ()", image: "/bin/a", signature: "")
    XCTAssertEqual(collector.countedCalls, [name: .max])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory), [])
  }
}
