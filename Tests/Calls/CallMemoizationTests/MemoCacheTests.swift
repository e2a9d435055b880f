import CallMemoization
import DelayedBlocks
import Synchronization
import TestSupport
import XCTest

final class MemoCacheTests: XCTestCase {
  func testAValueIsFoundSetReplacedAndRemoved() {
    let cache = MemoCache<String, Int>(pressure: nil)
    XCTAssertNil(cache["a"])
    cache["a"] = 1
    XCTAssertEqual(cache["a"], 1)
    cache.set(2, for: "a", cost: 5)
    XCTAssertEqual([cache["a"], cache.statistics.totalCost], [2, 5])
    XCTAssertTrue(cache.remove("a"))
    XCTAssertFalse(cache.remove("a"))
    cache["b"] = 1
    cache["b"] = nil
    cache["c"] = 1
    cache.removeAll()
    XCTAssertEqual(cache.statistics.count, 0)
    XCTAssertEqual([cache.statistics.hits, cache.statistics.misses], [2, 1])
  }

  func testAPeekIsNoUse() {
    let cache = MemoCache<Int, Int>(limits: MemoLimits(count: 2), pressure: nil)
    (cache[1], cache[2]) = (1, 2)
    XCTAssertEqual(cache.peek(1), 1)
    cache[3] = 3
    XCTAssertEqual([cache.peek(1), cache.peek(2)], [nil, 2])
    XCTAssertEqual(cache.statistics.hits + cache.statistics.misses, 0)
  }

  func testAValueThatCostsTooMuchIsNotStoredAndItsEarlierOneGoes() {
    let cache = MemoCache<Int, Int>(
      limits: MemoLimits(count: nil, cost: 10), pressure: nil, cost: { _, value in value })
    cache[1] = 9
    cache[1] = 11
    XCTAssertNil(cache[1])
    XCTAssertEqual(cache.statistics.totalCost, 0)
  }

  func testNewLimitsHoldAtOnce() {
    let clock = ManualClock()
    let evicted = Recorder<Int>()
    let cache = MemoCache<Int, Int>(
      limits: MemoLimits(count: nil), clock: clock, pressure: nil, cost: { _, value in value },
      onEviction: { key, _ in evicted.record(key) })
    for value in 1...6 {
      cache[value] = value
      clock.advance(by: .seconds(1))
    }
    cache.limits.count = 5
    cache.limits.cost = 18
    XCTAssertEqual(evicted.entries, [1, 2])
    // 3 is four seconds old.
    cache.limits.age = .seconds(4)
    XCTAssertEqual(evicted.entries, [1, 2, 3])
    cache.limits.age = nil
    cache.limits.count = 0
    cache[7] = 7
    XCTAssertEqual(evicted.entries, [1, 2, 3, 4, 5, 6, 7])
    XCTAssertEqual(cache.statistics.count, 0)
  }

  func testATrimLeavesTheLimits() {
    let cache = MemoCache<Int, Int>(pressure: nil)
    for value in 0..<5 { cache[value] = value }
    cache.trim(to: MemoLimits(count: 2))
    XCTAssertEqual((0..<5).filter { cache.peek($0) != nil }, [3, 4])
    cache[5] = 5
    XCTAssertEqual(cache.statistics.count, 3)
    XCTAssertEqual(cache.limits, MemoLimits())
  }

  func testAShareOfMemoryBoundsTheCosts() {
    let cache = MemoCache<Int, Int>(
      limits: MemoLimits(count: nil, memoryShare: 0.5), pressure: nil, cost: { _, value in value })
    cache[1] = 1 << 20
    cache[2] = Int.max
    XCTAssertEqual([cache.peek(1), cache.peek(2)], [1 << 20, nil])
    for share in [0, -1, Double.nan] {
      cache.limits.memoryShare = share
      XCTAssertEqual(cache.statistics.count, 0)
    }
  }

  func testOnlyWhatTheCacheRemovesItselfIsEvicted() {
    let clock = ManualClock()
    let evicted = Recorder<[Int]>()
    let cache = MemoCache<Int, Int>(
      limits: MemoLimits(count: 2, age: .seconds(9)), clock: clock, pressure: nil,
      onEviction: { evicted.record([$0, $1]) })
    (cache[1], cache[2], cache[3]) = (10, 20, 30)
    cache[3] = 31
    cache.remove(2)
    XCTAssertEqual(evicted.entries, [[1, 10]])
    clock.advance(by: .seconds(9))
    XCTAssertNil(cache[3])
    XCTAssertEqual(evicted.entries, [[1, 10], [3, 31]])
    cache[4] = 4
    cache.removeAll()
    XCTAssertEqual(evicted.entries.count, 2)
  }

  func testAnEvictionMayUseTheCacheAndLeavesNothingAlive() {
    let tracker = LifetimeTracker()
    do {
      let own = Mutex<MemoCache<Int, LifetimeTracker.Tracked>?>(nil)
      let cache = MemoCache<Int, LifetimeTracker.Tracked>(
        limits: MemoLimits(count: 3), pressure: nil,
        onEviction: { key, _ in
          guard key < 10, let cache = own.withLock({ $0 }) else { return }
          cache[key + 10] = cache.peek(key + 1)
        })
      own.withLock { $0 = cache }
      for key in 0..<8 { cache[key] = tracker.track() }
      XCTAssertLessThanOrEqual(tracker.alive, 3)
      XCTAssertEqual(cache.statistics.count, 3)
      own.withLock { $0 = nil }
    }
    tracker.expectNothingAlive()
  }

