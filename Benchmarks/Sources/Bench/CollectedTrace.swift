import BlockHooks
import BlockRuntime
import CallTracing
import Glibc

// SAFETY, for the whole file: paths are C strings for the duration of a call, the template writable.

/// A tracer that writes to a stream, and the stream's reader, both in this process.
final class CollectedTrace {
  /// Calls are missing from a trace.
  struct LostCalls: Error, CustomStringConvertible {
    let description: String
  }

  /// Records the calls.
  let tracer: Tracer

  private let collector: TraceCollector
  private var expected = 0

  /// Creates a stream.
  ///
  /// - Parameter capacity: Its size in bytes; small enough, as it is given, for all of its pages to
  ///   have been used after a few series.
  /// - Throws: `MissingFixture`, and what the stream throws.
  init(capacity: Int = 8 << 20) throws {
    var template = Array("/tmp/bench.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw MissingFixture(description: "there is no room for a stream in /tmp")
    }
    let directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    tracer = Tracer(try TraceStreamWriter(directory: directory, capacity: capacity))
    collector = TraceCollector(directory: directory, sinks: [])
  }

  /// Notes that so many calls, at least, will be made.
  func expect(_ calls: Int) { expected += calls }

  /// Reads the calls.
  ///
  /// - Throws: `LostCalls`.
  func collect() throws {
    while collector.collect() {}
    let calls = collector.counts.calls
    guard calls >= expected, tracer.counts.dropped == 0 else {
      throw LostCalls(description: "\(calls) calls were traced, \(expected) made")
    }
  }
}
