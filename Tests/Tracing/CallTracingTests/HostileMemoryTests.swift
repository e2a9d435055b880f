import CallTracing
import TestSupport
import XCTest

/// Values are forgotten by the texts that they refer to, which a program may describe anew before each.
final class HostileMemoryTests: XCTestCase {
  /// Appends the number of callers, and the numbers.
  private static func append(callers: Int, to body: inout HostileStream.Body) {
    body.append(UInt8(callers))
    for _ in 0..<callers { body.append(UInt32(2)) }
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
        body.append(UInt32(2), UInt64(1))
        body.append(long)
        body.append(long)
      }
      stream.append(1, parts: 512 | 4096) { body in
        body.append(UInt32(3), UInt64(1), Int32(0), Int32(1))
        body.append(signature)
      }
      for number in 1...count { add(&stream, number) }
      let reader = try TraceStreamReader(path: stream.write(self))
      _ = try reader.read()
      let message = reader.forgottenValues?.message ?? ""
      XCTAssertTrue(message.contains(" \(what)s of more than "), "\(what): \(message)")
    }
  }
}
