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

extension TraceStreamReader {
  /// The calls that have ended since the last time.
  func read() throws -> [TraceRecord] {
    var records: [TraceRecord] = []
    _ = try read(into: &records)
    return records
  }
}
