import BlockABI
import CallTracing
import Dispatch
import Foundation
import TestSupport
import XCTest

/// Blocks that are sent, in a stream, and the calls that they are matched to.
final class TraceSubmissionTests: XCTestCase {
  func testACallHasItsQueueItsSenderAndItsWait() throws {
    let scene = try SubmissionScene(self)
    let target = try scene.queue("scene.target")
    let queue = try scene.queue("scene.queue", isSerial: false, target: target)
    scene.send(0x10, to: queue.number)
    scene.run(0x10, on: queue)
    let record = try XCTUnwrap(scene.records().first)
    XCTAssertEqual(record.queue?.label, "scene.queue")
    XCTAssertEqual(record.queue?.isSerial, false)
    XCTAssertEqual(record.queue?.target, "scene.target")
    let submission = try XCTUnwrap(record.submission)
    XCTAssertEqual(submission.queue?.label, "scene.queue")
    XCTAssertEqual(submission.function, "dispatch_async")
    XCTAssertEqual(submission.thread, record.thread)
    XCTAssertFalse(submission.isDelayed)
    XCTAssertEqual(submission.callers.map(\.name), ["swift_demangle"])
    let (sent, waited) = try (
      XCTUnwrap(submission.nanoseconds), XCTUnwrap(record.waitedNanoseconds)
    )
    XCTAssertEqual(sent + waited, record.startNanoseconds)
    XCTAssertEqual(record.kind, .call)
    XCTAssertEqual(scene.pending().count, 0)
  }

  func testABlockThatIsSentSeveralTimesBeginsInThatOrder() throws {
    let scene = try SubmissionScene(self)
    let queues = try [scene.queue("scene.a"), scene.queue("scene.b")]
    // To both, in turns: each has an order of its own.
    for _ in 0..<3 { for queue in queues { scene.send(0x10, to: queue.number) } }
    for queue in queues.reversed() { for _ in 0..<3 { scene.run(0x10, on: queue) } }
    let records = try scene.records()
    XCTAssertEqual(records.count, 6)
    let sent = records.compactMap { $0.submission?.nanoseconds }
    XCTAssertEqual(Set(sent).count, 6)
    XCTAssertEqual(Array(sent[..<3]), sent[..<3].sorted())
    XCTAssertEqual(Array(sent[3...]), sent[3...].sorted())
    for record in records { XCTAssertEqual(record.submission?.queue?.label, record.queue?.label) }
    // b's first was sent after a's first, and before a's second.
    XCTAssertGreaterThan(sent[0], sent[3])
    XCTAssertLessThan(sent[0], sent[4])
  }

