#if Everything
import TestSupport
import XCTest

/// Blocks and functions that are sent to queues in every way: each is shown with its queue, the
/// function that sent it, and how long it waited.
final class TracedQueueTests: XCTestCase {
  /// What is expected of the calls of a name.
  private struct Way {
    /// The name of the function that sends, without its prefix.
    let name: String
    let queue: String
    var count = 1
    var outcome = "returned"

    /// Whether a time between submission and begin is known: handlers of sources have none.
    var waits = true

    /// The function of libdispatch in which the sender waits.
    var wait: String?

    /// The queue that it was sent to; the same if nil.
    var sentTo: String?
  }

  private static let serial = "c.serial serial"
  private static let concurrent = "c.concurrent concurrent"

  /// The ways of blocks: the block is the first of the function that sends it.
  private static let blocks: [Way] = [
    Way(name: "async", queue: serial),
    Way(name: "barrier_async", queue: concurrent),
    Way(name: "group_async", queue: concurrent),
    Way(name: "targeted_async", queue: "c.targeted serial c.serial"),
    Way(name: "global_async", queue: "com.apple.root.default-qos concurrent"),
    Way(name: "sync", queue: serial, wait: "dispatch_sync"),
    Way(name: "barrier_sync", queue: concurrent, wait: "dispatch_barrier_sync"),
    Way(name: "async_and_wait", queue: serial, wait: "dispatch_async_and_wait"),
    Way(
      name: "barrier_async_and_wait", queue: concurrent, wait: "dispatch_barrier_async_and_wait"),
    Way(name: "apply", queue: concurrent, count: 3),
    Way(name: "notify", queue: serial),
    Way(name: "after", queue: serial),
    Way(name: "after_now", queue: serial),
    Way(name: "block_wait", queue: serial),
    Way(name: "block_notify", queue: serial),
    Way(name: "block_cancel", queue: serial, outcome: "cancelled"),
    Way(name: "cancelled", queue: serial, outcome: "cancelled"),
    Way(name: "several", queue: serial, count: 3),
    Way(name: "handlers", queue: serial, waits: false),
    Way(name: "pending", queue: "c.suspended serial", outcome: "pending"),
  ]

  /// The ways of functions.
  private static let functions: [Way] = [
    Way(name: "async_f", queue: serial),
    Way(name: "barrier_async_f", queue: concurrent),
    Way(name: "group_async_f", queue: concurrent),
    Way(name: "sync_f", queue: serial, wait: "dispatch_sync"),
    Way(name: "barrier_sync_f", queue: concurrent, wait: "dispatch_barrier_sync"),
    Way(name: "async_and_wait_f", queue: serial, wait: "dispatch_async_and_wait"),
    Way(
      name: "barrier_async_and_wait_f", queue: concurrent, wait: "dispatch_barrier_async_and_wait"),
    Way(name: "after_f", queue: serial),
    Way(name: "apply_f", queue: concurrent, count: 3),
    Way(name: "notify_f", queue: serial),
    Way(name: "pending_f", queue: "c.suspended serial", outcome: "pending"),
  ]

  private func check(
    _ way: Way, _ name: String, by sender: String, in run: TracedProgram.Run,
    line: UInt = #line
  ) {
    let rows = run.rows(named: name)
    XCTAssertEqual(rows.count, way.count, name, line: line)
    for row in rows {
      XCTAssertFalse(row.isWait, "\(row)", line: line)
      XCTAssertEqual(row.queue, way.queue, name, line: line)
      XCTAssertEqual(row.sentTo, way.sentTo ?? way.queue, name, line: line)
      XCTAssertEqual(row.enqueuedBy, sender, name, line: line)
      XCTAssertEqual(row.outcome, way.outcome, name, line: line)
      XCTAssertEqual(row.waited != nil, way.waits, name, line: line)
      if let waited = row.waited, let enqueued = row.enqueued, row.hasStarted {
        XCTAssertEqual(row.start, enqueued + waited, name, line: line)
      }
    }
    guard let wait = way.wait else { return }
    // The wait ends where the block begins.
    let waits = run.rows.filter { $0.isWait && $0.enqueuedBy == sender }
    XCTAssertEqual(waits.map(\.name), [wait], name, line: line)
    XCTAssertEqual(waits.map(\.queue), [way.queue], name, line: line)
    XCTAssertEqual(waits.map { $0.start + $0.duration }, rows.map(\.start), name, line: line)
  }

