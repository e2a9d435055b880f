import DelayedBlocks
import Dispatch
import KeyValueObserving
import TestSupport
import XCTest

/// What is delivered elsewhere is in the order of the changes, whatever observers on the thread do.
final class DeliveryOrderTests: XCTestCase {
  private final class Part: KeyValueObservable, @unchecked Sendable {
    @Observed var size = 0
  }

  private final class Meter: KeyValueObservable, @unchecked Sendable {
    let lock = Locking()
    @Observed var value = 0
    @Observed var limit: Int?
    @Observed var items: [Int] = []
    @Observed var part = Part()
    var twice: Int { value * 2 }
    var sum: Int { value + (limit ?? 0) }
  }

  private final class Locking: Sendable {
    private let queue = DispatchQueue(label: "lock")
    func callAsFunction(_ body: () -> Void) { queue.sync(execute: body) }
  }

  /// Observes a value in every way, with an observer before and one after that change it again.
  ///
  /// - Parameters:
  ///   - path: The value.
  ///   - nested: What an observer does within its call, the first time.
  ///   - change: The first change.
  ///   - expected: The changes.
  ///   - line: The test's line.
  private func expect<Value: Sendable & Equatable>(
    _ path: KeyPath<Meter, Value>, _ nested: @escaping @Sendable (Meter) -> Void,
    _ change: (Meter) -> Void, _ expected: [Change<Value>], line: UInt = #line
  ) async {
    for isBefore in [true, false] {
      for more: ObservingOptions in [[], .inOrder, .prior, .distinct] {
        let meter = Meter()
        let isDone = Recorder<Bool>()
        let observe = {
          _ = meter.observe(path) { meter, _ in
            guard isDone.entries.isEmpty else { return }
            isDone.record(true)
            nested(meter)
          }
        }
        if isBefore { observe() }
        let options: ObservingOptions = more.union([.old, .new])
        let queue = DispatchQueue(label: "observer")
        let logs = (0..<2).map { _ in Recorder<Change<Value>>() }
        meter.observe(path, options: options, on: .queue(queue)) { logs[0].record($0) }
        meter.observe(path, options: options, on: .inline) { logs[1].record($0) }
        let first = meter[keyPath: path]
        let every = meter.changes(of: path, options: options)
        let latest = meter.changes(of: path, options: options, buffering: .latest)
        let coalesced = meter.changes(of: path, options: options, buffering: .coalesced)
        if !isBefore { observe() }
        change(meter)
        queue.sync {}
        meter.removeObservers()
        let name = "before \(isBefore), options \(more)"
        var seen: [Change<Value>] = []
        for await change in every { seen.append(change) }
        for log in logs.map(\.entries) + [seen] {
          XCTAssertEqual(log.filter { !$0.isPrior }, expected, name, line: line)
        }
        seen = []
        for await change in latest { seen.append(change) }
        XCTAssertEqual(seen, [expected.last].compactMap { $0 }, name, line: line)
        seen = []
        for await change in coalesced { seen.append(change) }
        let last = meter[keyPath: path]
        let isLeftOut = options.contains(.distinct) && first == last
        XCTAssertEqual(seen.last?.new, isLeftOut ? nil : last, name, line: line)
      }
    }
  }

  func testAnInlineTargetThatMakesChangesLeavesOthersTheirOrder() {
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let logs = (0..<3).map { _ in Recorder<Change<Int>>() }
    meter.observe(\.value, on: .inline) { [weak meter] in if $0.new == 1 { meter?.value = 2 } }
    meter.observe(\.value, options: [.old, .new], on: .inline) { logs[0].record($0) }
    meter.observe(\.sum, options: [.old, .new], on: .inline) { logs[1].record($0) }
    meter.observe(\.sum, options: [.old, .new], on: .queue(queue)) { logs[2].record($0) }
    meter.value = 1
    queue.sync {}
    for log in logs {
      XCTAssertEqual(log.entries, [Change(old: 0, new: 1), Change(old: 1, new: 2)])
    }
  }

  func testChangesWithinCallsAreDeliveredAfterTheChangeOfTheCall() async {
    let all = [Change(old: 0, new: 1), Change(old: 1, new: 2)]
    await expect(\.value, { $0.value = 2 }, { $0.value = 1 }, all)
    await expect(\.part.size, { $0.part.size = 2 }, { $0.part.size = 1 }, all)
    await expect(\.part.size, { $0.part.size = 2 }, { $0.part.size += 1 }, all)
    await expect(
      \.twice, { $0.value = 2 }, { $0.value = 1 }, [Change(old: 0, new: 2), Change(old: 2, new: 4)])
    await expect(
      \.sum, { $0.limit = 5 }, { $0.value = 1 }, [Change(old: 0, new: 1), Change(old: 1, new: 6)])
    await expect(
      \.value.description, { $0.value = 2 }, { $0.value = 1 },
      [Change(old: "0", new: "1"), Change(old: "1", new: "2")])
  }

  func testChangesOfCollectionsWithinCallsAreDeliveredInTheirOrder() async {
    await expect(
      \.items, { $0.$items.append(2) }, { $0.$items.append(1) },
      [
        Change(kind: .insertion, new: [1], indexes: RangeSet(0..<1)),
        Change(kind: .insertion, new: [2], indexes: RangeSet(1..<2)),
      ])
    await expect(
      \.items, { _ = try? $0.$items.remove(at: 0) }, { $0.$items.append(1) },
      [
        Change(kind: .insertion, new: [1], indexes: RangeSet(0..<1)),
        Change(kind: .removal, old: [1], indexes: RangeSet(0..<1)),
      ])
  }

  func testChangesWithinCallsAtTheEndOfATransactionAreDeliveredAfterIt() async {
    await expect(
      \.value, { $0.value = 3 },
      { meter in
        withChangeTransaction {
          meter.value = 1
          meter.value = 2
        }
      }, [Change(old: 0, new: 2), Change(old: 2, new: 3)])
    await expect(
      \.value, { meter in withChangeTransaction { meter.value = 2 } }, { $0.value = 1 },
      [Change(old: 0, new: 1), Change(old: 1, new: 2)])
  }

  func testChangesOfThreadsUnderALockAreDeliveredInTheirOrder() {
    let meter = Meter()
    let log = Recorder<Change<Int>>()
    let sums = Recorder<Int>()
    let queue = DispatchQueue(label: "observer")
    // Each change makes another within its call.
    meter.observe(\.value) { meter, _ in if meter.value % 2 == 1 { meter.value += 1 } }
    meter.observe(\.value, options: [.old, .new, .inOrder], on: .queue(queue)) { log.record($0) }
    meter.observe(\.sum, on: .queue(queue)) { sums.record($0.new ?? -1) }
    meter.observe(\.value) { meter, _ in if meter.value % 4 == 2 { meter.value += 1 } }
    let rounds = shortened(500)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<rounds { meter.lock { meter.value += 1 } }
    }
    queue.sync {}
    let last = meter.value
    XCTAssertEqual(log.entries, (1...last).map { Change(old: $0 - 1, new: $0) })
    XCTAssertEqual(sums.entries, Array(1...last))
  }

  func testObserversElsewhereAreToldBeforeObserversHereAreCalled() {
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let told = DispatchSemaphore(value: 0)
    // Waits for what is observed elsewhere, and was registered later.
    meter.observe(\.value) { _, _ in told.wait() }
    meter.observe(\.value, on: .queue(queue)) { _ in told.signal() }
    meter.value = 1
    XCTAssertEqual(meter.value, 1)
  }
}
