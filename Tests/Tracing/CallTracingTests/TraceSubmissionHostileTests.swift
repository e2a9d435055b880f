import BlockABI
import CallTracing
import Foundation
import Glibc
import TestSupport
import XCTest

/// Streams of queues, submissions and tasks that were cut or written over: each gives an error or is
/// read.
final class TraceSubmissionHostileTests: XCTestCase {
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// The bytes of a stream with every kind of record, and the number of bytes that are records.
  private func sample() throws -> (bytes: [UInt8], used: Int) {
    let scene = try SubmissionScene(self, capacity: Self.page)
    let target = try scene.queue("t")
    let queue = try scene.queue("q", isSerial: false, target: target)
    for way in SubmissionWay.allCases where !way.isTask && !way.isHandler {
      scene.send(0x10, to: queue.number, by: way)
    }
    scene.send(0x20, to: queue.number, by: .eventHandler)
    scene.send(0x30, to: queue.number, by: .apply, count: 3)
    scene.send(0x40, to: queue.number, by: .sync)
    for block in [0x20, 0x30, 0x40] as [UInt] { scene.run(block, on: queue) }
    scene.queues.cancel(block: 0x10, in: SubmissionScene.wrapper(of: 0x10))
    scene.send(0x50, to: queue.number)
    let callers = unsafe [UnsafeRawPointer(bitPattern: SubmissionScene.address + 1)]
    unsafe callers.withUnsafeBufferPointer {
      unsafe scene.queues.create(task: 7, flags: 0x1100, running: SubmissionScene.address, by: $0)
    }
    scene.queues.submit(task: 7, flags: 0x1100, job: 0x70, to: queue.number, by: .task)
    scene.queues.name(task: 7, "seven")
    scene.part(of: 7, job: 0x70, .group) {
      scene.queues.submit(task: 8, flags: 1 << 24, job: 0x80, to: queue.number, by: .taskAfter)
    }
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scene.ends.path)))
    let head = bytes[64..<72].reversed().reduce(0) { $0 << 8 | Int($1) }
    XCTAssertLessThan(head, Self.page, "the sample fits into the ring")
    return (bytes, head)
  }

  /// Where the records begin, and their sizes in words.
  private func records(_ bytes: [UInt8], _ used: Int) -> [(place: Int, size: Int)] {
    var records: [(Int, Int)] = []
    var place = 0
    while place < used {
      let word = bytes[(Self.page + place)..<(Self.page + place + 4)].reversed()
        .reduce(0) { $0 << 8 | Int($1) }
      let size = word & (1 << 30 - 1)
      guard size > 0 else { break }
      records.append((place, size))
      place += 8 * size
    }
    return records
  }

  /// Reads bytes; an error must be that of a damaged trace.
  private func outcome(_ bytes: [UInt8], _ path: String, _ what: String) -> Int? {
    do {
      return try readStream(bytes, in: path).count
    } catch {
      XCTAssertEqual((error as? TraceError)?.code, .damagedTrace, what)
      return nil
    }
  }

  func testTheSampleIsRead() throws {
    let (bytes, used) = try sample()
    let records = try readStream(bytes, in: temporaryFile(self))
    let outcomes = Dictionary(grouping: records) { "\($0.outcome)" }.mapValues(\.count)
    // Of the ways that are sent, all are cancelled.
    XCTAssertEqual(outcomes["cancelled"], 11)
    XCTAssertEqual(outcomes["pending"], 4, "two iterations, a block and a task")
    XCTAssertEqual(outcomes["returned"], 5, "three blocks, a wait and a part of a task")
    XCTAssertGreaterThan(self.records(bytes, used).count, 20)
  }

  func testEveryByteMayBeAnyOther() throws {
    let (bytes, used) = try sample()
    let path = temporaryFile(self)
    var (refused, changed) = (0, 0)
    let whole = outcome(bytes, path, "whole")
    for place in stride(from: 0, to: used, by: isShort ? 7 : 1) {
      let mask = ([0x01, 0x80, 0xFF] as [UInt8])[place % 3]
      var copy = bytes
      copy[Self.page + place] ^= mask
      let count = outcome(copy, path, "byte \(place) ^ \(mask)")
      if count == nil { refused += 1 } else if count != whole { changed += 1 }
    }
    XCTAssertGreaterThan(refused, 20)
    XCTAssertGreaterThan(changed, 20)
  }

  func testEveryRecordMayBeCutAnywhere() throws {
    let (bytes, used) = try sample()
    let path = temporaryFile(self)
    var refused = 0
    for (place, size) in records(bytes, used) {
      for length in 1..<size {
        var copy = bytes
        let start = Self.page + place
        for index in 0..<4 {
          let kept = copy[start + index] & (index == 3 ? 0xC0 : 0)
          copy[start + index] = kept | UInt8(truncatingIfNeeded: length >> (8 * index))
        }
        // What was cut is as memory that no record has used yet.
        for index in (start + 8 * length)..<(start + 8 * size) { copy[index] = 0 }
        if outcome(copy, path, "\(length) words of \(size) at \(place)") == nil { refused += 1 }
      }
    }
    XCTAssertGreaterThan(refused, 50)
  }

  func testNumbersThatAreTooLargeDoNoHarm() throws {
    let (bytes, used) = try sample()
    let path = temporaryFile(self)
    var refused = 0
    for (place, size) in records(bytes, used) {
      for word in 1..<size {
        for value in [UInt64.max, 1 << 63, UInt64(Int64.max), 0] {
          var copy = bytes
          for index in 0..<8 {
            copy[Self.page + place + 8 * word + index] = UInt8(
              truncatingIfNeeded: value >> (8 * UInt64(index)))
          }
          if outcome(copy, path, "word \(word) at \(place)") == nil { refused += 1 }
        }
      }
    }
    XCTAssertGreaterThan(refused, 20)
  }
}
