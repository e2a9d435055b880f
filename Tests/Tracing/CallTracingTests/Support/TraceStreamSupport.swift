import BlockABI
import BlockHooks
import CallTracing
import Foundation
import TestSupport
import XCTest

/// A traced process's end of a stream and the reader's, both in this process.
struct TraceStreamEnds {
  let writer: TraceStreamWriter
  let reader: TraceStreamReader
  let path: String

  init(_ test: XCTestCase, capacity: Int = 1 << 20) throws {
    let directory = try temporaryDirectory(test)
    writer = try TraceStreamWriter(directory: directory, capacity: capacity)
    path = try XCTUnwrap(streams(in: directory).first)
    reader = try TraceStreamReader(path: path)
  }
}

/// A directory that is gone when the test is over.
func temporaryDirectory(_ test: XCTestCase) throws -> String {
  let path = temporaryFile(test)
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  return path
}

/// The streams of a directory.
func streams(in directory: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    .map { "\(directory)/\($0)" }
}

/// Writes bytes to a file, reads all that they have as a stream, and renders it.
func readStream(_ bytes: [UInt8], in path: String) throws -> [TraceRecord] {
  try Data(bytes).write(to: URL(fileURLWithPath: path))
  defer { try? FileManager.default.removeItem(atPath: path) }
  let reader = try TraceStreamReader(path: path)
  var records: [TraceRecord] = []
  // SAFETY: nobody writes to a copy.
  while try reader.read(into: &records) { unsafe reader.passOverUnfinishedPart() }
  records += reader.unfinishedRecords(at: reader.latest)
  records += reader.pendingRecords(at: reader.latest)
  for record in records { XCTAssertFalse("\(record) \(record.outcome)".isEmpty) }
  for (queue, load) in reader.queueLoads {
    XCTAssertGreaterThanOrEqual(load.deepest, 0, "\(queue)")
  }
  let sinks: [any TraceSink] = [
    JSONLinesTraceSink(TraceOutput { _ in }), TextTraceSink(TraceOutput { _ in }),
    FoldedTraceSink(TraceOutput { _ in }),
  ]
  for sink in sinks {
    sink.receive(records)
    sink.finish()
  }
  return records
}

extension TraceStreamReader {
  /// The calls that have ended since the last time.
  func read() throws -> [TraceRecord] {
    var records: [TraceRecord] = []
    _ = try read(into: &records)
    return records
  }
}
