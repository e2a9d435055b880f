import BlockABI
import BlockHooks
import CallTracing
import Dispatch
import Foundation
import Invocations
import QueueTracing
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the functions of libdispatch have the signatures that are given.

/// Blocks that are surrounded when they are sent to queues, and what others see of them.
final class EverySubmissionTests: XCTestCase {
  private let queue = DispatchQueue(label: "surrounded")

  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
  }

  /// `dispatch_async`, as Swift's overlay imports it.
  private func sender() throws -> ImportedFunction {
    unsafe try ImportedFunction(
      "dispatch_async", signature: "v^v^v", in: .excluding("libdispatch.so*"))
  }

  func testASubmissionTellsItsFunctionQueueAndKind() throws {
    let seen = Recorder<String>()
    let submissions = try EverySubmission.surround { submission in
      seen.record(
        "\(submission.function) \(submission.queueLabel) \(submission.isDelayed) "
          + "\(submission.isIterated)")
      return nil
    }
    let group = DispatchGroup()
    queue.async {}
    queue.async(flags: .barrier) {}
    queue.async(group: group) {}
    group.notify(queue: queue) {}
    queue.asyncAfter(deadline: .now()) {}
    queue.sync {}
    DispatchQueue.concurrentPerform(iterations: 2) { _ in }
    submissions.remove()
    queue.async {}
    XCTAssertEqual(
      seen.entries.filter { !$0.contains("com.apple") },
      [
        "dispatch_async surrounded false false", "dispatch_barrier_async surrounded false false",
        "dispatch_group_async surrounded false false",
        "dispatch_group_notify surrounded true false", "dispatch_after surrounded true false",
        "dispatch_sync surrounded false false", "dispatch_apply  false true",
      ])
  }

  func testWhatSurroundsABlockRunsAroundIt() throws {
    let order = Recorder<String>()
    let sender = pthread_self()
    let submissions = try EverySubmission.surround { _ in
      order.record("sent \(pthread_self() == sender)")
      return { block in
        order.record("before \(pthread_self() == sender)")
        block()
        order.record("after")
      }
    }
    queue.async { order.record("block") }
    submissions.remove()
    queue.sync {}
    XCTAssertEqual(order.entries, ["sent true", "before false", "block", "after"])
  }

  func testAnItemThatTwoThreadsSendAtOnceIsSurroundedInBothRuns() throws {
    let submissions = try EverySubmission.surround { _ in
      { block in
        Self.surroundedDepth += 1
        block()
        Self.surroundedDepth -= 1
      }
    }
    defer { submissions.remove() }
    let depths = Recorder<Int>()
    let rounds = shortened(300)
    for _ in 0..<rounds {
      let item = DispatchWorkItem { depths.record(Self.surroundedDepth) }
      let (threads, ready) = (ThreadGroup(), Counter())
      for queue in [queue, DispatchQueue(label: "other")] {
        nonisolated(unsafe) let item = item
        threads.start {
          ready.value.add(1, ordering: .relaxed)
          while ready.value.load(ordering: .relaxed) < 2 {}
          unsafe queue.sync(execute: item)
        }
      }
      threads.wait()
    }
    XCTAssertEqual(depths.entries.count { $0 == 1 }, 2 * rounds)
  }

  private final class Counter: Sendable { let value = Atomic(0) }

  /// How many surround the block that the thread runs.
  private static var surroundedDepth: Int {
    get { Thread.current.threadDictionary["surrounded"] as? Int ?? 0 }
    set { Thread.current.threadDictionary["surrounded"] = newValue }
  }

  func testSeveralSurroundABlockTheFirstOutermost() throws {
    let order = Recorder<String>()
    let tokens = try ["first", "second"].map { name in
      try EverySubmission.surround { _ in
        { block in
          order.record(name)
          block()
        }
      }
    }
    queue.async { order.record("block") }
    queue.async(execute: DispatchWorkItem { order.record("item") })
    for token in tokens { token.remove() }
    queue.sync {}
    XCTAssertEqual(order.entries, ["first", "second", "block", "first", "second", "item"])
  }

  func testABlockThatNothingSurroundsIsPassedOnUnchanged() throws {
    let addresses = Recorder<UInt>()
    let note: HookDefinition.Handler = { call in
      addresses.record(
        unsafe UInt(bitPattern: try call.argument(1, as: UnsafeRawPointer?.self)))
    }
    // Hooks of one priority are nested, the last outermost.
    let inner = try sender().hook(.before, priority: .min, note)
    let surrounds = Atomic(false)
    let submissions = try EverySubmission.surround { _ in
      guard surrounds.load(ordering: .relaxed) else { return nil }
      return { block in block() }
    }
    let outer = try sender().hook([.before, .after], note)
    defer { for hook in [inner, outer] { hook.remove() } }
    queue.async {}
    surrounds.store(true, ordering: .relaxed)
    queue.async {}
    submissions.remove()
    queue.sync {}
    let seen = addresses.entries
    XCTAssertEqual(seen.count, 6)
    XCTAssertEqual(Set(seen[0..<3]).count, 1)
    XCTAssertNotEqual(seen[4], seen[3])
    XCTAssertEqual(seen[5], seen[3], "outer handlers see the sender's block")
  }

  func testEveryBlockHooksTheBlockAndNotWhatSurroundsIt() throws {
    let names = Recorder<String>()
    var filter = BlockFilter()
    filter.queues = ["surrounded"]
    let every = try EveryBlock(matching: filter).hook(.before) { call in
      names.record(call.argumentTexts.joined())
    }
    let submissions = try EverySubmission.surround { _ in { block in block() } }
    for _ in 0..<3 { queue.async {} }
    queue.async(execute: DispatchWorkItem {})
    queue.sync {}
    submissions.remove()
    every.remove()
    XCTAssertEqual(names.entries.count, 5, "\(names.entries)")
  }

  func testATraceKnowsWhereASurroundedBlockWasSent() throws {
    let directory = NSTemporaryDirectory() + "every-submission-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let tracer = Tracer(try TraceStreamWriter(directory: directory, capacity: 1 << 20))
    let file = try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: directory).first)
    let reader = try TraceStreamReader(path: "\(directory)/\(file)")
    let queues = try XCTUnwrap(try QueueTrace.begin(with: tracer))
    let every = try EveryBlock().install(.tracing(with: tracer))
    let submissions = try EverySubmission.surround { _ in { block in block() } }
    queue.async {}
    queue.async(execute: DispatchWorkItem {})
    queue.sync {}
    submissions.remove()
    queues.remove()
    every.remove()
    var records: [TraceRecord] = []
    _ = try reader.read(into: &records)
    let calls = records.filter { $0.kind == .call && $0.queue?.label == "surrounded" }
    XCTAssertEqual(
      calls.compactMap { $0.submission?.function },
      ["dispatch_async", "dispatch_async", "dispatch_sync"])
    XCTAssertEqual(calls.count, 3, "\(calls.map(\.subject))")
    XCTAssertTrue(calls.allSatisfy { $0.waitedNanoseconds != nil })
  }

  func testAnItemThatIsSentOftenIsSurroundedEachTime() throws {
    let count = Mutex(0)
    let submissions = try EverySubmission.surround { _ in
      { block in
        count.withLock { $0 += 1 }
        block()
      }
    }
    let item = DispatchWorkItem {}
    for _ in 0..<10 { queue.async(execute: item) }
    queue.sync {}
    submissions.remove()
    queue.async(execute: item)
    queue.sync {}
    XCTAssertEqual(count.withLock { $0 }, 11)
  }

  func testAnItemThatIsSentOftenTakesWhatWasTakenAlongFirst() throws {
    let order = Recorder<Int>()
    let sent = Mutex(0)
    let submissions = try EverySubmission.surround { _ in
      let number = sent.withLock { count in
        count += 1
        return count
      }
      return { block in
        order.record(number)
        block()
      }
    }
    let item = DispatchWorkItem {}
    queue.suspend()
    for _ in 0..<5 { queue.async(execute: item) }
    submissions.remove()
    queue.resume()
    queue.sync {}
    XCTAssertEqual(order.entries, [1, 2, 3, 4, 5])
  }

  func testAnItemWhoseHooksWereRemovedIsSurroundedWhenItIsSentAgain() throws {
    let tracker = LifetimeTracker()
    let count = Atomic(0)
    let submissions = try EverySubmission.surround { _ in
      let kept = tracker.track()
      return { block in
        count.add(1, ordering: .relaxed)
        withExtendedLifetime(kept) { block() }
      }
    }
    defer { submissions.remove() }
    let inner = Mutex<Block?>(nil)
    let note = try sender().hook(.before) { call in
      let block = unsafe try call.argument(1, as: UnsafeRawPointer?.self)
      inner.withLock {
        $0 = unsafe block.flatMap { unsafe Block(unsafePointer: $0).dispatchedBlock }
      }
    }
    let item = DispatchWorkItem {}
    queue.suspend()
    queue.async(execute: item)
    note.remove()
    XCTAssertEqual(inner.withLock { $0?.removeHooks() }, 1)
    inner.withLock { $0 = nil }
    queue.async(execute: item)
    queue.resume()
    queue.sync {}
    // One run, and that of `sync`.
    XCTAssertEqual(count.load(ordering: .relaxed), 2)
    tracker.expectNothingAlive()
  }

  func testACancelledItemTakesNothingAlong() throws {
    let tracker = LifetimeTracker()
    let submissions = try EverySubmission.surround { _ in
      let kept = tracker.track()
      return { block in withExtendedLifetime(kept) { block() } }
    }
    let item = DispatchWorkItem {}
    item.cancel()
    for _ in 0..<10 { queue.async(execute: item) }
    submissions.remove()
    queue.sync {}
    tracker.expectNothingAlive()
    withExtendedLifetime(item) {}
  }

  func testItBeginsAndEndsWhileOthersSend() throws {
    let stops = Atomic(false)
    let sent = Atomic(0)
    let ran = Atomic(0)
    let threads = ThreadGroup()
    let group = DispatchGroup()
    for _ in 0..<4 {
      threads.start { [queue] in
        while !stops.load(ordering: .relaxed) {
          sent.add(2, ordering: .relaxed)
          queue.async(group: group) { ran.add(1, ordering: .relaxed) }
          queue.async(
            group: group, execute: DispatchWorkItem { ran.add(1, ordering: .relaxed) })
          group.wait()
        }
      }
    }
    for _ in 0..<5 {
      let submissions = try EverySubmission.surround { _ in { block in block() } }
      submissions.remove()
    }
    stops.store(true, ordering: .relaxed)
    threads.wait()
    group.wait()
    XCTAssertEqual(sent.load(ordering: .relaxed), ran.load(ordering: .relaxed))
    XCTAssertFalse(try sender().slots.contains(where: \.isHooked))
  }
}