  func testWhatIsAmbiguousIsMatchedToNone() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    for ways in [[.async, .after], [.after, .after], [.groupNotify, .async]] as [[SubmissionWay]] {
      for way in ways { scene.send(0x10, to: queue.number, by: way) }
      for _ in ways { scene.run(0x10, on: queue) }
      let records = try scene.records()
      XCTAssertEqual(records.count, 2, "\(ways)")
      XCTAssertTrue(records.allSatisfy { $0.submission == nil }, "\(ways)")
      XCTAssertTrue(records.allSatisfy { $0.waitedNanoseconds == nil }, "\(ways)")
      XCTAssertTrue(records.allSatisfy { $0.queue?.label == "scene.queue" }, "\(ways)")
      XCTAssertEqual(scene.pending().count, 0)
    }
    // A delay to another queue is not in the way.
    let other = try scene.queue("scene.other")
    scene.send(0x10, to: queue.number)
    scene.send(0x10, to: other.number, by: .after)
    scene.run(0x10, on: other)
    scene.run(0x10, on: queue)
    XCTAssertEqual(
      try scene.records().map { $0.submission?.function }, ["dispatch_after", "dispatch_async"])
  }

  func testABlockOnAnotherQueueIsAnotherCall() throws {
    let scene = try SubmissionScene(self)
    let (queue, other) = (try scene.queue("scene.queue"), try scene.queue("scene.other"))
    scene.send(0x10, to: queue.number)
    scene.run(0x10, on: other)
    scene.run(0x20, on: queue)
    XCTAssertTrue(try scene.records().allSatisfy { $0.submission == nil })
    XCTAssertEqual(scene.pending().count, 1)
    // Iterations may run wherever threads help.
    scene.send(0x30, to: queue.number, by: .apply, count: 3)
    for place in [queue, other, queue, queue] { scene.run(0x30, on: place) }
    let records = try scene.records()
    XCTAssertEqual(
      records.map { $0.submission?.function },
      ["dispatch_apply", "dispatch_apply", "dispatch_apply", nil])
  }

  func testThreadsThatWaitForTheirBlocksAreShown() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    let ways: [SubmissionWay] = [.sync, .barrierSync, .asyncAndWait, .barrierAsyncAndWait]
    for way in ways {
      scene.send(0x10, to: queue.number, by: way)
      scene.run(0x10, on: queue)
    }
    let records = try scene.records()
    let kinds: [TraceRecord.Kind] = [.wait, .call, .wait, .call, .wait, .call, .wait, .call]
    guard records.map(\.kind) == kinds else { return XCTFail("\(records)") }
    for (index, way) in ways.enumerated() {
      let (wait, call) = (records[2 * index], records[2 * index + 1])
      XCTAssertEqual(wait.subject.title, call.submission?.function, "\(way)")
      XCTAssertEqual(wait.queue?.label, "scene.queue")
      XCTAssertEqual(wait.startNanoseconds, call.submission?.nanoseconds)
      XCTAssertEqual(wait.startNanoseconds + wait.durationNanoseconds, call.startNanoseconds)
      XCTAssertEqual(wait.outcome, .returned)
    }
  }

  func testAHandlerStaysWithItsSource() throws {
    let scene = try SubmissionScene(self)
    let (queue, other) = (try scene.queue("scene.queue"), try scene.queue("scene.other"))
    let source = unsafe try XCTUnwrap(UnsafeRawPointer(bitPattern: 0xF000))
    unsafe scene.queues.createdSource(source, queue: queue.address)
    let number = unsafe scene.queues.queue(ofSource: source)
    XCTAssertEqual(number, queue.number)
    scene.send(0x10, to: number, by: .eventHandler)
    for _ in 0..<3 { scene.run(0x10, on: queue) }
    scene.run(0x10, on: other)
    let records = try scene.records()
    XCTAssertEqual(
      records.map { $0.submission?.function },
      Array(repeating: "dispatch_source_set_event_handler", count: 3) + [nil])
    XCTAssertEqual(records.map { $0.submission?.nanoseconds }, [nil, nil, nil, nil])
    XCTAssertEqual(records.map(\.waitedNanoseconds), [nil, nil, nil, nil])
    // Handlers never wait, nor does a handler count as a block of the queue.
    XCTAssertEqual(scene.pending().count, 0)
    XCTAssertNil(scene.load("scene.queue"))
    unsafe scene.queues.retargeted(source, to: other.address)
    XCTAssertEqual(unsafe scene.queues.queue(ofSource: source), other.number)
    // A source without a queue has libdispatch's.
    unsafe scene.queues.createdSource(source, queue: nil)
    XCTAssertNotEqual(unsafe scene.queues.queue(ofSource: source), 0)
    XCTAssertEqual(unsafe scene.queues.queue(ofSource: queue.address), 0)
    XCTAssertEqual(unsafe scene.queues.queue(ofSource: nil), 0)
  }

  func testWhatIsCancelledOrNeverBeginsIsShown() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    for block in [0x10, 0x20, 0x10, 0x30] as [UInt] { scene.send(block, to: queue.number) }
    scene.queues.cancel(block: 0x10, in: SubmissionScene.wrapper(of: 0x10))
    scene.queues.cancel(block: 0x99, in: SubmissionScene.wrapper(of: 0x99))
    let cancelled = try scene.records()
    XCTAssertEqual(cancelled.map(\.outcome), [.cancelled, .cancelled])
    XCTAssertEqual(cancelled.map(\.durationNanoseconds), [0, 0])
    XCTAssertEqual(cancelled.map(\.subject.name), ["swift_demangle", "swift_demangle"])
    for record in cancelled {
      XCTAssertFalse(record.hasStarted)
      XCTAssertEqual(record.startNanoseconds, record.submission?.nanoseconds)
      XCTAssertNotNil(record.waitedNanoseconds)
    }
    scene.run(0x30, on: queue)
    XCTAssertEqual(try scene.records().map(\.outcome), [.returned])
    let pending = scene.pending()
    XCTAssertEqual(pending.map(\.outcome), [.pending])
    XCTAssertEqual(pending.first?.submission?.callers.map(\.name), ["swift_demangle"])
    XCTAssertEqual(pending.first?.queue?.label, "scene.queue")
    XCTAssertEqual(pending.first?.process, getpid())
    let sent = try XCTUnwrap(pending.first?.submission?.nanoseconds)
    XCTAssertEqual(pending.first?.waitedNanoseconds, scene.ends.reader.latest + 10 - sent)
    // A call of a cancelled block has no submission.
    scene.run(0x10, on: queue)
    XCTAssertNil(try scene.records().first?.submission)
  }

  func testWhatWasSentBeforeAGapIsMatchedToNone() throws {
    let scene = try SubmissionScene(self, capacity: 8192)
    let queue = try scene.queue("scene.queue")
    scene.run(1, on: queue)
    // The block is sent, its first call is lost, and the same address is sent again: a match by order
    // would give the second call the first one's time.
    scene.send(0x10, to: queue.number)
    for _ in 0..<500 { scene.run(2, on: queue) }
    XCTAssertGreaterThan(scene.ends.reader.droppedCount, 0)
    scene.run(0x10, on: queue)
    _ = try scene.records()
    XCTAssertEqual(scene.pending().count, 0, "its call may be lost")
    scene.send(0x10, to: queue.number)
    scene.run(0x10, on: queue)
    let found = try XCTUnwrap(scene.records().last)
    let (sent, waited) = try (
      XCTUnwrap(found.submission?.nanoseconds), XCTUnwrap(found.waitedNanoseconds)
    )
    XCTAssertEqual(sent + waited, found.startNanoseconds)
    XCTAssertLessThan(waited, 1_000_000_000)
    // What was sent before a gap and begins after it is not known to be the same.
    scene.send(0x20, to: queue.number)
    for _ in 0..<500 { scene.run(2, on: queue) }
    _ = try scene.records()
    scene.run(0x20, on: queue)
    XCTAssertEqual(try scene.records().map { $0.submission == nil }, [true])
  }

  /// What a trace without room loses: the submission of a block whose memory the next block has.
  func testACallThatBeganBeforeASubmissionIsAnEarlierBlocks() throws {
    let clock = SettableClock()
    let scene = try SubmissionScene(self, clock: clock)
    let queue = try scene.queue("scene.queue")
    for count in 1...2 {
      clock.set(2_000_000)
      for _ in 0..<count { scene.send(0x10, to: queue.number) }
      clock.set(1_000_000)
      scene.run(0x10, on: queue)
      clock.set(5_000_000)
      for _ in 0..<count { scene.run(0x10, on: queue) }
      let records = try scene.records()
      let waits = [nil] + Array(repeating: UInt64(3_000_000), count: count)
      XCTAssertEqual(records.map(\.waitedNanoseconds), waits)
      XCTAssertEqual(scene.pending().count, 0)
    }
  }

  func testLoadsCountWhatWaitsAndWhatRuns() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue", isSerial: false)
    for block in 1...5 as ClosedRange<UInt> { scene.send(block, to: queue.number) }
    scene.run(1, on: queue)
    for block in 6...7 as ClosedRange<UInt> { scene.send(block, to: queue.number) }
    // Three at once.
    scene.run(2, on: queue) { scene.run(3) { scene.run(4) } }
    scene.queues.cancel(block: 5, in: SubmissionScene.wrapper(of: 5))
    for block in 11...14 as ClosedRange<UInt> { scene.send(block, to: queue.number) }
    _ = try scene.records()
    let load = try XCTUnwrap(scene.load("scene.queue"))
    XCTAssertEqual(load.deepest, 6)
    XCTAssertEqual(load.mostAtOnce, 3)
    XCTAssertEqual(scene.pending().count, 6)
    // Queues of one label, in two processes.
    scene.send(8, to: try scene.queue("scene.other").number)
    _ = try scene.records()
    let both = try XCTUnwrap(scene.load("scene.other")).combined(with: load)
    XCTAssertEqual([both.deepest, both.mostAtOnce], [6, 3])
  }

  func testDelayedBlocksAndIterationsDoNotWaitInTheirQueue() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number, by: .after)
    scene.send(0x20, to: queue.number, by: .groupNotify)
    scene.send(0x30, to: queue.number, by: .apply, count: 2)
    scene.send(0x40, to: queue.number)
    for block in [0x30, 0x40, 0x30, 0x20, 0x10] as [UInt] { scene.run(block, on: queue) }
    let records = try scene.records()
    XCTAssertEqual(
      records.map { $0.submission?.isDelayed }, [true, false, true, true, true])
    XCTAssertEqual(scene.load("scene.queue")?.deepest, 1)
  }

  func testWhatIsLostDoesNotWaitForEver() throws {
    let scene = try SubmissionScene(self, capacity: 8192)
    let queue = try scene.queue("scene.queue")
    for _ in 0..<3 {
      for block in 0x10...0x12 as ClosedRange<UInt> { scene.send(block, to: queue.number) }
      for _ in 0..<500 { scene.run(2, on: queue) }
      _ = try scene.records()
      for block in 0x10...0x12 as ClosedRange<UInt> { scene.run(block, on: queue) }
      _ = try scene.records()
    }
    XCTAssertGreaterThan(scene.ends.reader.droppedCount, 0)
    XCTAssertEqual(scene.load("scene.queue")?.deepest, 3)
  }

  func testQueuesAreDescribedOnceAndWhenTheyChange() throws {
    let scene = try SubmissionScene(self)
    let plain = DispatchQueue(label: "scene.unseen")
    let address = unsafe try SubmissionScene.address(of: plain)
    let number = unsafe scene.queues.number(of: address)
    XCTAssertNotEqual(number, 0)
    XCTAssertEqual(unsafe scene.queues.number(of: address), number)
    XCTAssertEqual(unsafe scene.queues.number(of: nil), 0)
    let queue = unsafe SubmissionScene.Queue(queue: plain, address: address, number: number)
    func seen() throws -> TracedQueue? {
      scene.run(1, on: queue)
      return try scene.records().first?.queue
    }
    XCTAssertNil(try seen()?.isSerial)
    XCTAssertEqual(try seen()?.label, "scene.unseen")
    let target = try scene.queue("scene.target")
    unsafe scene.queues.retargeted(address, to: target.address)
    XCTAssertEqual(try seen()?.target, "scene.target")
    // A queue that is created at its address is another one, also for threads that know the old.
    unsafe scene.queues.created(address, isSerial: true, target: nil)
    XCTAssertNotEqual(unsafe scene.queues.number(of: address), number)
    XCTAssertEqual(try seen()?.isSerial, true)
    XCTAssertNil(try seen()?.target)
    unsafe scene.queues.retargeted(address, to: target.address)
    XCTAssertEqual(try seen()?.isSerial, true)
    XCTAssertEqual(try seen()?.target, "scene.target")
  }

  func testTasksHaveNamesParentsPrioritiesAndParts() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    let callers = unsafe [UnsafeRawPointer(bitPattern: SubmissionScene.address + 1)]
    let (plain, child) = (UInt64(0x1100), UInt64(0x1900 | 1 << 24))
    unsafe callers.withUnsafeBufferPointer {
      unsafe scene.queues.create(
        task: 7, flags: plain, running: SubmissionScene.address, by: $0)
    }
    scene.queues.name(task: 7, "seven")
    scene.queues.submit(task: 7, flags: plain, job: 0x70, to: queue.number, by: .task)
    queue.queue.sync {
      scene.part(of: 7, job: 0x70, .group) {
        // The thread's task is the parent of a child, and of no other task.
        scene.queues.submit(task: 8, flags: child, job: 0x80, to: queue.number, by: .task)
        scene.queues.submit(task: 9, flags: plain, job: 0x90, to: queue.number, by: .taskAfter)
      }
      scene.part(of: 8, job: 0x80, .left)
      scene.part(of: 9, job: 0x90, .continuation)
    }
    let records = try scene.records()
    XCTAssertEqual(records.map { $0.task?.number }, [7, 8, 9])
    XCTAssertEqual(records.map { $0.task?.name }, ["seven", nil, nil])
    XCTAssertEqual(records.map { $0.task?.parent }, [nil, 7, nil])
    XCTAssertEqual(records.map { $0.task?.priority }, [.utility, .userInitiated, .utility])
    XCTAssertEqual(records.map { $0.task?.creators.first?.name }, ["swift_demangle", nil, nil])
    XCTAssertEqual(records.map(\.suspension), [.group, .left, .continuation])
    XCTAssertEqual(
      records.map { $0.submission?.function },
      ["swift_task_enqueue", "swift_task_enqueue", "swift_task_enqueueGlobalWithDelay"])
    XCTAssertEqual(records.map { $0.submission?.isDelayed }, [false, false, true])
    XCTAssertTrue(records.allSatisfy(\.isPartOfTask))
    // Nothing that was sent has not begun: what is open are the two tasks that await something.
    XCTAssertEqual(scene.pending().map(\.outcome), [.suspended, .suspended])
  }

  func testACallInsideOfATaskNamesIt() throws {
    let scene = try SubmissionScene(self)
    scene.part(of: 5, job: 0x50, .task) {
      scene.run(1)
      scene.part(of: 6, job: 0x60, .executor) { scene.run(2) }
      scene.run(3)
    }
    scene.run(4)
    let records = try scene.records()
    XCTAssertEqual(records.map { $0.task?.number }, [5, 6, 6, 5, 5, nil])
    XCTAssertEqual(records.map(\.isPartOfTask), [false, false, true, false, true, false])
  }

  func testManyThreadsSendAndRun() throws {
    let scene = try SubmissionScene(self, capacity: 8 << 20)
    let queues = try (0..<4).map { try scene.queue("scene.\($0)", isSerial: false) }
    let group = ThreadGroup()
    let (threads, rounds) = (16, emulated(300))
    for thread in 0..<threads {
      group.start {
        for round in 0..<rounds {
          // An address is used again as soon as its block has run.
          let (block, queue) = (UInt(thread + 1) << 8, queues[(thread + round) % 4])
          scene.send(block, to: queue.number)
          scene.run(block, on: queue)
        }
      }
    }
    group.wait()
    let records = try scene.records()
    XCTAssertEqual(records.count + scene.ends.reader.droppedCount, threads * rounds)
    XCTAssertEqual(scene.ends.reader.droppedCount, 0)
    for record in records {
      guard let sent = record.submission?.nanoseconds, let waited = record.waitedNanoseconds else {
        XCTFail("\(record) has no submission")
        continue
      }
      XCTAssertEqual(sent + waited, record.startNanoseconds)
      XCTAssertEqual(record.submission?.queue?.label, record.queue?.label)
    }
    XCTAssertEqual(scene.pending().count, 0)
  }
}
