import DelayedBlocks
import Synchronization
import TestSupport
import XCTest

final class RateTests: XCTestCase {
  /// Calls at times, in milliseconds; the closure's runs as `time:input`, the input being the time
  /// of its call.
  private func runs(
    calls: [Int], until end: Int = 2000,
    of make: (DelayTimer, @escaping @Sendable (Int) -> Void) -> (Int) -> Void
  ) -> [String] {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    let call = make(manual.timer) { [clock = manual.clock] input in
      runs.record("\(clock.now.nanoseconds / 1_000_000):\(input)")
    }
    for time in calls {
      manual.clock.advance(to: DelayTimer.Instant(nanoseconds: UInt64(time) * 1_000_000))
      call(time)
    }
    manual.clock.advance(to: DelayTimer.Instant(nanoseconds: UInt64(end) * 1_000_000))
    XCTAssertEqual(manual.timer.pendingCount, 0)
    return runs.entries
  }

  func testADebouncerRunsAtTheEdgesOfABurst() {
    let table: [(RateEdges, maximum: Int?, calls: [Int], runs: [String])] = [
      (.trailing, nil, [10, 50, 90], ["190:90"]),
      (.trailing, nil, [10, 150], ["110:10", "250:150"]),
      (.leading, nil, [10, 50, 90, 200, 290], ["10:10", "200:200"]),
      ([.leading, .trailing], nil, [10], ["10:10"]),
      ([.leading, .trailing], nil, [10, 50, 300], ["10:10", "150:50", "300:300"]),
      ([], nil, [10, 50], []),
      // Calls every 50 ms are never quiet: the maximum wait forces runs.
      (.trailing, 120, [0, 50, 100, 150, 200, 250], ["120:100", "270:250"]),
      ([.leading, .trailing], 120, [0, 50, 100, 150, 200], ["0:0", "170:150", "300:200"]),
    ]
    for (edges, maximum, calls, expected) in table {
      let seen = runs(calls: calls) { timer, action in
        let debouncer = Debouncer<Int>(
          delay: .milliseconds(100), edges: edges,
          maximumWait: maximum.map { .milliseconds($0) }, timer: timer, action)
        return { debouncer($0) }
      }
      XCTAssertEqual(seen, expected, "\(edges.rawValue) \(String(describing: maximum)) \(calls)")
    }
  }

  func testAThrottlerRunsAtMostOnceInAnInterval() {
    let table: [(RateEdges, calls: [Int], runs: [String])] = [
      ([.leading, .trailing], [0, 10, 20], ["0:0", "100:20"]),
      ([.leading, .trailing], [0, 10, 115, 130, 500], ["0:0", "100:10", "200:130", "500:500"]),
      ([.leading, .trailing], [0, 100, 200], ["0:0", "100:100", "200:200"]),
      (.leading, [0, 10, 99, 100, 150], ["0:0", "100:100"]),
      (.trailing, [0, 10, 150], ["100:10", "200:150"]),
      ([], [0, 10], []),
    ]
    for (edges, calls, expected) in table {
      let seen = runs(calls: calls) { timer, action in
        let throttler = Throttler<Int>(
          interval: .milliseconds(100), edges: edges, timer: timer, action)
        return { throttler($0) }
      }
      XCTAssertEqual(seen, expected, "\(edges.rawValue) \(calls)")
    }
  }

  func testWhatWaitsIsDroppedOrRunNow() {
    let manual = ManualTimer()
    let runs = Recorder<Int>()
    let debouncer = Debouncer<Int>(delay: .seconds(1), timer: manual.timer) { runs.record($0) }
    let throttler = Throttler<Int>(interval: .seconds(1), timer: manual.timer) { runs.record($0) }
    XCTAssertFalse(debouncer.cancel())
    XCTAssertFalse(throttler.flush())
    debouncer(1)
    XCTAssertTrue(debouncer.isPending)
    XCTAssertTrue(debouncer.cancel())
    XCTAssertFalse(debouncer.isPending)
    debouncer(2)
    XCTAssertTrue(debouncer.flush())
    XCTAssertFalse(debouncer.flush())
    throttler(3)
    throttler(4)
    XCTAssertTrue(throttler.cancel())
    throttler(5)
    XCTAssertTrue(throttler.flush())
    throttler(6)
    manual.clock.advance(by: .seconds(5))
    XCTAssertEqual(runs.entries, [2, 3, 5, 6])
  }

