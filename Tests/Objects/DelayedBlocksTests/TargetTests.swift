import CFixtures
import DelayedBlocks
import Dispatch
import Foundation
import Synchronization
import TestSupport
import XCTest

/// Where blocks run; in real time, with no bound on how late they are.
final class TargetTests: XCTestCase {
  private actor Counter {
    private(set) var count = 0

    func add() { count += 1 }
  }

  func testEachTargetRunsItsBlocksWhereItSays() async {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "target")
    queue.setSpecific(key: key, value: "here")
    let onQueue = DelayTimer.shared.perform(after: .milliseconds(1), on: .queue(queue)) {
      DispatchQueue.getSpecific(key: key)
    }
    let name = try? await onQueue.value
    XCTAssertEqual(name, "here")

    let counter = Counter()
    let onActor = DelayTimer.shared.perform(after: .milliseconds(1), on: .actor(counter)) {
      counter.assumeIsolated { $0.add() }
    }
    let end = await onActor.end
    XCTAssertEqual(end, .ran)
    let count = await counter.count
    XCTAssertEqual(count, 1)

    let onExecutor = DelayTimer.shared.perform(
      after: .milliseconds(1), on: .executor(globalConcurrentExecutor)
    ) { unsafe withUnsafeCurrentTask { unsafe $0 != nil } }
    let isTask = try? await onExecutor.value
    XCTAssertEqual(isTask, true)

    let onThread = DelayTimer.shared.perform(after: .milliseconds(1), on: .inline) {
      FileHandle(forReadingAtPath: "/proc/thread-self/comm")
        .map { String(decoding: $0.readDataToEndOfFile(), as: UTF8.self) }
    }
    let thread = try? await onThread.value
    XCTAssertEqual(thread, "delayed blocks\n")

