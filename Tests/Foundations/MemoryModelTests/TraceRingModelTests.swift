import TestSupport
import XCTest

/// The tracer's ring under Arm's memory model.
///
/// The programs follow the functions of TraceStreamRecords.c; the ring has room for one record, of a word
/// and a body.
final class TraceRingModelTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(isEmulated, "the model is the same on every processor")
  }

  private enum Word { static let empty = 0, reserved = 1, finished = 2 }

  private func isPossible(_ threads: LitmusProgram) -> Bool { Executions(threads).areAnyPossible }

  /// `cbr_trace_stream_reserve`, the record's body, and `cbr_trace_stream_commit`.
  private static func write(
    lap: Int, commit: Order = .release
  ) -> (inout LitmusThread) -> Void {
    { thread in
      thread.load("tail", finding: lap, .acquirePC)
      thread.exchange("head", finding: lap, storing: lap + 1, .acquire, .release)
      thread.store(Word.reserved, in: "word")
      thread.store(lap + 1, in: "body")
      thread.store(Word.finished, in: "word", commit)
    }
  }

  /// `cbr_trace_stream_next`, and a look at the body.
  private static func next(
    _ thread: inout LitmusThread, head: Int, body: Int, word order: Order = .acquirePC
  ) {
    thread.branch(on: thread.load("head", finding: head, .acquirePC))
    thread.branch(on: thread.load("word", finding: Word.finished, order))
    thread.load("body", finding: body)
  }

  /// `cbr_trace_stream_consume`.
  private static func consume(_ thread: inout LitmusThread, lap: Int, tail: Order = .release) {
    thread.store(Word.empty, in: "word")
    thread.store(0, in: "body")
    thread.store(lap + 1, in: "tail", tail)
  }

  func testTheReaderSeesTheWholeBodyOfAFinishedRecord() {
    func program(_ commit: Order, _ word: Order) -> LitmusProgram {
      LitmusProgram(
        Self.write(lap: 0, commit: commit), { Self.next(&$0, head: 1, body: 0, word: word) })
    }
    XCTAssertFalse(isPossible(program(.release, .acquirePC)))
    XCTAssertTrue(isPossible(program(.plain, .acquirePC)))
    XCTAssertTrue(isPossible(program(.release, .plain)))
  }

  func testTheReaderIsDoneWithARecordBeforeItsMemoryIsReused() {
    func program(tail: Order) -> LitmusProgram {
      LitmusProgram(
        Self.write(lap: 0),
        { thread in
          Self.next(&thread, head: 1, body: 2)
          Self.consume(&thread, lap: 0, tail: tail)
        }, Self.write(lap: 1))
    }
    XCTAssertFalse(isPossible(program(tail: .release)))
    XCTAssertTrue(isPossible(program(tail: .plain)))
  }

  func testWhatTheReaderClearsDoesNotOverwriteTheNextRecord() {
    func program(_ tail: Order, body: Int) -> LitmusProgram {
      LitmusProgram(
        { thread in
          Self.next(&thread, head: 1, body: 1)
          Self.consume(&thread, lap: 0, tail: tail)
          Self.next(&thread, head: 2, body: body)
        },
        { thread in
          Self.write(lap: 0)(&thread)
          Self.write(lap: 1)(&thread)
        })
    }
    XCTAssertFalse(isPossible(program(.release, body: 0)))
    XCTAssertFalse(isPossible(program(.release, body: 1)))
    XCTAssertTrue(isPossible(program(.plain, body: 0)))
  }

  func testAWriterNeverFindsTheHeadBeforeTheTail() {
    func program(_ tail: Order) -> LitmusProgram {
      LitmusProgram(
        { $0.exchange("head", finding: 0, storing: 1, .acquire, .release) },
        { thread in
          thread.branch(on: thread.load("head", finding: 1, .acquirePC))
          thread.store(1, in: "tail", .release)
        },
        { thread in
          thread.load("tail", finding: 1, tail)
          thread.load("head", finding: 0)
        })
    }
    XCTAssertFalse(isPossible(program(.acquirePC)))
    XCTAssertTrue(isPossible(program(.plain)))
  }

  func testTwoWritersTakeDifferentPlaces() {
    XCTAssertFalse(isPossible(LitmusProgram(Self.write(lap: 0), Self.write(lap: 0))))
  }
}
