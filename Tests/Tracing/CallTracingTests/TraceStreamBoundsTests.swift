import CallTracing
import Foundation
import Glibc
import TestSupport
import XCTest

/// Streams with more of something than any program has: the reader keeps a part of it, and says so.
final class TraceStreamBoundsTests: XCTestCase {
  func testWhatAStreamHasTooManyOfIsForgottenAndSaid() throws {
    let long = String(repeating: "n", count: 4000)
    let rows: [(String, count: UInt32, add: (inout HostileStream, UInt32) -> Void)] = [
      ("function", 12_000, { $0.code($1, at: UInt64($1), named: "c", image: long) }),
      (
        "thread", 70_000,
        { stream, thread in stream.append(2, thread: Int32(thread)) { $0.append("t") } }
      ),
      ("queue", 70_000, { $0.queue($1, "q") }),
      (
        "sender", 70_000,
        { stream, number in
          stream.append(8, parts: 16) { body in
            body.append(number, UInt64(number), UInt64(0), UInt64(0))
            body.append("c")
          }
        }
      ),
      ("handler", 70_000, { $0.submit(UInt64($1), at: 1, by: 12) }),
      ("open call", 70_000, { $0.begin(at: UInt64($1)) }),
    ]
    for (what, count, add) in rows {
      var stream = HostileStream()
      stream.code()
      for number in 2...count { add(&stream, number) }
      let reader = try TraceStreamReader(path: stream.write(self))
      XCTAssertEqual(try reader.read().count, 0, what)
      let message = reader.forgottenValues?.message ?? ""
      XCTAssertTrue(message.contains(" \(what)s of more than 65536)"), "\(what): \(message)")
    }
  }

  func testCallsOfForgottenCodeAreNoDamage() throws {
    let long = String(repeating: "n", count: 4000)
    var stream = HostileStream()
    for number in 1...12_000 { stream.code(UInt32(number), at: UInt64(number), image: long) }
    stream.end(stream.begin(1, at: 1), at: 2)
    stream.end(stream.begin(12_000, at: 3), at: 4)
    let reader = try TraceStreamReader(path: stream.write(self))
    XCTAssertEqual(try reader.read().map(\.subject.title), ["block v@?", "work"])
  }

