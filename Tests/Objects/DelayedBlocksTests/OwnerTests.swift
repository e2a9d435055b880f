import DelayedBlocks
import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

final class OwnerTests: XCTestCase {
  private final class Owner: Sendable {
    let tracked: LifetimeTracker.Tracked

    init(_ tracker: LifetimeTracker) { tracked = tracker.track() }
  }

  func testADeadOwnersBlocksNeverRunAndTheirClosuresGoWithIt() throws {
    let manual = ManualTimer()
    let owners = LifetimeTracker()
    let captures = LifetimeTracker()
    var owner: Owner? = Owner(owners)
    let block = try manual.timer.perform(after: .seconds(1), for: XCTUnwrap(owner)) {
      [object = captures.track()] _ in
      withExtendedLifetime(object) {}
      XCTFail("it ran")
    }
    let repeating = try manual.timer.repeat(every: .seconds(1), for: XCTUnwrap(owner)) {
      [object = captures.track()] _, _ in
      withExtendedLifetime(object) {}
      XCTFail("it ran")
    }
    XCTAssertEqual(captures.alive, 2)
    owner = nil
    owners.expectNothingAlive()
    captures.expectNothingAlive()
    XCTAssertEqual(block.wait(), .cancelled)
    XCTAssertEqual(repeating.wait(), .cancelled)
    XCTAssertEqual(manual.timer.pendingCount, 0)
    manual.clock.advance(by: .seconds(5))
  }