  func testDroppingOneFreesItsClosureAndWhatWaitedDoesNotRun() {
    let manual = ManualTimer()
    let tracker = LifetimeTracker()
    do {
      let debouncer = Debouncer<Int>(delay: .seconds(1), timer: manual.timer) {
        [object = tracker.track()] _ in withExtendedLifetime(object) { XCTFail("it ran") }
      }
      let throttler = Throttler<Int>(
        interval: .seconds(1), edges: .trailing, timer: manual.timer
      ) { [object = tracker.track()] _ in withExtendedLifetime(object) { XCTFail("it ran") } }
      debouncer(1)
      throttler(1)
      XCTAssertEqual(tracker.alive, 2)
    }
    tracker.expectNothingAlive()
    XCTAssertEqual(manual.timer.pendingCount, 0)
    manual.clock.advance(by: .seconds(5))
  }

  func testTheClosureMayCallItsOwnDebouncer() {
    let manual = ManualTimer()
    let runs = Recorder<Int>()
    let holder = Mutex<Debouncer<Int>?>(nil)
    let debouncer = Debouncer<Int>(delay: .seconds(1), timer: manual.timer) { input in
      runs.record(input)
      if input < 3 { holder.withLock { $0 }?(input + 1) }
    }
    holder.withLock { $0 = debouncer }
    debouncer(0)
    manual.clock.advance(by: .seconds(10))
    XCTAssertEqual(runs.entries, [0, 1, 2, 3])
    holder.withLock { $0 = nil }
  }

  func testARunThatBeginsAnotherBurstLeavesOneCheckPending() {
    let manual = ManualTimer()
    let holder = Mutex<Debouncer<Int>?>(nil)
    let runs = Recorder<Int>()
    let debouncer = Debouncer<Int>(
      delay: .seconds(1), maximumWait: .milliseconds(1500), timer: manual.timer
    ) { input in
      runs.record(input)
      guard input == 1 else { return }
      let debouncer = holder.withLock { $0 }
      debouncer?.cancel()
      debouncer?(2)
    }
    holder.withLock { $0 = debouncer }
    debouncer(1)
    manual.clock.advance(by: .milliseconds(900))
    debouncer(1)
    manual.clock.advance(by: .milliseconds(600))
    XCTAssertEqual(runs.entries, [1])
    XCTAssertEqual(manual.timer.pendingCount, 1)
    XCTAssertTrue(debouncer.cancel())
    XCTAssertEqual(manual.timer.pendingCount, 0)
    holder.withLock { $0 = nil }
  }

  func testWhatIsOnItsWayToABusyQueueIsTakenBack() {
    let queue = DispatchQueue(label: "busy")
    let manual = ManualTimer(target: .queue(queue))
    let runs = Recorder<Int>()
    queue.suspend()
    var debouncer: Debouncer<Int>? = Debouncer(delay: .seconds(1), timer: manual.timer) {
      runs.record($0)
    }
    var throttler: Throttler<Int>? = Throttler(interval: .seconds(1), timer: manual.timer) {
      runs.record($0)
    }
    debouncer?(1)
    throttler?(2)
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(debouncer?.isPending, true)
    XCTAssertEqual(debouncer?.cancel(), true)
    XCTAssertEqual(throttler?.cancel(), true)
    XCTAssertEqual(throttler?.isPending, false)
    debouncer?(3)
    throttler?(4)
    manual.clock.advance(by: .seconds(1))
    debouncer = nil
    throttler = nil
    queue.resume()
    queue.sync {}
    XCTAssertEqual(runs.entries, [])
  }

