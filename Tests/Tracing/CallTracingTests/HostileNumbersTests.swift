import CallTracing
import Foundation
import TestSupport
import XCTest

/// Numbers of streams that no kernel gives: what is written of them stays well-formed.
final class HostileNumbersTests: XCTestCase {
  func testNumbersOfProcessesAndThreadsMayBeNegative() throws {
    var stream = HostileStream()
    stream.code()
    stream.queue(2, "q")
    for (process, thread) in [(-1, 1), (7, -1), (.min, .min)] as [(Int32, Int32)] {
      stream.submit(7, to: 2, at: 1, process: process, thread: thread)
      let begin = stream.begin(at: 2, process: process, thread: thread, block: 7, on: 2)
      stream.end(begin, at: 3, process: process, thread: thread)
    }
    let path = temporaryFile(self)
    let sink = try PerfettoTraceSink(TraceOutput(path: path))
    sink.receive(try TraceStreamReader(path: stream.write(self)).read())
    sink.finish()
    let trace = try PerfettoFile(path: path)
    let threads = trace.slices.filter { $0.duration == 1 }.map(\.thread)
    XCTAssertEqual(threads.sorted(), [Int(Int32.min), -1, 1])
    XCTAssertEqual(trace.processNames.keys.sorted(), [Int(Int32.min), -1, 7])
    XCTAssertEqual(trace.flows.count, 3)
  }

  /// The clock of one program, or of one thread, is no other's.
  func testTimesOfOneThreadChangeNoOtherThreadsSlices() throws {
    for first in [500, .max] as [UInt64] {
      var stream = HostileStream()
      stream.code()
      stream.end(stream.begin(at: first, thread: 1), at: .max, thread: 1)
      for (start, end) in [(10, 12), (20, 600)] as [(UInt64, UInt64)] {
        stream.end(stream.begin(at: start, thread: 2), at: end, thread: 2)
      }
      let path = temporaryFile(self)
      let sink = try PerfettoTraceSink(TraceOutput(path: path))
      sink.receive(try TraceStreamReader(path: stream.write(self)).read())
      sink.finish()
      let slices = try PerfettoFile(path: path).slices.filter { $0.thread == 2 }
      XCTAssertEqual(slices.map(\.start), [10, 20])
      XCTAssertEqual(slices.map(\.duration), [2, 580])
    }
  }
}