  private func checkQueueProgram(_ options: [String]) throws {
    let run = try TracedProgram(self, c: QueueProgram.source, options).trace()
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    // Standard error has what was sent to the suspended queue, and nothing else.
    let unfinished = run.outcome.errors.linesButOfSymbolizers.dropFirst()
    XCTAssertEqual(unfinished.count, 2, run.outcome.errors)
    for line in unfinished {
      XCTAssertTrue(line.contains(" not begun on c.suspended  sent by by_pending"), "\(line)")
    }
    for way in Self.blocks {
      check(way, "__by_\(way.name)_block_invoke", by: "by_\(way.name)", in: run)
    }
    for way in Self.functions {
      check(way, "\(way.name)_function", by: "by_\(way.name)", in: run)
    }
    let others: [(Way, String, String)] = [
      (
        Way(name: "", queue: Self.concurrent), "__by_block_notify_block_invoke_2", "by_block_notify"
      ),
      (
        Way(name: "", queue: Self.serial, waits: false), "__by_handlers_block_invoke_2",
        "by_handlers"
      ),
      (
        Way(name: "", queue: Self.serial, waits: false), "__by_handlers_block_invoke_3",
        "by_handlers"
      ),
      (Way(name: "", queue: Self.serial, waits: false), "registration_function", "by_handlers_f"),
      (Way(name: "", queue: Self.serial, waits: false), "event_function", "by_handlers_f"),
      (Way(name: "", queue: Self.serial, waits: false), "cancel_function", "by_handlers_f"),
    ]
    for (way, name, sender) in others { check(way, name, by: sender, in: run) }
    let automatic = run.rows(named: "__by_apply_auto_block_invoke")
    XCTAssertEqual(automatic.map(\.enqueuedBy), Array(repeating: "by_apply_auto", count: 3))
    XCTAssertEqual(automatic.map(\.sentTo), Array(repeating: "auto concurrent", count: 3))
    for name in ["__by_once_block_invoke", "once_f_function"] {
      XCTAssertEqual(run.rows(named: name).map(\.sentTo), [nil], name)
      XCTAssertEqual(run.rows(named: name).map(\.queue), ["com.apple.main-thread serial"], name)
    }
    // `main` sends two more, which do not count.
    let calls = run.rows.filter { !$0.isWait && $0.hasStarted && !$0.name.hasPrefix("__main_") }
    XCTAssertEqual(calls.count, run.count)
    for (function, caller) in [
      ("dispatch_semaphore_wait", "wait_done"), ("dispatch_group_wait", "main"),
      ("dispatch_block_wait", "by_block_wait"),
    ] {
      let waits = run.rows.filter { $0.isWait && $0.name == function }
      XCTAssertEqual(Set(waits.map(\.calledBy)), [caller], function)
    }
  }

  func testEveryWayOfAProgramInCIsShown() throws { try checkQueueProgram(["-O0"]) }

  func testEveryWayIsShownOfCodeWithoutFramePointers() throws {
    try checkQueueProgram([
      "-O1", "-fomit-frame-pointer", "-fno-inline", "-fno-optimize-sibling-calls",
    ])
  }

  // MARK: Swift

  private func checkSwiftProgram(_ options: [String]) throws {
    let run = try TracedProgram(self, swift: SwiftQueueProgram.source, options).trace()
    XCTAssertEqual(run.outcome.status, 0, run.outcome.errors)
    let (serial, concurrent) = ("s.serial serial", "s.concurrent concurrent")
    let utility = "com.apple.root.utility-qos concurrent"
    let ways: [Way] = [
      Way(name: "byAsync", queue: serial),
      Way(name: "bySync", queue: serial, wait: "dispatch_sync"),
      Way(name: "bySyncResult", queue: serial, wait: "dispatch_sync"),
      Way(name: "bySyncBarrier", queue: concurrent, wait: "dispatch_barrier_sync"),
      Way(name: "byGroup", queue: "s.targeted serial s.serial"),
      Way(name: "byGlobal", queue: utility),
      Way(name: "byBarrier", queue: concurrent),
      Way(name: "byQuality", queue: concurrent),
      Way(name: "byAsyncAfter", queue: serial),
      Way(name: "byItem", queue: serial),
      Way(name: "byItemSync", queue: serial, wait: "dispatch_sync"),
      Way(name: "byCancelledItem", queue: serial, outcome: "cancelled"),
      Way(name: "byNotify", queue: serial),
      Way(name: "byPending", queue: "s.suspended serial", outcome: "pending"),
    ]
    for way in ways {
      let sent = run.rows.filter {
        !$0.isWait && $0.enqueuedBy == way.name
      }
      XCTAssertEqual(sent.count, 1, way.name)
      guard let row = sent.first else { continue }
      XCTAssertEqual(row.sentTo, way.queue, way.name)
      XCTAssertEqual(row.queue, way.queue, way.name)
      XCTAssertEqual(row.outcome, way.outcome, way.name)
      XCTAssertNotNil(row.waited, way.name)
      guard let wait = way.wait else { continue }
      let waits = run.rows.filter { $0.isWait && $0.enqueuedBy == row.enqueuedBy }
      XCTAssertEqual(waits.map(\.name), [wait], way.name)
    }
    // The overlay's own closure calls that of the program.
    for name in ["bySync", "bySyncResult"] {
      XCTAssertEqual(
        run.rows.filter { !$0.isWait && $0.enqueuedBy == name }.map(\.shortName).filter {
          $0.contains("_syncHelper")
        }, [], name)
    }
    func sent(by sender: String) -> [TracedRow] {
      run.rows.filter { !$0.isWait && $0.enqueuedBy == sender }
    }
    XCTAssertEqual(sent(by: "byItemNotify").compactMap(\.sentTo).sorted(), [concurrent, serial])
    XCTAssertEqual(sent(by: "byPerform").count, 4)
    XCTAssertEqual(sent(by: "byTimer").map(\.sentTo), [serial, serial])
    XCTAssertEqual(sent(by: "byTimer").map(\.waited), [nil, nil])
    // What `main` sends does not count, nor the overlay's closures of `concurrentPerform`, whose names
    // Debian's library does not have.
    let calls = run.rows.filter {
      !$0.isWait && $0.hasStarted && $0.enqueuedBy != "main" && !$0.name.hasPrefix("___swift_")
        && !(($0.name == "?" || $0.name.hasPrefix("dispatch_apply block in "))
          && $0.enqueuedBy == "byPerform")
    }
    XCTAssertEqual(calls.count, run.count, "\(calls.map { ($0.name, $0.enqueuedBy) })")
  }

  func testTheSwiftFunctionThatSendsIsFoundBehindTheOverlay() throws {
    try checkSwiftProgram(["-O"])
    try checkSwiftProgram(["-Onone"])
  }
}
#endif
