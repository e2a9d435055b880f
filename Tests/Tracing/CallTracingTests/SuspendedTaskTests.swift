import BlockABI
import CallTracing
import XCTest

/// What the reader knows of tasks between their parts.
final class SuspendedTaskTests: XCTestCase {
  func testAPartEndsWhenItsTaskBeginsElsewhere() throws {
    let scene = try SubmissionScene(self)
    scene.part(of: 7, job: 1, .continuation) { scene.part(of: 7, job: 1, .left) }
    let parts = try scene.records().sorted { $0.startNanoseconds < $1.startNanoseconds }
    XCTAssertEqual(parts.map(\.suspension), [.continuation, .left])
    XCTAssertEqual(
      parts.first.map { $0.startNanoseconds + $0.durationNanoseconds }, parts.last?.startNanoseconds
    )
  }

  func testAPartThatWasLeftUnseenIsNotInProgress() throws {
    let scene = try SubmissionScene(self)
    scene.part(of: 7, job: 1, .left) {
      scene.part(of: 7, job: 1, .left) {
        _ = try? scene.records()
        let open = scene.ends.reader.unfinishedRecords(at: scene.ends.reader.latest + 1_000_000_000)
        XCTAssertEqual(open.map(\.outcome), [.returned, .unfinished])
        XCTAssertLessThan(open.first?.durationNanoseconds ?? 0, open.last?.durationNanoseconds ?? 0)
      }
    }
  }

  func testTasksThatAwaitSomethingAreSuspendedToTheEnd() throws {
    let scene = try SubmissionScene(self)
    for (task, suspension) in [
      (1, TaskSuspension.continuation), (2, .left), (3, .executor), (4, .replaced), (5, .task),
    ] {
      scene.part(of: UInt64(task), job: 1, suspension)
    }
    scene.part(of: 5, job: 1, .left)
    let parts = try scene.records()
    let suspended = scene.pending()
    XCTAssertEqual(suspended.map(\.outcome), [.suspended, .suspended])
    XCTAssertEqual(suspended.map(\.task?.number), [1, 3])
    XCTAssertEqual(suspended.map(\.suspension), [.continuation, .executor])
    let end = try XCTUnwrap(parts.first.map { $0.startNanoseconds + $0.durationNanoseconds })
    XCTAssertEqual(suspended.first?.startNanoseconds, end)
    XCTAssertEqual(suspended.first?.waitedNanoseconds, scene.ends.reader.latest + 10 - end)
  }

  func testATaskThatWasSentToAQueueIsNotSuspended() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("tasks")
    scene.part(of: 7, job: 1, .continuation)
    scene.queues.submit(task: 7, flags: 0, job: 1, to: queue.number, by: .task)
    _ = try scene.records()
    XCTAssertEqual(scene.pending().map(\.outcome), [.pending])
  }
}
