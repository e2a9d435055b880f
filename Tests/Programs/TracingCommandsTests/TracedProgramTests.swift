#if Everything
import Foundation
import TestSupport
import XCTest

/// What `hook-demo trace` says of stuck and slow programs, whose truth their sources tell.
///
/// A row names a file of `Programs`, how it is traced, and patterns of lines that standard error has
/// or lacks. A program that hangs is asked what has not finished, and interrupted when all expected
/// lines are there.
final class TracedProgramTests: XCTestCase {
  private struct Row {
    let program: String
    var options: [String] = ["--count"]
    var hangs = false
    var expected: [String]
    var refused: [String] = []
  }

  private static let rows: [Row] = [
    // The second of the sleep begins before the task is suspended: a busy machine leaves less of it.
    Row(
      program: "mainpart.swift",
      expected: [#"^1 +.* (9\d\d|1\d{3})\.\d+ +a continuation +main$"#],
      refused: [#"^[\d. ]*\d{3,}\.\d+ +main on"#, "what has not finished"]),
    Row(
      program: "mainpart.swift", options: ["--main-blocked", "100ms"], expected: [],
      refused: [#" [µm]?s +\d+ +main\(\)"#]),
    Row(
      program: "mainblocked.swift",
      expected: [
        #"^[\d.]+ +2[5-9]\d\.\d+ +program › closure #1 on com\.apple\.main-thread, sent by main$"#,
        #"program › closure #3 .*behind program › closure #1 \(2[5-9]\d.*and 1 other call"#,
      ], refused: ["what has not finished"]),
    Row(
      program: "mainblocked.swift", options: ["--main-blocked", "100ms"],
      expected: [#"^ *2\d\d\.\d ms +\d+ +program › closure #1\(\)"#]),
    Row(
      program: "starve.swift",
      expected: [
        #"^8 +8 +3\d{3}\.\d+ .*M\.main › closure #1 › closure #1, blocking$"#,
        #"^[\d.]+ +[\d.]+ +M\.main › closure #1 › closure #2 on Swift global concurrent queue"#,
      ], refused: [#"^[\d. ]*\d{3,}\.\d+ +main on"#, "what has not finished"]),
    Row(
      program: "contended.swift",
      expected: [
        #"^16 +\d+ .* going elsewhere +M\.main › closure #1 › closure #1$"#,
        #"^320 +[\d.]+ +\d+ +[\d.]+ +[12]\d\d +[\d.]+ +[\d.]+ +1[0-6] +Hot 0x[0-9a-f]+$|"#
          + #"^320 +[\d.]+ +\d+ +[\d.]+ +3[0-2]\d +[\d.]+ +[\d.]+ +1[0-6] +Hot 0x[0-9a-f]+$"#,
        #"^320 .* Cold 0x[0-9a-f]+$"#,
      ],
      refused: [#"^[\d. ]*\d{3,}\.\d+ +main on"#, "what has not finished"]),
    Row(
      program: "busyactor.swift",
      expected: [
        #"^5 +1\d{3}\.\d+ +\d\d +[\d.]+ +4 +[\d.]+ +[\d.]+ +[1-4] +Hot 0x[0-9a-f]+$"#,
        #"^Hot 0x[0-9a-f]+ was busy for \d\d % of the trace; up to [1-4] tasks? waited$"#,
      ]),
    Row(
      program: "leaks.swift",
      expected: [
        #"^[\d.]+ +300 +schedule › closure #1 +not begun on com\.example\.paused +sent by schedule$"#,
        #"^[\d.]+ +300 +schedule › closure #2 +not begun on com\.apple\.root\.[\w.-]+ +sent by"#,
      ]),
    Row(
      program: "forever.swift", hangs: true,
      expected: [
        #"^[\d.]+ +1 +M\.main › closure #1 › closure #1, task \d+ \(request 7\) +suspended, awaits a "#
          + #"continuation in Store\.load\b.* created by M\.main › closure #1$"#,
        #"^[\d.]+ +1 +main, task 1 +suspended, awaits a group in .*M\.main.* \(TaskGroup"#,
      ], refused: ["^deadlock"]),
    Row(
      program: "actorwait.swift", hangs: true,
      expected: [
        #"^[\d.]+ +1 +main, task 1 +suspended, awaits task 2 in A\.compute ← M\.main"#,
        #"^[\d.]+ +1 +A\.compute › closure #1, task 2 +suspended, awaits task 2 in A\.compute ← B\.ask"#
          + #".* \(Task\.value\.getter\) +created by A\.comp"#, "^deadlock: task 2 → task 2$",
      ]),
    Row(
      program: "awaiting.swift", hangs: true,
      expected: [
        #"^[\d.]+ +1 +\S.* \(reader\) +waits for Ledger 0x[0-9a-f]+, which runs task \d+ \(holder\) on "#
          + #"thread \d+ in M\.main › closure #5 +created by M\.main$"#,
        #"^[\d.]+ +1 +\S.* \(cycle\) +suspended, awaits a continuation in Caller\.call "#,
        #"^[\d.]+ +1 +main, task 1 +suspended, awaits task \d+ \(reader\) in M\.main"#,
        #"^deadlock: task \d+ \(first\) ⇄ task \d+ \(second\)$"#,
      ], refused: ["^deadlock:.*(cycle|Caller|Ledger)"]),
    Row(
      program: "resumed.swift", hangs: true,
      expected: [
        #"^[\d.]+ +1 +main, task 1 +suspended, awaits task (\d+) in M\.main"#,
        #"implicit closure #2, task \d+ +suspended, awaits a continuation in Inbox\.next "#,
      ], refused: ["^deadlock"]),
    Row(
      program: "dropped.swift", hangs: true,
      expected: [
        #"^[\d.]+ +1 +main, task 1 +suspended, awaits a continuation in M\.main\b"#
      ]),
    Row(
      program: "semadead.swift", hangs: true,
      expected: [
        #"^[\d.]+ +\d +dispatch_semaphore_wait +waits +in M\.main › closure #1 › closure #1$"#,
        #"^[\d.]+ +1 +main, task 1 +suspended, awaits a group"#,
        #"^[\d.]+ +\d+ .* not begun on Swift global concurrent queue"#,
      ], refused: ["^deadlock"]),
    Row(
      program: "sema.swift", hangs: true,
      expected: [
        #"^[\d.]+ +1 +program › closure #1 +runs on com\.apple\.root[\w.-]+ +sent by main$"#,
        #"^[\d.]+ +1 +program › closure #2 +runs on com\.apple\.root[\w.-]+ +sent by main$"#,
        #"^[\d.]+ +1 +dispatch_group_wait +waits +called by main$"#,
      ]),
    Row(
      program: "sema.swift", options: ["--function", "pthread_mutex_lock"], hangs: true,
      expected: [
        #"pthread_mutex_lock.* waits for lock 0x[0-9a-f]+, which thread \d+ holds +in program › clos"#,
        "^deadlock: lock 0x[0-9a-f]+ ⇄ lock 0x[0-9a-f]+$",
      ]),
    Row(
      program: "busylock.c", options: ["--quiet", "--function", "pthread_mutex_lock"], hangs: true,
      expected: [#"(?s)what has not finished.*what has not finished.*what has not finished"#],
      refused: ["^deadlock"]),
    Row(
      program: "deadlock2.swift", options: [], hangs: true,
      expected: [
        #"dispatch_sync +waits for com\.example\.accounts, behind updateAccount › closure #1 +in send"#,
        #"dispatch_sync +waits for com\.example\.billing, behind sendBill › closure #1 +in updateAcc"#,
        #"^deadlock: com\.example\.accounts ⇄ com\.example\.billing$"#,
        #"^[\d.]+ +1 +dispatch_group_wait +waits +called by main$"#,
      ], refused: [#"com\.example\.accounts, sent by updateAccount › closure #1[,\]]"#]),
    Row(
      program: "ring.swift", options: [], hangs: true,
      expected: [#"^deadlock: com\.apple\.main-thread → q\.1 → q\.2 → com\.apple\.main-thread$"#]),
    Row(
      program: "operations.swift", options: ["--count", "--stacks", "8"],
      expected: [#"^[\d.]+ +[\d.]+ +OperationQueue\._addOperations .*, sent by \w+\.\w+"#],
      refused: ["cbr_", "sent by 0x"]),
    Row(
      program: "iterations.c",
      expected: [
        #"what waited longest\n[\d.]+ +[\d.]+ +__main_block_invoke\S+ on c\.serial, sent by main, behind"#,
        #"^8 .* __main_block_invoke$"#, #"^ +2\d\.\d+ +__main_block_invoke on com\.apple\.root"#,
      ]),
    Row(
      program: "explosion.swift",
      expected: [
        #"^100 +30\d{3}\.\d+ +30\d{3}\.\d+ .* program › closure #1$"#,
        #"^100 +30\d{3}\.\d+ .* \d{2,3} +\d+ +[\d.]+ +com\.apple\.root\.default-qos \(concurrent\)$"#,
        #"100 calls, 1 wait; 100 sent to queues, none lost"#,
      ], refused: ["what has not finished", "not run"]),
    Row(
      program: "inversion.swift",
      expected: [
        #"^1 +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +dispatch_sync for com\.example\.index$"#,
        #"closure #2 › closure #1 on com\.example\.index, sent by program › closure #2, "#
          + #"behind program › closure #1 \([\d.]+ ms, sent by main\), "#
          + "an inversion: user\\w+ behind background$",
        "3 calls, 2 waits; 3 sent to queues, none lost",
      ], refused: ["what has not finished"]),
    Row(
      program: "timers.swift",
      expected: [
        #"^[3-9]\d\d +.* program › closure #1$|^10\d\d +.* program › closure #1$"#,
        #"^1[01] +.* program › closure #2$"#,
        #"com\.example\.heartbeat \(serial\)$"#, #" calls; [01] sent to queues, none lost"#,
      ], refused: ["what has not finished", "what waited longest"]),
    Row(
      program: "crash.swift",
      expected: [
        #"^[\d.]+ +1 +program › closure #1 +runs on com\.apple\.root\.default-qos +sent by main$"#,
        #"^[\d.]+ +1 +dispatch_semaphore_wait +waits +called by main$"#,
        #"program died of signal \d.*; had not ended: program › closure #1\(\) and 1 other call$"#,
      ]),
    Row(
      program: "cblocks.c",
      expected: [
        #"^1000 .* __main_block_invoke$"#, #"^500 .* __main_block_invoke\.?\w+$"#,
        #"^300 .* __main_block_invoke_2$"#, #"^100 .* __main_block_invoke\S+$"#,
        #"^64 .* __main_block_invoke\S+$"#, #"^30 .* __main_block_invoke\S+$"#,
        #"^1501 .* c\.serial \(serial\)$"#, #"^331 .* c\.conc \(concurrent\)$"#,
        #"^64 .* com\.apple\.root\.default-qos \(concurrent\)$"#,
        #"^500 .* dispatch_sync for c\.serial$"#, #"^1 .* dispatch_barrier_sync for c\.conc$"#,
        "1996 calls, 503 waits; 1896 sent to queues, none lost",
      ], refused: ["what has not finished"]),
    Row(
      program: "mainblocked.swift", options: ["--count"],
      expected: [
        #"^com\.apple\.main-thread \(serial\) was busy for \d+ % of the trace; up to \d blocks? waited$"#
      ]),
    Row(
      program: "mutex.c",
      options: ["--function", "pthread_mutex_lock", "--slower-than", "20ms"],
      expected: [#"^ +\d\d\.\d+ ms +\d+ +pthread_mutex_lock\(.* = i32 0  \[called by main\]$"#]),
    Row(
      program: "loop.c", options: ["--quiet", "--loops"],
      expected: [
        #"^10 +[1-9]?[6-9]\d\.\d+ +.* thread \d+$"#,
        #"^[6-9]\d\.\d+ ms +.*thread \d+ +__main_block_invoke_2 \([6-9]\d\.\d+ ms\), "#
          + #"__main_block_invoke \([\d.]+ [mµ]s\)$"#,
      ], refused: ["no event loop"]),
    Row(
      program: "requests.swift", options: ["--quiet", "--task", "request*"],
      expected: [
        #"^6 +\d\d\.\d+ +\S+ +\S+ +(9\d|\d{3})\.\d+ +request 0$"#,
        #"^6 +\d\d\.\d+ .* request 1$"#,
        // It slept for 80 ms, and two children ran for 15 ms each.
        #"^(9\d|\d{3})\.\d+ +\d\d:\d\d:\d\d\.\d{3} +\d+\.\d+ +[\d.]+ .*(8|9)\d\.\d+ .* "#
          + #"2 +[3-9]\d\.\d+ +1 +\d+\.\d+ +task \d+ \(request 0\)$"#,
      ], refused: [#"\bother\b"#, "no task"]),
    Row(
      program: "requests.swift", options: ["--quiet", "--task", "none*"],
      expected: [#"^no task has a name like none\*$"#]),
    Row(
      program: "burst.c",
      expected: [
        #"^20000 .* __main_block_invoke$"#, #"^20000 .* burst \(serial\)$"#,
        "20000 calls, 1 wait; 20000 sent to queues, none lost",
      ], refused: ["what has not finished"]),
    Row(
      program: "cancel.swift",
      expected: [
        #"^[34] +.* program › closure #1$"#,
        #"6 calls; 1 sent to queues|5 calls; 1 sent to queues"#,
        #"had not ended: program › closure #2\(\)$"#,
      ], refused: ["what has not finished", "died of"]),
    Row(
      program: "prio.swift", options: ["--summary"],
      expected: [
        #"^64 .* M\.main › closure #1, crunch \d+, crunch \d+, crunch \d+, …$"#,
        #"not run +M\.main › closure #1 on .*, task \d+ \(crunch \d+\) created by M\.main"#,
        #"M\.main › closure #1\(\) had not begun .*, task \d+ \(crunch 63\) created by M\.main"#,
      ],
      refused: [#"\ba task\b"#]),
  ]

  private func check(_ row: Row) throws {
    let program = try TracedProgram(self, file: row.program)
    let isEnough = { (text: String) in self.missing(row, text).isEmpty }
    let text = try program.errors(row.options, until: row.hangs ? isEnough : nil)
    XCTAssertEqual(missing(row, text), [], "\(row.program)\n\(text)")
    let refused = row.refused.filter { matches($0, text) }
    XCTAssertEqual(refused, [], "\(row.program)\n\(text)")
  }

  private func missing(_ row: Row, _ text: String) -> [String] {
    row.expected.filter { !matches($0, text) }
  }

  private func matches(_ pattern: String, _ text: String) -> Bool {
    text.range(of: "(?m)\(pattern)", options: .regularExpression) != nil
  }

  override func setUpWithError() throws {
    try XCTSkipIf(isEmulated, "the programs' times are real, and emulation is slow")
  }

  func testWhatIsSaidOfProgramsIsTrue() throws { for row in Self.rows { try check(row) } }

  func testPartsOfATaskDoNotOverlap() throws {
    for name in ["contended.swift", "mainpart.swift"] {
      let rows = try TracedProgram(self, file: name).trace().rows
      let tasks = Dictionary(grouping: rows.filter { $0.task != nil && $0.suspension != nil }) {
        $0.task
      }
      XCTAssertGreaterThan(tasks.count, 0, name)
      for parts in tasks.values {
        let parts = parts.sorted { $0.start < $1.start }
        for (part, next) in zip(parts, parts.dropFirst()) {
          XCTAssertLessThanOrEqual(part.start + part.duration, next.start, "\(part) \(next)")
        }
      }
    }
  }
}
#endif