  func testUnusableSignaturesAreNotAllLookedAt() throws {
    var stream = HostileStream()
    for number in 1...3000 {
      stream.code(UInt32(number), at: 1, named: "c", signature: "?\(number)(")
    }
    stream.code(3001, at: 1, named: "usable", signature: "v@?")
    stream.end(stream.begin(3001, at: 1), at: 2)
    let reader = try TraceStreamReader(path: stream.write(self))
    XCTAssertEqual(try reader.read().map(\.subject.title), ["usable"])
    let message = reader.unreadValues?.message ?? ""
    XCTAssertTrue(
      message.contains(#""?1(", "?2(", "?3(", "?4(", "?5(", "?6(", "?7(", "?8("; "#), message)
  }

  /// Each cancellation would look at all that wait, which are as many.
  func testCancellationsFindTheirSubmissionsAmongAnyNumber() throws {
    let count: UInt64 = 20_000
    var stream = HostileStream()
    for number in 1...count {
      stream.submit(7, at: number, in: number % 2 == 0 ? number : 0)
      // One that was made, and one that was not.
      if number % 4 == 0 { stream.cancel(7, in: number, at: number) }
      stream.cancel(7, in: count + number, at: number)
    }
    let reader = try TraceStreamReader(path: stream.write(self))
    let cancelled = try reader.read()
    XCTAssertEqual(cancelled.map(\.startNanoseconds), Array(stride(from: 4, through: count, by: 4)))
    XCTAssertTrue(cancelled.allSatisfy { $0.outcome == .cancelled })
    let pending = reader.pendingRecords(at: count)
    XCTAssertEqual(pending.map(\.startNanoseconds), (1...count).filter { $0 % 4 != 0 })
  }

  func testSubmissionsThatWereCancelledDoNotBeginAndOthersDoInTheirOrder() throws {
    var stream = HostileStream()
    stream.code()
    for number in 1...6 as ClosedRange<UInt64> { stream.submit(7, at: number, in: 100 + number) }
    for number in [1, 2, 4] as [UInt64] { stream.cancel(7, in: 100 + number, at: 10) }
    for time in 11...13 as ClosedRange<UInt64> {
      stream.end(stream.begin(at: time, block: 7), at: time)
    }
    let reader = try TraceStreamReader(path: stream.write(self))
    let ran = try reader.read().filter { $0.outcome != .cancelled }
    XCTAssertEqual(ran.map(\.submission?.nanoseconds), [3, 5, 6])
    XCTAssertEqual(reader.pendingRecords(at: 20).count, 0)
  }

  func testLinesAreIndentedToALimit() throws {
    var stream = HostileStream()
    stream.code()
    for depth in [0, 50, 51, 65_535, .max] as [Int32] {
      stream.end(stream.begin(at: 1, depth: depth), at: 1, depth: depth)
    }
    let lines = try lines(of: stream)
    XCTAssertTrue(lines.allSatisfy { $0.utf8.count < 200 }, "\(lines.map(\.utf8.count))")
    XCTAssertTrue(lines[3].hasSuffix("  (depth 51) work()"), lines[3])
    XCTAssertTrue(lines[2].hasSuffix("  work()"), lines[2])
  }

  func testNothingThatControlsTerminalsIsInLines() throws {
    let scalars =
      "\u{202E}\u{2066}\u{200F}\u{61C}\u{9B}\u{85}\u{7F}\u{1B}\n\u{2028}\u{2029}\u{FEFF}\u{600}\u{E0001}"
    var stream = HostileStream()
    stream.code(named: "a\(scalars)b")
    stream.queue(2, "c\(scalars)é\u{D4E}d")
    stream.submit(7, to: 2, at: 1)
    stream.end(stream.begin(at: 2, block: 7, on: 2), at: 3)
    let lines = try lines(of: stream)
    let spaces = String(repeating: " ", count: scalars.unicodeScalars.count)
    XCTAssertEqual(lines.count, 2)
    XCTAssertTrue(lines[1].contains("a\(spaces)b()"), lines[1])
    XCTAssertTrue(lines[1].contains("[c\(spaces)é\u{D4E}d,"), lines[1])
  }

  func testAProcessSpeaksForItselfAndItsForksOnly() throws {
    let directory = try temporaryDirectory(self)
    var (own, forged) = (HostileStream(), HostileStream())
    own.code(named: "own")
    own.end(own.begin(at: 1, process: 1111), at: 2, process: 1111)
    forged.code(named: "forged")
    for process in [1111, 2222, 3333] as [Int32] {
      forged.end(forged.begin(at: 1, process: process), at: 2, process: process)
    }
    let sink = RecordingSink()
    let collector = TraceCollector(directory: directory, sinks: [sink])
    _ = try own.write(self, to: directory, of: 1111)
    _ = collector.collect()
    _ = try forged.write(self, to: directory, of: 2222)
    collector.finish()
    let processes = sink.records.map { "\($0.subject.title) \($0.process)" }
    XCTAssertEqual(processes, ["own 1111", "forged 2222", "forged 2222", "forged 3333"])
  }

  func testAForkThatGoesOnAsAnotherProgramHasWrittenToTheStreamOfItsParent() throws {
    let directory = try temporaryDirectory(self)
    var (parent, program) = (HostileStream(), HostileStream())
    parent.code(named: "fork")
    parent.end(parent.begin(at: 1, process: 3333), at: 2, process: 3333)
    program.code(named: "program")
    program.end(program.begin(at: 3, process: 3333), at: 4, process: 3333)
    let sink = RecordingSink()
    let collector = TraceCollector(directory: directory, sinks: [sink])
    _ = try parent.write(self, to: directory, of: 2222)
    _ = try program.write(self, to: directory, of: 3333)
    collector.finish()
    let processes = sink.records.map { "\($0.subject.title) \($0.process)" }
    XCTAssertEqual(processes.sorted(), ["fork 3333", "program 3333"])
  }

  /// The lines of the calls of a stream.
  private func lines(of stream: HostileStream) throws -> [String] {
    let text = Recorder<String>()
    let sink = TextTraceSink(TraceOutput { text.record($0) })
    sink.receive(try TraceStreamReader(path: stream.write(self)).read())
    return written(text).split(separator: "\n").map(String.init)
  }
}
