import Foundation
import TestSupport
import XCTest

@testable import CallTracing

/// Values are forgotten by the texts that they refer to, which a program may describe anew before each.
final class HostileMemoryTests: XCTestCase {
  /// Appends the number of callers, and the numbers.
  private static func append(callers: Int, to body: inout HostileStream.Body) {
    body.append(UInt8(callers))
    for _ in 0..<callers { body.append(UInt32(2)) }
  }

  func testFoldedStacksHaveALimitOfBytes() throws {
    var stream = HostileStream()
    for number in 1...50 as ClosedRange<UInt32> {
      stream.code(number, named: "\(number)" + String(repeating: "n", count: 400))
      // A call of a thread of its own whose outer call has not ended.
      stream.end(
        stream.begin(number, at: 1, depth: 1, thread: Int32(number)), at: 2, depth: 1,
        thread: Int32(number))
    }
    stream.code(51, named: "outer")
    stream.end(stream.begin(51, at: 1, thread: 1), at: 3)
    let text = Recorder<String>()
    let sink = FoldedTraceSink(
      TraceOutput(text.record), weight: .ownTime, FoldedStacks.Limits(count: 100, bytes: 10_000))
    sink.receive(try TraceStreamReader(path: stream.write(self)).read())
    sink.finish()
    let lines = written(text).split(separator: "\n")
    XCTAssertEqual(lines.count, 10_000 / 466 + 2)
    XCTAssertTrue(lines.contains { $0.hasPrefix("(other stacks) ") }, "\(lines)")
    XCTAssertEqual(lines.filter { $0.contains("outer;") }, [])
  }

  func testWhatRefersToLongDescriptionsTakesMoreOfTheLimits() throws {
    let long = String(repeating: "n", count: 4000)
    let signature = String(repeating: "?", count: 250_000)
    let rows: [(String, count: UInt64, add: (inout HostileStream, UInt64) -> Void)] = [
      (
        "waiting block", 5000,
        { $0.submit($1, at: 1, callers: Array(repeating: 2, count: 32)) }
      ),
      (
        "handler", 200,
        { $0.submit($1, at: 1, by: 12, callers: Array(repeating: 2, count: 32)) }
      ),
      (
        "open call", 200,
        { stream, number in
          stream.append(3, parts: 128 | 8192) { body in
            body.append(UInt32(1), number, UInt32(0), UInt32(0), UInt64(0), UInt64(0))
            Self.append(callers: 32, to: &body)
          }
        }
      ),
      (
        "task", 3000,
        { stream, task in
          let begin = stream.begin(3, at: task, block: 0, task: task)
          stream.append(4, parts: 8 | 1024) { $0.append(begin, task, UInt8(3)) }
        }
      ),
    ]
    for (what, count, add) in rows {
      var stream = HostileStream()
      stream.code()
      stream.append(8, parts: 16 | 32) { body in
        body.append(UInt32(2), UInt64(1), UInt64(0), UInt64(0))
        body.append(long)
        body.append(long)
      }
      stream.append(1, parts: 512 | 4096) { body in
        body.append(UInt32(3), UInt64(1), UInt64(0), UInt64(0), Int32(0), Int32(1))
        body.append(signature)
      }
      for number in 1...count { add(&stream, number) }
      let reader = try TraceStreamReader(path: stream.write(self))
      _ = try reader.read()
      let message = reader.forgottenValues?.message ?? ""
      XCTAssertTrue(message.contains(" \(what)s of more than "), "\(what): \(message)")
    }
  }

  func testATraceForPerfettoRemembersSomeThreadsAndIsWhole() throws {
    let count: Int32 = 10_000
    var stream = HostileStream()
    stream.code(named: "frequent")
    stream.queue(2, "q")
    for thread in 1...count {
      stream.submit(7, to: 2, at: 1, thread: thread)
      stream.end(stream.begin(at: 3, thread: thread, block: 7, on: 2), at: 4, thread: thread)
    }
    stream.end(stream.begin(at: 5), at: 6)
    let path = temporaryFile(self)
    let sink = try PerfettoTraceSink(TraceOutput(path: path))
    sink.receive(try TraceStreamReader(path: stream.write(self)).read())
    sink.finish()
    let slices = try PerfettoFile(path: path).slices
    XCTAssertEqual(slices.filter { $0.duration != nil }.count, Int(count) + 1)
    // A sequence has a name once.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let names = String(decoding: bytes, as: UTF8.self).components(separatedBy: "frequent").count - 1
    XCTAssertEqual(names, 2 * Int(count) + 2)
  }

  func testCallsThatWaitForTheCallAroundThemWaitOfSomeThreads() throws {
    var stream = HostileStream()
    stream.code()
    for thread in 1...1000 as ClosedRange<Int32> {
      stream.end(
        stream.begin(at: 1, depth: 1, thread: thread), at: 2, depth: 1, thread: thread)
    }
    var calls = NestedCalls(limit: 4)
    var (count, waiting) = (0, 0)
    for record in try TraceStreamReader(path: stream.write(self)).read() {
      XCTAssertEqual(calls.add(record).count, 0)
      count += calls.removeOldest().count
      waiting += 1
      XCTAssertLessThanOrEqual(waiting - count, 64)
    }
    XCTAssertEqual(count + calls.removeAll().count, 1000)
  }

  func testAllTextsOfAPageCount() throws {
    let long = String(repeating: "n", count: 1000)
    let rows: [(String, add: (inout HostileStream, Int32) -> Void)] = [
      (
        "code",
        { stream, number in
          stream.code(2, named: "\(number)", image: long)
          stream.end(stream.begin(2, at: 1), at: 2)
        }
      ),
      (
        "queues",
        { stream, number in
          stream.queue(2, "\(number) \(long)")
          stream.end(stream.begin(at: 1, block: 7, on: 2), at: 2)
        }
      ),
      (
        "tasks",
        { stream, number in
          stream.append(12) { body in
            body.append(UInt64(number))
            body.append(long)
          }
          stream.end(stream.begin(at: 1, block: 0, task: UInt64(number)), at: 2)
        }
      ),
      (
        "threads",
        { stream, number in
          stream.append(2, thread: number) { $0.append(long) }
          stream.end(stream.begin(at: 1, thread: number), at: 2, thread: number)
        }
      ),
    ]
    for (what, add) in rows {
      var stream = HostileStream()
      stream.code()
      for number in 1...50 as ClosedRange<Int32> { add(&stream, number) }
      let sink = HTMLTraceSink(TraceOutput { _ in }, textByteLimit: 10_000)
      let records = try TraceStreamReader(path: stream.write(self)).read()
      for record in records { sink.receive([record]) }
      sink.finish()
      XCTAssertGreaterThan(sink.unshownCallCount, 30, what)
    }
  }
}
