import Dispatch
import KeyValueObserving
import Synchronization
import TestSupport
import XCTest

/// ReactiveObjC's stress of subscriptions and sets (ReactiveCocoa#1122).
final class PeerStressTests: XCTestCase {
  private static let iterations = 5_000

  /// A property with a lock of its own, which tells manually under none.
  private final class Locked: KeyValueObservable, Sendable {
    private let number = Mutex(0)

    var value: Int {
      get {
        willRead(\.value)
        return number.withLock { $0 }
      }
      set { withChange(of: \.value) { number.withLock { $0 = newValue } } }
    }
  }

  /// An observation, and whether its removal has returned.
  private final class Subscription: Sendable {
    let observation = Mutex<KeyValueObservation?>(nil)
    let isOver = Atomic<Bool>(false)

    /// Removes it; says whether this call did.
    func end() -> Bool {
      let isRemoved = observation.withLock { $0 }?.removeAndWait() ?? false
      isOver.store(true, ordering: .releasing)
      return isRemoved
    }
  }

  /// What the iterations observe by turns: each takes the place of the one before.
  private final class Current: Sendable {
    private let subscription = Mutex<Subscription?>(nil)

    func replace(with new: Subscription?) -> Subscription? {
      subscription.withLock { present in
        defer { present = new }
        return present
      }
    }
  }

  func testFiveThousandObserversComeAndGoInParallelWithSets() {
    let tracker = LifetimeTracker()
    let object = Locked()
    let current = Current()
    let removals = Atomic<Int>(0)
    let late = Atomic<Int>(0)
    let sets = DispatchQueue(label: "sets", attributes: .concurrent)
    DispatchQueue.concurrentPerform(iterations: Self.iterations) { index in
      let new = Subscription()
      let options: [ObservingOptions] = [[], .new, [.old, .new], [.prior, .old, .new]]
      let observation = object.observe(\.value, options: options[index % options.count]) {
        [tracked = tracker.track()] _, _ in
        for _ in 0..<20 { _ = object.value }
        if new.isOver.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
        _ = tracked
      }
      new.observation.withLock { $0 = observation }
      let old = current.replace(with: new)
      if old?.end() ?? false { removals.add(1, ordering: .relaxed) }
      sets.async { object.value = index }
    }
    sets.sync(flags: .barrier) {}
    XCTAssertEqual(current.replace(with: nil)?.end(), true)
    XCTAssertEqual(removals.load(ordering: .relaxed), Self.iterations - 1)
    XCTAssertEqual(late.load(ordering: .relaxed), 0, "calls that end after removeAndWait")
    XCTAssertTrue(object.observations.isEmpty)
    object.value = -1
    tracker.expectNothingAlive()
  }

  /// A removal while sets are in flight ends the sequence of their changes.
  func testASequenceEndsThoughSetsAreInFlight() {
    let object = Locked()
    let changes = object.changes(of: \.value)
    let observation = changes.observation
    let sets = DispatchQueue(label: "sets", attributes: .concurrent)
    let done = expectation(description: "ended")
    let seen = Recorder<Int>()
    Task {
      for await change in changes { seen.record(change.new ?? -1) }
      done.fulfill()
    }
    DispatchQueue.concurrentPerform(iterations: Self.iterations) { index in
      object.value = index
      if index == Self.iterations / 2 { sets.async { observation.remove() } }
    }
    sets.sync(flags: .barrier) {}
    XCTAssertTrue(observation.isRemoved)
    wait(for: [done], timeout: 60)
    XCTAssertLessThanOrEqual(seen.entries.count, Self.iterations)
    let count = seen.entries.count
    object.value = -1
    XCTAssertEqual(seen.entries.count, count)
  }
}
