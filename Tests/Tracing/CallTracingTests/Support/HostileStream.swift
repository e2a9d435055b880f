import CallTracing
import Foundation
import Glibc
import XCTest

/// A stream whose records a test makes byte by byte, as a hostile program may.
struct HostileStream {
  /// The process that the stream's header names.
  static let process = getpid()

  /// The fields of a record behind its head.
  struct Body {
    fileprivate var bytes: [UInt8] = []

    mutating func append(_ numbers: (any FixedWidthInteger)...) {
      for number in numbers { bytes.appendLittleEndian(number) }
    }

    mutating func append(_ text: String) {
      append(UInt32(text.utf8.count))
      bytes += text.utf8
    }
  }

  private var records: [UInt8] = []

  /// Appends a record.
  ///
  /// - Returns: Its place.
  @discardableResult
  mutating func append(
    _ kind: UInt8, parts: UInt16 = 0, depth: Int32 = 0, process: Int32 = process,
    thread: Int32 = 1, _ fill: (inout Body) -> Void = { _ in }
  ) -> UInt64 {
    var body = Body()
    body.append(kind, UInt8(0), parts, depth, process, thread)
    fill(&body)
    let place = UInt64(records.count) + 1
    let size = (8 + body.bytes.count + 7) / 8
    records.appendLittleEndian(UInt64(0xCA1) << 52 | UInt64(size))
    records += body.bytes
    records += repeatElement(0, count: 8 * size - 8 - body.bytes.count)
    return place
  }

  /// Appends the description of code without values.
  mutating func code(
    _ number: UInt32 = 1, at address: UInt64 = 0x1000, named name: String = "work",
    image: String? = nil, signature: String? = nil
  ) {
    let parts: UInt16 = 16 | (image == nil ? 0 : 32) | (signature == nil ? 0 : 4096)
    append(1, parts: parts) { body in
      body.append(number, address, UInt64(0), UInt64(0), Int32(0), Int32(128))
      body.append(name)
      if let image { body.append(image) }
      if let signature { body.append(signature) }
    }
  }

  /// Appends that a call begins, on a queue and of a block if they are given.
  @discardableResult
  mutating func begin(
    _ code: UInt32 = 1, at time: UInt64, depth: Int32 = 0, process: Int32 = process,
    thread: Int32 = 1, block: UInt64? = nil, on queue: UInt32 = 0, task: UInt64 = 0
  ) -> UInt64 {
    append(
      3, parts: block == nil ? 0 : 128, depth: depth, process: process, thread: thread
    ) { body in
      body.append(code, time)
      if let block { body.append(queue, UInt32(0), block, task) }
    }
  }

  /// Appends that a call ends.
  mutating func end(
    _ place: UInt64, at time: UInt64, depth: Int32 = 0, process: Int32 = process,
    thread: Int32 = 1
  ) {
    append(4, parts: 8, depth: depth, process: process, thread: thread) { $0.append(place, time) }
  }

  /// Appends a queue.
  mutating func queue(_ number: UInt32, _ label: String, target: UInt32 = 0) {
    append(7) { body in
      body.append(number, target, UInt32(0), UInt8(1), UInt64(number))
      body.append(label)
    }
  }

  /// Appends that a block was sent to a queue.
  mutating func submit(
    _ block: UInt64, to queue: UInt32 = 0, at time: UInt64, in wrapper: UInt64 = 0,
    by way: UInt8 = 1, callers: [UInt32] = [], process: Int32 = process, thread: Int32 = 1
  ) {
    append(9, process: process, thread: thread) { body in
      body.append(
        block, UInt64(0), wrapper, queue, UInt32(0), time, UInt32(1), way, UInt32(0), UInt64(0))
      body.append(UInt8(callers.count))
      for caller in callers { body.append(caller) }
    }
  }

  /// Appends that a block, which was made in another one, will not run.
  mutating func cancel(_ block: UInt64, in wrapper: UInt64, at time: UInt64) {
    append(10) { $0.append(block, wrapper, time) }
  }

  /// Writes the stream to a new file, of a directory and of a process if they are given.
  func write(
    _ test: XCTestCase, to directory: String? = nil, of process: Int32 = process
  ) throws -> String {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let capacity = (records.count / page + 1) * page
    let ends = try TraceStreamEnds(test, capacity: capacity)
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: ends.path)))
    bytes.replaceSubrange(page..<page + records.count, with: records)
    var head: [UInt8] = []
    head.appendLittleEndian(UInt64(records.count))
    bytes.replaceSubrange(64..<72, with: head)
    var number: [UInt8] = []
    number.appendLittleEndian(process)
    bytes.replaceSubrange(12..<16, with: number)
    let path = directory.map { "\($0)/\(UUID().uuidString).trace" } ?? temporaryFile(test)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}

extension [UInt8] {
  fileprivate mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
    // SAFETY: an integer is plain bytes.
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
  }
}