  /// A key whose `==` and `hash(into:)` use the cache.
  private struct IntrusiveKey: Hashable, Sendable {
    let number: Int
    let meanwhile: @Sendable () -> Void

    static func == (left: IntrusiveKey, right: IntrusiveKey) -> Bool {
      left.meanwhile()
      return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number % 2) }
  }

  func testKeysMayUseTheCacheAndCollide() {
    let numbers = MemoCache<Int, Int>(pressure: nil)
    let cache = MemoCache<IntrusiveKey, Int>(pressure: nil)
    let keys = (0..<6).map { number in
      IntrusiveKey(number: number) { [weak cache] in
        numbers[number] = number
        _ = cache?.statistics
      }
    }
    for key in keys { XCTAssertEqual(cache[key, or: { key.number }], key.number) }
    XCTAssertEqual(keys.map { cache[$0] }, keys.map(\.number))
    XCTAssertTrue(cache.remove(keys[3]))
    XCTAssertEqual(keys.filter { cache.peek($0) != nil }.map(\.number), [0, 1, 2, 4, 5])
  }

  /// A key whose comparison runs a closure once; all have one hash.
  private struct ComparedKey: Hashable, Sendable {
    static let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
    let number: Int

    static func == (left: ComparedKey, right: ComparedKey) -> Bool {
      meanwhile.withLock { $0.take() }?()
      return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {}
  }

  func testAValueThatIsStoredWhileItsKeyIsComparedIsTheOnlyOne() {
    let cache = MemoCache<ComparedKey, Int>(pressure: nil)
    cache[ComparedKey(number: 1)] = 1
    ComparedKey.meanwhile.withLock { meanwhile in
      meanwhile = { cache[ComparedKey(number: 2)] = 20 }
    }
    cache[ComparedKey(number: 2)] = 2
    XCTAssertEqual(cache[ComparedKey(number: 2)], 20)
    XCTAssertEqual(cache.statistics.count, 2)
  }

  func testTheCacheIsASimpleModelWhateverIsCalled() {
    for seed in 1...20 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let (clock, evicted) = (ManualClock(), Recorder<Int>())
      var (limits, now, evictions) = (MemoLimits(count: 6), 0, [Int]())
      let cache = MemoCache<Int, Int>(
        limits: limits, clock: clock, pressure: nil, onEviction: { key, _ in evicted.record(key) })
      // In the order of use.
      var model: [(key: Int, value: Int, cost: Int, born: Int)] = []
      func ageOut() {
        guard let age = limits.age else { return }
        model.removeAll { entry in
          guard .seconds(now - entry.born) >= age else { return false }
          evictions.append(entry.key)
          return true
        }
      }
      func fit(_ limits: MemoLimits) {
        while model.count > limits.count ?? .max
          || model.reduce(0, { $0 + $1.cost }) > limits.cost ?? .max
        {
          evictions.append(model.removeFirst().key)
        }
      }
      func add(_ key: Int, _ value: Int, _ cost: Int) {
        model.removeAll { $0.key == key }
        guard cost <= limits.cost ?? .max else { return }
        model.append((key, value, cost, now))
        fit(limits)
      }
      func use(_ key: Int) -> Int? {
        guard let place = model.firstIndex(where: { $0.key == key }) else { return nil }
        model.append(model.remove(at: place))
        return model.last?.value
      }
      for step in 0..<2000 {
        let key = Int.random(in: 0..<12, using: &generator)
        let number = Int.random(in: 0..<10, using: &generator)
        ageOut()
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: XCTAssertEqual(cache[key], use(key))
        case 3, 4:
          cache.set(step, for: key, cost: number)
          add(key, step, number)
        case 5:
          let known = use(key)
          XCTAssertEqual(cache[key, or: { step }], known ?? step)
          if known == nil { add(key, step, 1) }
        case 6: XCTAssertEqual(cache.peek(key), model.first { $0.key == key }?.value)
        case 7:
          XCTAssertEqual(cache.remove(key), model.contains { $0.key == key })
          model.removeAll { $0.key == key }
        case 8:
          clock.advance(by: .seconds(1))
          now += 1
        default:
          limits = MemoLimits(
            count: number < 4 ? nil : number, cost: key < 4 ? nil : 2 * key,
            age: number % 3 == 0 ? nil : .seconds(key + 1))
          if key == 0, number == 0 {
            cache.trim(to: MemoLimits(count: 2))
            fit(MemoLimits(count: 2))
            limits = cache.limits
          } else {
            cache.limits = limits
            ageOut()
            fit(limits)
          }
        }
        XCTAssertEqual(
          cache.statistics.totalCost,
          {
            ageOut(); return model.reduce(0) { $0 + $1.cost }
          }())
      }
      XCTAssertEqual(evicted.entries.sorted(), evictions.sorted(), "seed \(seed)")
    }
  }
}