    let anywhere = await DelayTimer.shared.perform(after: .milliseconds(1)) {}.end
    XCTAssertEqual(anywhere, .ran)
  }

  /// What the timer's thread must not pass on to blocks, nor to threads and processes that they
  /// start.
  func testFaultsOfInlineBlocksReachTheirHandlersAndTheThreadsSlackIsItsOwn() async throws {
    let block = DelayTimer.shared.perform(after: .milliseconds(1), on: .inline) {
      // The slack is not told of threads below their process.
      let thread =
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        .split(separator: "/").last ?? ""
      return ["status", "timerslack_ns"].map { name in
        FileHandle(forReadingAtPath: "/proc/\(thread)/\(name)")
          .map { String(decoding: $0.readDataToEndOfFile(), as: UTF8.self) } ?? ""
      }
    }
    let texts = try await block.value
    let line = texts[0].split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
    let blocked = try XCTUnwrap(
      line.flatMap { $0.split(separator: "\t").last }.flatMap { UInt64($0, radix: 16) })
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] {
      XCTAssertEqual(blocked & (1 << UInt64(signal - 1)), 0, "signal \(signal)")
    }
    XCTAssertNotEqual(blocked & (1 << UInt64(SIGINT - 1)), 0)
    XCTAssertGreaterThan(try XCTUnwrap(Int(texts[1].dropLast())), 1)
  }

  func testOnASerialQueueBlocksOfOneTimeKeepTheirOrder() {
    let queue = DispatchQueue(label: "serial")
    let runs = Recorder<Int>()
    let instant = DelayTimer.shared.now.advanced(by: .milliseconds(5))
    let blocks = (0..<200).map { number in
      DelayTimer.shared.perform(at: instant, on: .queue(queue)) { runs.record(number) }
    }
    for block in blocks { XCTAssertEqual(block.wait(), .ran) }
    XCTAssertEqual(runs.entries, Array(0..<200))
  }

  func testABarrierRunsAlone() {
    checkThatABarrierRunsAlone(qos: .unspecified, flags: .barrier)
  }

  func testABarrierWithAQualityOfServiceRunsAlone() throws {
    try XCTSkipIf(
      isSanitized,
      "ThreadSanitizer wraps the blocks of dispatch_async, by which they lose their flags")
    checkThatABarrierRunsAlone(qos: .userInitiated, flags: [.barrier, .enforceQoS])
  }

  /// Sends 200 blocks to a concurrent queue, every tenth as a barrier, and checks that each barrier
  /// runs after all earlier blocks and beside none.
  private func checkThatABarrierRunsAlone(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, line: UInt = #line
  ) {
    let queue = DispatchQueue(label: "concurrent", qos: .utility, attributes: .concurrent)
    let clock = ManualClock()
    let timer = DelayTimer(clock: clock)
    let running = Atomic(0)
    let sum = Atomic(0)
    let others = Recorder<Int>()
    let blocks = (0..<200).map { number in
      let isBarrier = number.isMultiple(of: 10)
      return timer.perform(
        after: .seconds(1), on: .queue(queue, qos: qos, flags: isBarrier ? flags : [])
      ) {
        let before = running.add(1, ordering: .sequentiallyConsistent).oldValue
        if isBarrier {
          // Blocks that ran beside this one would have the time to begin.
          for _ in 0..<100 { sched_yield() }
          others.record(before + running.load(ordering: .sequentiallyConsistent) - 1)
          others.record(sum.load(ordering: .sequentiallyConsistent) - number)
        }
        sum.add(1, ordering: .sequentiallyConsistent)
        running.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
    clock.advance(by: .seconds(1))
    for block in blocks { XCTAssertEqual(block.wait(), .ran, line: line) }
    XCTAssertEqual(others.entries, Array(repeating: 0, count: 40), line: line)
  }

  func testNoBlockRunsBeforeItsTime() {
    let early = Atomic(0)
    let timer = DelayTimer.shared
    var generator = SeededGenerator(seed: 3)
    let blocks = (0..<500).map { number in
      let delay = UInt64.random(in: 0..<50_000_000, using: &generator)
      let due = timer.now.advanced(by: .nanoseconds(delay))
      return timer.perform(
        at: due, on: .inline, tolerance: .microseconds(number.isMultiple(of: 2) ? 0 : 500)
      ) { if timer.now < due { early.add(1, ordering: .relaxed) } }
    }
    for block in blocks { XCTAssertEqual(block.wait(), .ran) }
    XCTAssertEqual(early.load(ordering: .relaxed), 0)
  }

  func testABlockThatIsDueEarlierThanAllOthersWakesTheThread() {
    let far = DelayTimer.shared.perform(after: .seconds(3600)) {}
    for delay in [20, 10, 1, 0] {
      XCTAssertEqual(DelayTimer.shared.perform(after: .milliseconds(delay)) {}.wait(), .ran)
    }
    XCTAssertTrue(far.cancel())
  }

  /// What the timer costs while blocks are pending and none is due: its thread does not wake up.
  func testTheThreadSleepsWhereNothingIsDue() throws {
    let blocks = (0..<100).map { DelayTimer.shared.perform(after: .seconds(3600 + $0)) {} }
    XCTAssertEqual(DelayTimer.shared.perform(after: .zero, on: .inline) {}.wait(), .ran)
    let before = try wakeUps()
    XCTAssertEqual(blocks[0].wait(timeout: .milliseconds(300)), .timedOut)
    XCTAssertLessThanOrEqual(try wakeUps() - before, 1)
    for block in blocks { block.cancel() }
  }

  func testAForkedChildHasATimerOfItsOwnWithoutItsParentsBlocks() throws {
    try XCTSkipIf(isSanitized, "ThreadSanitizer ends a forked child that starts a thread")
    let pending = DelayTimer.shared.perform(after: .milliseconds(30), on: .inline) {
      TargetTests.runs.add(1, ordering: .relaxed)
    }
    let status = unsafe fixture_fork(
      { _ in
        // A child that waits is ended.
        alarm(20)
        let block = DelayTimer.shared.perform(after: .milliseconds(60), on: .inline) {}
        guard block.wait() == .ran, DelayTimer.shared.pendingCount == 0 else { return 1 }
        return TargetTests.runs.load(ordering: .relaxed) == 0 ? 7 : 2
      }, nil)
    XCTAssertEqual(status, 7)
    XCTAssertEqual(pending.wait(), .ran)
    XCTAssertEqual(TargetTests.runs.load(ordering: .relaxed), 1)
  }

  func testAChildThatIsForkedWithinABlockRunsNoneOfItsParentsBlocks() throws {
    try XCTSkipIf(isSanitized, "ThreadSanitizer ends a forked child that goes on")
    let files = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: files) }
    let child = Mutex<Int32>(-1)
    let parent = getpid()
    let later = DelayTimer.shared.now.advanced(by: .milliseconds(30))
    let forking = DelayTimer.shared.perform(after: .milliseconds(1), on: .inline) {
      let identifier = fixture_fork_here()
      if identifier == 0 { alarm(20) } else { child.withLock { $0 = identifier } }
    }
    let blocks = (0..<3).map { _ in
      DelayTimer.shared.perform(at: later, on: .inline) {
        let file = files.appendingPathComponent("\(getpid())")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      }
    }
    for block in [forking] + blocks { XCTAssertEqual(block.wait(), .ran) }
    var status: Int32 = 0
    // The child's only thread has ended, and the child with it.
    XCTAssertEqual(unsafe waitpid(child.withLock { $0 }, &status, 0), child.withLock { $0 })
    XCTAssertEqual(status, 0)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: files.path), ["\(parent)"])
  }

  /// How often the block ran that was pending when its process forked.
  private static let runs = Atomic(0)

  /// How often the timer's thread went to sleep so far.
  private func wakeUps() throws -> Int {
    var count: Int?
    for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
      let text =
        FileHandle(forReadingAtPath: "/proc/self/task/\(task)/status")
        .map { String(decoding: $0.readDataToEndOfFile(), as: UTF8.self) } ?? ""
      guard text.contains("delayed blocks") else { continue }
      let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
      count = line.flatMap { $0.split(separator: "\t").last }.flatMap { Int($0) }
    }
    return try XCTUnwrap(count, "there is no such thread")
  }
}
