import CallTracing
import XCTest

/// What the reader knows of the actors and the tasks for which tasks wait.
final class TaskWaitTests: XCTestCase {
  func testAnActorsTimesAreThoseOfItsTasks() throws {
    let clock = SettableClock()
    let scene = try SubmissionScene(self, clock: clock)
    let actor = try scene.actor("Ledger", at: 0x1000)
    clock.set(100)
    scene.part(of: 1, job: 1, .left) {
      clock.set(110)
      scene.queues.run(task: 1, on: actor)
      for task in [2, 3] as [UInt64] {
        clock.set(120)
        scene.part(of: task, job: 1, .executor) {
          scene.queues.run(task: task, on: actor)
          scene.wait(task, for: actor)
        }
      }
      clock.set(150)
      scene.queues.run(task: 1, on: .none)
      clock.set(160)
    }
    for task in [2, 3] as [UInt64] {
      scene.part(of: task, job: 1, .left) {
        scene.queues.run(task: task, on: actor)
        clock.set(clock.now.nanoseconds + 7)
      }
    }
    _ = try scene.records()
    let loads = scene.ends.reader.actorLoads
    XCTAssertEqual(loads.map(\.actor.description), ["Ledger 0x1000"])
    let load = try XCTUnwrap(loads.first?.load)
    XCTAssertEqual([load.runs.count, load.waits.count, load.deepest], [3, 2, 2])
    XCTAssertEqual([load.runs.total, load.runs.longest], [54, 40])
    XCTAssertEqual([load.waits.total, load.waits.longest], [87, 47])
  }

  func testTasksThatWaitAndRunAtTheEndCountUntilThen() throws {
    let clock = SettableClock()
    let scene = try SubmissionScene(self, clock: clock)
    let actor = try scene.actor("Ledger", at: 0x1000)
    clock.set(100)
    scene.part(of: 1, job: 1, .executor) { scene.wait(1, for: actor) }
    scene.part(of: 2, job: 1, .left) {
      scene.queues.run(task: 2, on: actor)
      clock.set(130)
      scene.part(of: 3, job: 1, .left)
      _ = try? scene.records()
      let load = scene.ends.reader.actorLoads.first?.load
      XCTAssertEqual(load?.runs.total, 30)
      XCTAssertEqual(load?.waits.total, 30)
    }
  }

  func testASuspendedTaskTellsWhatItWaitsFor() throws {
    let scene = try SubmissionScene(self)
    let actor = try scene.actor("Ledger", at: 0x1000)
    scene.queues.name(task: 9, "awaited")
    scene.part(of: 1, job: 1, .executor) { scene.wait(1, for: actor) }
    scene.part(of: 2, job: 1, .task) { scene.wait(2, for: .none, task: 9) }
    _ = try scene.records()
    let suspended = scene.pending()
    XCTAssertEqual(suspended.map(\.taskWait?.actor?.type), ["Ledger", nil])
    XCTAssertEqual(suspended.map(\.taskWait?.task?.name), [nil, "awaited"])
    XCTAssertEqual(suspended.first?.taskWait?.functions.map(\.name), ["swift_demangle"])
  }

  func testATaskKnowsWhoResumedIt() throws {
    let scene = try SubmissionScene(self)
    scene.part(of: 1, job: 1, .continuation)
    scene.part(of: 2, job: 1, .left) {
      let callers = unsafe [UnsafeRawPointer(bitPattern: SubmissionScene.address + 1)]
      unsafe callers.withUnsafeBufferPointer { unsafe scene.queues.resume(task: 1, by: $0) }
    }
    _ = try scene.records()
    XCTAssertEqual(scene.pending().first?.resumption?.task?.number, 2)
    scene.part(of: 1, job: 1, .left)
    let part = try XCTUnwrap(scene.records().first)
    XCTAssertEqual(part.resumption?.task?.number, 2)
    XCTAssertEqual(part.resumption?.callers.map(\.name), ["swift_demangle"])
  }

  func testAResumptionBeforeATaskIsSuspendedIsNotOneOfTheNextWait() throws {
    let scene = try SubmissionScene(self)
    scene.part(of: 1, job: 1, .continuation) {
      unsafe scene.queues.resume(task: 1, by: UnsafeBufferPointer(start: nil, count: 0))
    }
    _ = try scene.records()
    let suspended = try XCTUnwrap(scene.pending().first)
    XCTAssertNil(suspended.resumption)
  }

  func testAPartRanOnTheActorBeforeTheOneThatItWaitsFor() throws {
    let scene = try SubmissionScene(self)
    let (first, second) = (
      try scene.actor("Ledger", at: 0x1000), try scene.actor("Vault", at: 0x2000)
    )
    scene.part(of: 1, job: 1, .executor) {
      scene.queues.run(task: 1, on: first)
      scene.queues.run(task: 1, on: second)
      scene.wait(1, for: second)
    }
    let part = try XCTUnwrap(scene.records().first)
    XCTAssertEqual(part.actor?.type, "Ledger")
    XCTAssertEqual(part.taskWait?.actor?.type, "Vault")
  }

  func testActorsOfTwoTypesMayFollowEachOtherAtOneAddress() throws {
    let scene = try SubmissionScene(self)
    let actors = [try scene.actor("Ledger", at: 0x1000), try scene.actor("Vault", at: 0x1000)]
    for task in 1...10 as ClosedRange<UInt64> {
      scene.part(of: task, job: 1, .left) {
        scene.queues.run(task: task, on: actors[Int(task % 2)])
      }
    }
    _ = try scene.records()
    let loads = scene.ends.reader.actorLoads
    XCTAssertEqual(Set(loads.map(\.actor.type)), ["Ledger", "Vault"])
    XCTAssertEqual(loads.map(\.load.runs.count), [5, 5])
  }

  func testWhatWasLostIsCountedAndDoesNotRunOnForEver() throws {
    let clock = SettableClock()
    let scene = try SubmissionScene(self, capacity: 1 << 12, clock: clock)
    let actor = try scene.actor("Ledger", at: 0x1000)
    scene.part(of: 1, job: 1, .left)
    _ = try scene.records()
    scene.queues.run(task: 1, on: actor)
    _ = try scene.records()
    for _ in 0..<100 { scene.queues.run(task: 1, on: .none) }
    XCTAssertGreaterThan(scene.ends.reader.missingCount, 0)
    _ = try scene.records()
    clock.set(1_000_000)
    scene.part(of: 2, job: 1, .left)
    _ = try scene.records()
    XCTAssertEqual(scene.ends.reader.actorLoads.first?.load.runs.total, 0)
  }
}
