import BlockRuntime
import Glibc
import TestSupport
import XCTest

private final class Page: EventSender, MessageReceiver, KeyValueObservable {
  @Observed var count = 0
  func reload(_ by: Int) { count += by }
  static var methods: MethodTable { MethodTable(Page.self) { Method("reload:", Page.reload) } }
}

private final class Notes { var text = "" }

private final class Captured {
  let onDeinit: () -> Void
  var uses = 0
  init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}

private struct Failure: Error {}

/// Closures of code that no actor isolates, which end with their scope.
final class ScopeTests: XCTestCase {
  private func makeBlock() throws -> Block { try Block({ $0 + 1 } as Increment) }

  private func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let threads = ThreadGroup()
    threads.start(body)
    threads.wait()
  }

  func testAHookCountsIntoALocalVariable() throws {
    var count = 0
    let block = try makeBlock()
    try withIsolationScope { scope in
      try scope.isolated(block).hook(.before) { _ in count += 1 }
      let _: Int32 = try block.call(1)
    }
    let _: Int32 = try block.call(1)
    XCTAssertEqual(count, 1)
    XCTAssertEqual(block.hooks.count, 0)
  }

  func testEverythingEndsWithTheScope() throws {
    let (page, block, clock) = (Page(), try makeBlock(), ManualClock())
    let (timer, key) = (DelayTimer(clock: clock), AssociationKey<Notes>("notes"))
    let pages = try MessageProtocol("Pages", [.optional("add:", signature: "v@:q")])
    let delegate = DynamicDelegate(pages)
    var calls: [String] = []
    func use() throws {
      let _: Int32 = try block.call(1)
      try page.send("reload:", 1)
      page.eventHandlers.send(EventMask(bit: 0))
      if delegate.responds(to: "add:") { try delegate.send("add:", 1) }
      clock.advance(by: .seconds(1))
    }
    try withIsolationScope { scope in
      try scope.isolated(block).hook(.before) { _ in calls.append("hook") }
      try scope.isolated(page.target("reload:")).hook(.before) { _ in calls.append("object") }
      try scope.isolated(Page.target("reload:")).hook(.before) { _ in calls.append("class") }
      scope.isolated(page).observe(\.count) { _, _ in calls.append("observer") }
      try scope.isolated(page.eventHandlers).add(for: .all) { _, _ in calls.append("event") }
      try scope.isolated(delegate).implement("add:") { (_: Int) in calls.append("delegate") }
      scope.isolated(timer).perform(after: .seconds(1)) { calls.append("block") }
      scope.isolated(timer).perform(after: .seconds(5)) { calls.append("late block") }
      try scope.isolated(timer).repeat(every: .seconds(1)) { _ in calls.append("tick") }
      try scope.isolated(key).set(Notes(), on: page)
      XCTAssertNotNil(scope.isolated(key).value(of: page))
      try scope.isolated(page).onDeinit { calls.append("deinit") }
      try use()
    }
    XCTAssertEqual(
      calls,
      ["hook", "object", "class", "observer", "event", "delegate", "block", "tick"])
    try use()
    XCTAssertEqual(calls.count, 8)
    XCTAssertEqual(timer.pendingCount, 0)
    XCTAssertEqual(block.hooks.count, 0)
    withIsolationScope { XCTAssertNil($0.isolated(key).remove(from: page)) }
  }

  func testWhatIsCapturedIsFreedBeforeTheScopeHasEnded() throws {
    let block = try makeBlock()
    let freed = Recorder<String>()
    let me = pthread_self()
    do {
      try withIsolationScope { scope throws in
        let captured = Captured {
          freed.record(pthread_equal(me, pthread_self()) != 0 ? "on its thread" : "elsewhere")
        }
        let hook = try scope.isolated(block).hook(.before) { _ in captured.uses += 1 }
        elsewhere { hook.remove() }
        freed.record("removed")
        throw Failure()
      }
    } catch { freed.record("\(error)") }
    XCTAssertEqual(freed.entries, ["removed", "on its thread", "Failure()"])
  }

  func testAClosureIsFreedWhenItsHookIsRemovedInTheScope() throws {
    let block = try makeBlock()
    let tracker = LifetimeTracker()
    try withIsolationScope { scope in
      let hook = try scope.isolated(block).hook(.before) { [tracked = tracker.track()] _ in
        withExtendedLifetime(tracked) {}
      }
      hook.remove()
      tracker.expectNothingAlive()
    }
  }

  func testOtherThreadsPassBy() throws {
    var count = 0
    let (block, errors) = (try makeBlock(), Recorder<String>())
    try withIsolationScope { scope in
      try scope.isolated(block).hook(.before, onError: { errors.record("\($0)") }) { _ in count += 1
      }
      elsewhere { _ = try? block.call(1) as Int32 }
    }
    XCTAssertEqual(count, 0)
    XCTAssertEqual(
      errors.entries,
      [
        "wrongExecutor: a closure of a scope was called elsewhere, and did not run: call it from the "
          + "code of the scope, or pass a @Sendable closure without isolated(_:)"
      ])
  }

  /// The compiler lets an inner scope's values go to other tasks: those of an outer one are not among them.
  func testAValueBelongsToOneScopeOfItsThread() throws {
    let (page, key) = (Page(), AssociationKey<Notes>("notes"))
    try withIsolationScope { outer in
      let notes = Notes()
      try outer.isolated(key).set(notes, on: page)
      let leaked = withIsolationScope { $0.isolated(key).value(of: page) }
      XCTAssertNil(leaked)
      XCTAssertThrowsError(
        try withIsolationScope {
          (inner: IsolationScope) throws(LifetimeError) in
          try inner.isolated(key).value(of: page, default: Notes())
        })
      XCTAssertTrue(outer.isolated(key).value(of: page) === notes)
      withIsolationScope { inner in
        XCTAssertTrue(outer.isolated(key).value(of: page) === notes)
        XCTAssertNil(inner.isolated(key).remove(from: page))
      }
      XCTAssertNil(outer.isolated(key).value(of: page))
    }
  }

  @MainActor func testAValueOfAScopeIsNotThatOfTheActorAroundIt() throws {
    let (page, key) = (Page(), AssociationKey<Notes>("notes"))
    try withIsolationScope { scope in
      try scope.isolated(key).set(Notes(), on: page)
      XCTAssertNil(isolated(key).value(of: page))
    }
    try isolated(key).set(Notes(), on: page)
    withIsolationScope { XCTAssertNil($0.isolated(key).value(of: page)) }
    XCTAssertNotNil(isolated(key).value(of: page))
  }

  @MainActor func testAValueThatAScopeSetsWhileADefaultIsMadeStaysTheScopes() {
    let (page, key) = (Page(), AssociationKey<Notes>("notes"))
    withIsolationScope { scope in
      func notes() -> Notes {
        XCTAssertNoThrow(try scope.isolated(key).set(Notes(), on: page))
        return Notes()
      }
      expectError(.wrongExecutor) { _ = try isolated(key).value(of: page, default: notes()) }
      XCTAssertNotNil(scope.isolated(key).value(of: page))
    }
  }

  func testWhatIsAddedAfterItsEndIsRemovedAtOnce() throws {
    let (block, tracker) = (try makeBlock(), LifetimeTracker())
    let ended = withIsolationScope { $0 }
    let hook = try ended.isolated(block).hook(.before) { [tracked = tracker.track()] _ in
      withExtendedLifetime(tracked) {}
    }
    XCTAssertFalse(hook.isInstalled)
    tracker.expectNothingAlive()
    let _: Int32 = try block.call(1)
  }

  /// Threads call, remove and free at once; nothing that belongs to one is used by another.
  func testThreadsThatCallAndRemoveAtOnce() throws {
    let tracker = LifetimeTracker()
    let rounds = shortened(300)
    let blocks = try (0..<4).map { _ in try makeBlock() }
    let threads = ThreadGroup()
    for own in 0..<4 {
      threads.start {
        var count = 0
        for round in 0..<rounds {
          withIsolationScope { scope in
            let captured = tracker.track()
            let block = scope.isolated(blocks[own])
            let hook = try? block.hook(.before, onError: { _ in }) { _ in
              count += 1
              withExtendedLifetime(captured) {}
            }
            _ = try? blocks[own].call(1) as Int32
            _ = try? blocks[(own + 1) % 4].call(1) as Int32
            blocks[(own + round) % 4].removeHooks()
            hook?.remove()
          }
        }
        XCTAssertLessThanOrEqual(count, rounds * 2)
      }
    }
    threads.wait()
    tracker.expectNothingAlive()
  }
}
