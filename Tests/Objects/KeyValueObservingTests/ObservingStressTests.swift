import Foundation
import KeyValueObserving
import Synchronization
import TestSupport
import XCTest

/// Several threads at once; `STRESS_SECONDS` lets them run longer.
final class ObservingStressTests: XCTestCase {
  fileprivate final class Shared: KeyValueObservable, @unchecked Sendable {
    private let lock = NSLock()
    @Observed var value = 0
    @Observed var link: Shared?

    func add() { lock.withLock { value += 1 } }
    func relink(_ other: Shared?) { lock.withLock { link = other } }
    func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }
  }

  private var rounds: Int {
    let seconds = ProcessInfo.processInfo.environment["STRESS_SECONDS"].flatMap(Int.init) ?? 1
    return 250 * max(1, seconds)
  }

  func testFourThreadsOf250SetsTellAThousandTimes() {
    let shared = Shared()
    let count = Atomic<Int>(0)
    shared.observe(\.value) { _, _ in count.add(1, ordering: .relaxed) }
    let threads = ThreadGroup()
    for _ in 0..<4 { threads.start { for _ in 0..<250 { shared.add() } } }
    threads.wait()
    XCTAssertEqual(count.load(ordering: .relaxed), 1_000)
    XCTAssertEqual(shared.value, 1_000)
  }

  func testObserversComeAndGoWhileOthersSet() {
    let tracker = LifetimeTracker()
    let shared = Shared()
    let rounds = rounds
    let late = Atomic<Int>(0)
    let threads = ThreadGroup()
    for _ in 0..<2 { threads.start { for _ in 0..<rounds * 4 { shared.add() } } }
    for _ in 0..<2 {
      threads.start {
        for _ in 0..<rounds {
          let flag = Flag()
          let observation = shared.locked {
            shared.observe(\.value) { [tracked = tracker.track()] _, _ in
              if flag.isSet { late.add(1, ordering: .relaxed) }
              _ = tracked
            }
          }
          observation.removeAndWait()
          flag.set()
        }
      }
    }
    threads.wait()
    XCTAssertEqual(late.load(ordering: .relaxed), 0, "calls after removeAndWait")
    tracker.expectNothingAlive()
  }

  func testOneObservationRemovedByManyThreadsIsRemovedOnce() {
    for _ in 0..<rounds / 5 {
      let shared = Shared()
      let observation = shared.observe(\.value) { _, _ in }
      let removed = Atomic<Int>(0)
      let threads = ThreadGroup()
      for _ in 0..<3 {
        threads.start { if observation.remove() { removed.add(1, ordering: .relaxed) } }
      }
      threads.wait()
      XCTAssertEqual(removed.load(ordering: .relaxed), 1)
    }
  }

  func testPathsAreRelinkedWhileTheirObserversGo() {
    let tracker = LifetimeTracker()
    let rounds = rounds
    do {
      let root = Shared()
      let threads = ThreadGroup()
      threads.start {
        for index in 0..<rounds * 2 {
          let other = index.isMultiple(of: 3) ? nil : Shared()
          root.relink(other)
          root.locked { other?.value += 1 }
        }
      }
      threads.start {
        for _ in 0..<rounds {
          let observation = root.locked {
            root.observe(\.link?.value, options: [.old, .new]) {
              [tracked = tracker.track()] _, _ in
              _ = tracked
            }
          }
          root.locked { root.link?.value += 1 }
          observation.remove()
        }
      }
      threads.wait()
      XCTAssertTrue(root.observations.isEmpty)
    }
    tracker.expectNothingAlive()
  }

  /// Chains of properties: observers go, under no lock, while one end is set and the link replaced.
  func testChainsAreReadWhileTheirObserversGo() {
    let tracker = LifetimeTracker()
    let rounds = rounds
    let late = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
    do {
      let root = Shared()
      root.relink(Shared())
      let threads = ThreadGroup()
      threads.start {
        for index in 1...rounds * 4 {
          if index.isMultiple(of: 16) { root.relink(Shared()) }
          root.locked { root.link?.value = index }
        }
      }
      for _ in 0..<2 {
        threads.start {
          for _ in 0..<rounds {
            let flag = Flag()
            let observation = root.locked {
              root.observe(\.link?.value) { [tracked = tracker.track()] root, change in
                if flag.isSet { late.add(1, ordering: .relaxed) }
                if change.new != root.link?.value { wrong.add(1, ordering: .relaxed) }
                _ = tracked
              }
            }
            observation.removeAndWait()
            flag.set()
          }
        }
      }
      threads.wait()
      XCTAssertTrue(root.observations.isEmpty)
    }
    XCTAssertEqual(late.load(ordering: .relaxed), 0, "calls after removeAndWait")
    XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
    tracker.expectNothingAlive()
  }

  /// Two threads evaluate one path at once: each lets go of an object to which it leads.
  func testAPathIsEvaluatedByTwoThreadsAtOnce() {
    for _ in 0..<rounds {
      let pair = Pair()
      let owners = [Owner(pair.hold(\.first)), Owner(pair.hold(\.second))]
      let calls = Atomic<Int>(0)
      pair.observe(\.count) { _, change in
        if let count = change.new, count < 2 { calls.add(1, ordering: .relaxed) }
      }
      let threads = ThreadGroup()
      for owner in owners { threads.start { owner.letGo() } }
      threads.wait()
      XCTAssertEqual(calls.load(ordering: .relaxed), 2)
      XCTAssertEqual(pair.count, 0)
    }
  }

  private final class Owner: Sendable {
    private let object: Mutex<Shared?>
    init(_ object: Shared) { self.object = Mutex(object) }
    func letGo() { object.withLock { $0 = nil } }
  }

  private final class Pair: KeyValueObservable {
    @ObservedWeak var first: Shared?
    @ObservedWeak var second: Shared?
    var count: Int { (first == nil ? 0 : 1) + (second == nil ? 0 : 1) }

    func hold(_ property: ReferenceWritableKeyPath<Pair, Shared?>) -> Shared {
      let object = Shared()
      self[keyPath: property] = object
      return object
    }
  }

  func testTwoObjectsChangedByTwoThreadsInOppositeOrderDoNotWaitForEachOther() {
    let first = Shared()
    let second = Shared()
    let rounds = rounds
    // Each observer changes the other object: no lock of ours is held meanwhile.
    let calls = Atomic<Int>(0)
    let here = ThreadLocalFlag()
    first.observe(\.value) { _, _ in
      calls.add(1, ordering: .relaxed)
      here.once { second.touch() }
    }
    second.observe(\.value) { _, _ in
      calls.add(1, ordering: .relaxed)
      here.once { first.touch() }
    }
    let ends = ["first", "second"].map { expectation(description: $0) }
    for (object, end) in zip([first, second], ends) {
      Thread.detachNewThread {
        for _ in 0..<rounds { object.touch() }
        end.fulfill()
      }
    }
    // Threads that wait for each other fail the test; they do not stop it.
    wait(for: ends, timeout: 60)
    // Changes manually of two threads at once may be told as one.
    XCTAssertGreaterThan(calls.load(ordering: .relaxed), 0)
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  /// Runs a closure unless the thread is in one.
  private final class ThreadLocalFlag: Sendable {
    private static let key = "KeyValueObservingTests.once"
    func once(_ body: () -> Void) {
      let dictionary = Thread.current.threadDictionary
      guard dictionary[Self.key] == nil else { return }
      dictionary[Self.key] = true
      body()
      dictionary[Self.key] = nil
    }
  }
}

extension ObservingStressTests.Shared {
  /// Tells observers of a change that is none, under no lock.
  func touch() { withChange(of: \.value) {} }
}