  func testALivingOwnerIsGivenToItsBlocksAndNothingIsKeptAfterwards() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let owner = Owner(tracker)
    let runs = Recorder<ObjectIdentifier>()
    for _ in 0..<3 {
      manual.timer.perform(after: .seconds(1), for: owner) { runs.record(ObjectIdentifier($0)) }
    }
    XCTAssertEqual(DelayedBlock.count(of: owner), 3)
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, Array(repeating: ObjectIdentifier(owner), count: 3))
    XCTAssertEqual(DelayedBlock.count(of: owner), 0)
  }

  func testAnOwnerThatIsKeptLivesUntilTheRunOrTheCancel() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let runs = Recorder<Int>()
    func schedule() -> DelayedBlock {
      manual.timer.perform(after: .seconds(1), for: Owner(tracker), keepsOwner: true) { _ in
        runs.record(tracker.alive)
      }
    }
    let block = schedule()
    XCTAssertEqual(tracker.alive, 1)
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, [1])
    tracker.expectNothingAlive()
    XCTAssertEqual(block.state, .finished)

    let cancelled = schedule()
    XCTAssertTrue(cancelled.cancel())
    tracker.expectNothingAlive()
  }

  func testAllOfAnOwnerOrThoseOfANameAreCancelledOfEveryTimer() throws {
    let first = ManualTimer()
    let second = ManualTimer()
    let tracker = LifetimeTracker()
    let owner = Owner(tracker)
    let other = Owner(tracker)
    let runs = Recorder<String>()
    for manual in [first, second] {
      for name in ["save", "save", "load", nil] {
        manual.timer.perform(after: .seconds(1), for: owner, name: name) { _ in
          runs.record(name ?? "no name")
        }
      }
    }
    first.timer.perform(after: .seconds(1), for: other, name: "save") { _ in runs.record("other") }
    try first.timer.repeat(every: .seconds(1), for: owner, name: "load") { _, _ in
      XCTFail("it ran")
    }
    XCTAssertEqual(DelayedBlock.cancelAll(named: "unknown", of: owner), 0)
    XCTAssertEqual(DelayedBlock.cancelAll(named: "load", of: owner), 3)
    XCTAssertEqual(DelayedBlock.cancelAll(named: "load", of: owner), 0)
    second.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, ["save", "save", "no name"])
    XCTAssertEqual(DelayedBlock.cancelAll(of: owner), 3)
    first.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, ["save", "save", "no name", "other"])
    XCTAssertEqual(DelayedBlock.cancelAll(of: owner), 0)
  }

  func testAnOwnersLastReferenceMayGoInItsOwnBlock() throws {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    let holder = Mutex<Owner?>(nil)
    let owner = Owner(tracker)
    holder.withLock { [owner] in $0 = owner }
    let block = try manual.timer.repeat(every: .seconds(1), for: owner) { _, tick in
      if tick.number == 1 { holder.withLock { $0 = nil } }
    }
    withExtendedLifetime(owner) {}
    _ = consume owner
    manual.clock.advance(by: .seconds(5))
    tracker.expectNothingAlive()
    XCTAssertEqual(block.state, .cancelled)
  }

  func testAnActorThatIsOwnerAndTargetDies() async throws {
    actor Poller {
      let tracked: LifetimeTracker.Tracked
      var block: DelayedBlock?

      init(_ tracker: LifetimeTracker) { tracked = tracker.track() }

      func begin() throws {
        block = try DelayTimer.shared.repeat(
          every: .milliseconds(1), for: self, on: .actor(self)
        ) { poller, _ in poller.assumeIsolated { _ = $0.tracked } }
      }

      func keep(_ block: DelayedBlock) { self.block = block }
    }
    let tracker = LifetimeTracker()
    func begin() async throws -> DelayedBlock? {
      let poller = Poller(tracker)
      try await poller.begin()
      let once = DelayTimer.shared.perform(after: .zero, on: .actor(poller)) {}
      let end = await once.end
      XCTAssertEqual(end, .ran)
      // An actor that keeps the token of a block that has ended is not kept by it.
      let other = Poller(tracker)
      await other.keep(DelayTimer.shared.perform(after: .seconds(3600), on: .actor(other)) {})
      await other.block?.cancel()
      return await poller.block
    }
    let block = try await begin()
    let end = await block?.end
    XCTAssertEqual(end, .cancelled)
    // The last of its jobs may hold an actor for a moment.
    let limit = ContinuousClock.now + .seconds(20)
    while tracker.alive > 0, ContinuousClock.now < limit { await Task.yield() }
    tracker.expectNothingAlive()
  }

  func testABlockWhoseActorIsGoneIsCancelled() {
    actor Gone {}
    let manual = ManualTimer()
    func target() -> DelayTarget { .weakActor(DelayTarget.WeakActor(Gone())) }
    let block = manual.timer.perform(after: .seconds(1), on: target()) { XCTFail("it ran") }
    let debouncer = Debouncer<Int>(delay: .seconds(1), timer: manual.timer, on: target()) { _ in
      XCTFail("it ran")
    }
    debouncer(1)
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(block.wait(), .cancelled)
    XCTAssertFalse(debouncer.isPending)
  }

  func testForADyingOwnerNothingIsScheduled() {
    final class Dying: Sendable {
      let timer: DelayTimer
      let blocks: Recorder<DelayedBlock>

      init(_ timer: DelayTimer, _ blocks: Recorder<DelayedBlock>) {
        self.timer = timer
        self.blocks = blocks
      }

      deinit {
        let block = timer.perform(after: .seconds(1), for: self) { _ in XCTFail("it ran") }
        XCTAssertFalse(block.runNow())
        blocks.record(block)
      }
    }
    let manual = ManualTimer()
    let blocks = Recorder<DelayedBlock>()
    _ = Dying(manual.timer, blocks)
    manual.clock.advance(by: .seconds(2))
    XCTAssertEqual(blocks.entries.map(\.state), [.cancelled])
  }

  func testManyShortLivedOwnersInheritNothing() {
    let manual = ManualTimer()
    let inherited = Atomic(0)
    for _ in 0..<100_000 {
      let owner = ThreadGroup()
      if DelayedBlock.count(of: owner) != 0 { inherited.add(1, ordering: .relaxed) }
      manual.timer.perform(after: .seconds(1), for: owner) { _ in XCTFail("it ran") }
    }
    XCTAssertEqual(inherited.load(ordering: .relaxed), 0)
    XCTAssertEqual(manual.timer.pendingCount, 0)
    manual.clock.advance(by: .seconds(1))
  }
}