  func testInputsThatAreReplacedMayUseTheirDebouncerWhenTheyAreFreed() {
    let manual = ManualTimer()
    let debouncers = Mutex<Debouncer<Finaliser>?>(nil)
    let throttlers = Mutex<Throttler<Finaliser>?>(nil)
    let freed = Atomic(0)
    let debouncer = Debouncer<Finaliser>(delay: .seconds(1), timer: manual.timer) { _ in }
    let throttler = Throttler<Finaliser>(interval: .seconds(1), timer: manual.timer) { _ in }
    debouncers.withLock { $0 = debouncer }
    throttlers.withLock { $0 = throttler }
    @Sendable func input() -> Finaliser {
      Finaliser {
        _ = debouncers.withLock { $0 }?.isPending
        _ = throttlers.withLock { $0 }?.isPending
        freed.add(1, ordering: .relaxed)
      }
    }
    for _ in 0..<4 {
      debouncer(input())
      throttler(input())
    }
    debouncer.cancel()
    throttler.cancel()
    XCTAssertEqual(freed.load(ordering: .relaxed), 8)
    debouncers.withLock { $0 = nil }
    throttlers.withLock { $0 = nil }
  }

  func testAMaximumWaitIsNoShorterThanTheDelay() {
    XCTAssertEqual(
      runs(calls: [0, 300]) { timer, action in
        let debouncer = Debouncer<Int>(
          delay: .milliseconds(1000), maximumWait: .milliseconds(200), timer: timer, action)
        return { debouncer($0) }
      }, ["1000:300"])
  }

  func testCallsFromManyThreadsRunOnceAtTheEnd() {
    let manual = ManualTimer()
    let runs = Atomic(0)
    let debouncer = Debouncer<Void>(delay: .seconds(1), timer: manual.timer) {
      runs.add(1, ordering: .relaxed)
    }
    let throttler = Throttler<Void>(interval: .seconds(1), timer: manual.timer) {
      runs.add(1, ordering: .relaxed)
    }
    let threads = ThreadGroup()
    for _ in 0..<4 {
      threads.start {
        for _ in 0..<200 {
          debouncer()
          throttler()
        }
      }
    }
    threads.wait()
    manual.clock.advance(by: .seconds(10))
    // One of the debouncer, one at each edge of the throttler.
    XCTAssertEqual(runs.load(ordering: .relaxed), 3)
    XCTAssertEqual(manual.timer.pendingCount, 0)
  }

  /// BlocksKit's gesture handler: recognised, it runs after a delay, unless it is cancelled.
  func testAGestureHandlerIsDelayedAndCancelled() {
    final class Recognizer: Sendable {
      private let timer: DelayTimer
      private let handler: @Sendable (String) -> Void
      let pending = Mutex<DelayedBlock?>(nil)

      init(_ timer: DelayTimer, handler: @escaping @Sendable (String) -> Void) {
        self.timer = timer
        self.handler = handler
      }

      func recognise(_ gesture: String) {
        let block = timer.perform(after: .milliseconds(180), for: self) { $0.handler(gesture) }
        pending.withLock { $0 = block }
      }

      func cancel() -> Bool { pending.withLock { $0 }?.cancel() ?? false }
    }
    let manual = ManualTimer()
    let handled = Recorder<String>()
    var recognizer: Recognizer? = Recognizer(manual.timer) { handled.record($0) }
    recognizer?.recognise("single tap")
    manual.clock.advance(by: .milliseconds(100))
    // A second tap: it was no single one.
    XCTAssertEqual(recognizer?.cancel(), true)
    recognizer?.recognise("double tap")
    manual.clock.advance(by: .milliseconds(180))
    XCTAssertEqual(recognizer?.cancel(), false)
    recognizer?.recognise("never")
    recognizer = nil
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(handled.entries, ["double tap"])
  }
}
