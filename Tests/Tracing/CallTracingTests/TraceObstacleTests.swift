import BlockABI
import CallTracing
import Foundation
import Synchronization
import TestSupport
import XCTest

/// What blocks waited behind, in a stream whose clock the test sets.
final class TraceObstacleTests: XCTestCase {
  private let time = Time()

  private final class Time: Sendable {
    private let now = Atomic<UInt64>(1)
    var nanoseconds: UInt64 { now.load(ordering: .relaxed) }
    func pass(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }
  }

  private func scene() throws -> SubmissionScene {
    try SubmissionScene(self, clock: ReadingClock { [time] in time.nanoseconds })
  }

  /// What a record's block waited behind: the duration of the longest call, and how many there were.
  private func behind(_ record: TraceRecord?) throws -> [Int?] {
    let obstacle = try XCTUnwrap(record).obstacle
    return [(obstacle?.longestNanoseconds).map(Int.init), obstacle?.callCount]
  }

  func testABlockWaitsBehindTheLongestCallOfItsSerialQueue() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    let durations: [UInt64] = [50, 400, 300, 20, 30]
    for block in durations.indices { scene.send(UInt(block + 1) << 4, to: queue.number) }
    for (block, duration) in durations.enumerated() {
      scene.run(UInt(block + 1) << 4, on: queue) { time.pass(duration) }
    }
    scene.send(0x100, to: queue.number)
    scene.run(0x100, on: queue)
    let found = try scene.records().map(behind)
    XCTAssertEqual(found, [[nil, nil], [50, 1], [400, 2], [400, 3], [400, 4], [nil, nil]])
  }

  func testWhatEndedBeforeTheBlockWasSentIsNotInItsWay() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number)
    scene.send(0x20, to: queue.number)
    scene.run(0x10, on: queue) { time.pass(900) }
    time.pass(1)
    scene.send(0x30, to: queue.number)
    scene.run(0x20, on: queue) { time.pass(7) }
    scene.run(0x30, on: queue)
    XCTAssertEqual(try behind(scene.records().last), [7, 1])
  }

  func testACallThatSendsABlockIsInItsWay() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number)
    scene.run(0x10, on: queue) {
      time.pass(60)
      scene.send(0x20, to: queue.number)
      time.pass(40)
    }
    scene.run(0x20, on: queue)
    let records = try scene.records()
    XCTAssertEqual(try behind(records.last), [100, 1])
    XCTAssertEqual(records.last?.waitedNanoseconds, 40)
  }

  func testQueuesOfOneSerialTargetWaitForEachOther() throws {
    let scene = try scene()
    let target = try scene.queue("scene.target")
    let queues = try (
      scene.queue("scene.a", target: target), scene.queue("scene.b", target: target)
    )
    scene.send(0x10, to: queues.0.number)
    scene.send(0x20, to: queues.1.number)
    scene.run(0x10, on: queues.0) { time.pass(80) }
    scene.run(0x20, on: queues.1)
    XCTAssertEqual(try behind(scene.records().last), [80, 1])
    // With targets of their own they do not.
    let other = try scene.queue("scene.other")
    unsafe scene.queues.retargeted(queues.1.address, to: other.address)
    for block in [UInt(0x30), 0x40] {
      scene.send(block, to: block == 0x30 ? queues.0.number : queues.1.number, by: .barrierSync)
    }
    scene.run(0x30, on: queues.0) { time.pass(80) }
    scene.run(0x40, on: queues.1)
    XCTAssertEqual(try behind(scene.records().last { $0.kind == .call }), [nil, nil])
  }

  func testBarriersWaitForAllAndAllForBarriers() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue", isSerial: false)
    /// Sends blocks, runs them on threads of their own, and returns what the last one waited behind.
    func last(_ ways: [(SubmissionWay, UInt64)]) throws -> [Int?] {
      for (block, (way, _)) in ways.enumerated() {
        scene.send(UInt(block + 1) << 4, to: queue.number, by: way)
      }
      for (block, (_, duration)) in ways.enumerated() {
        let ran = expectation(description: "it ran")
        Thread.detachNewThread { [time] in
          scene.run(UInt(block + 1) << 4, on: queue) { time.pass(duration) }
          ran.fulfill()
        }
        wait(for: [ran], timeout: 30)
      }
      return try behind(scene.records().last { $0.kind == .call })
    }
    XCTAssertEqual(try last([(.async, 5), (.async, 0)]), [nil, nil])
    XCTAssertEqual(try last([(.async, 5), (.barrierAsync, 0)]), [5, 1])
    XCTAssertEqual(try last([(.async, 9), (.barrierAsync, 7), (.async, 0)]), [7, 1])
    XCTAssertEqual(try last([(.barrierAsync, 7), (.async, 9), (.barrierAsync, 0)]), [9, 2])
  }

  func testABlockOfAConcurrentQueueWaitsForTheThreadThatRunsIt() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue", isSerial: false)
    for block in [UInt(0x10), 0x20, 0x30] { scene.send(block, to: queue.number) }
    for block in [UInt(0x10), 0x20, 0x30] { scene.run(block, on: queue) { time.pass(70) } }
    let found = try scene.records().map(behind)
    XCTAssertEqual(found, [[nil, nil], [70, nil], [70, nil]])
    // A short call does not explain a long wait.
    for block in [UInt(0x10), 0x20] { scene.send(block, to: queue.number) }
    scene.run(0x10, on: queue) { time.pass(70) }
    time.pass(100)
    scene.run(0x20, on: queue)
    XCTAssertEqual(try behind(scene.records().last), [nil, nil])
  }

  func testADelayedBlockWaitsBehindNothing() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number)
    scene.send(0x20, to: queue.number, by: .after)
    scene.run(0x10, on: queue) { time.pass(70) }
    scene.run(0x20, on: queue)
    XCTAssertEqual(try behind(scene.records().last), [nil, nil])
  }

  func testAThreadThatWaitsForItsBlockWaitsBehindTheSame() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number)
    scene.send(0x20, to: queue.number, by: .sync)
    scene.run(0x10, on: queue) { time.pass(70) }
    scene.run(0x20, on: queue)
    let records = try scene.records()
    XCTAssertEqual(records.map(\.kind), [.call, .wait, .call])
    XCTAssertEqual(try records.dropFirst().map(behind), [[70, 1], [70, 1]])
  }

  func testABlockThatNeverRunsWaitsBehindTheCallThatIsRunning() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number)
    scene.send(0x20, to: queue.number)
    var pending: [TraceRecord] = []
    scene.run(0x10, on: queue) {
      time.pass(70)
      _ = try? scene.records()
      pending = scene.pending()
    }
    XCTAssertEqual(pending.count, 1)
    // The scene ends ten nanoseconds after the last record, which is of the begin.
    XCTAssertEqual(try behind(pending.first), [10, 1])
  }

  func testTheLongestCallIsFoundAmongAnyNumberOfShorterOnes() throws {
    let scene = try scene()
    let queue = try scene.queue("scene.queue")
    let count = 700
    for block in 0..<count { scene.send(UInt(block + 1) << 4, to: queue.number) }
    // Each shorter than the one before: none can be forgotten for the next one.
    for block in 0..<count {
      scene.run(UInt(block + 1) << 4, on: queue) { time.pass(UInt64(1000 - block)) }
    }
    XCTAssertEqual(try behind(scene.records().last), [1000, count - 1])
  }
}
