import BlockRuntime
import Foundation
import Synchronization
import TestSupport
import XCTest

/// A timer keeps its closure, the closure its object, and the object its timer: none of them goes.
final class TimerCycleTests: XCTestCase {
  private let tracker = LifetimeTracker()
  private let clock = ManualClock()
  private lazy var timer = DelayTimer(clock: clock, on: .inline)

  /// What wants to be called every second.
  private final class Page: MessageReceiver, Sendable {
    private let tracked: LifetimeTracker.Tracked
    private let ticks = Recorder<Void>()
    private let block = Mutex<RepeatingBlock?>(nil)

    init(_ tracker: LifetimeTracker) { tracked = tracker.track() }

    var count: Int { ticks.entries.count }
    func tick() { ticks.record(()) }
    func keep(_ timer: RepeatingBlock) { block.withLock { $0 = timer } }
    func stop() { block.withLock { $0.take() }?.cancel() }

    static var methods: MethodTable { MethodTable(Page.self) { Method("tick", Page.tick) } }
  }

  /// Foundation's timer: who scheduled it holds nothing any more, and the page lives on.
  func testFoundationsTimerKeepsWhatItsClosureCaptures() throws {
    weak var page: Page?
    var timer: Timer?
    do {
      let made = Page(tracker)
      page = made
      timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in made.tick() }
    }
    let limit = Date(timeIntervalSinceNow: 30)
    while page?.count ?? 0 < 2, Date() < limit {
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    // Given up by everybody, and still ticking.
    XCTAssertGreaterThanOrEqual(page?.count ?? 0, 2)
    timer?.invalidate()
    timer = nil
    // On Linux not even that helps (Swift 6.3): an invalidated timer never lets go of its closure.
    try XCTSkipIf(page == nil, "this Foundation's timers let go of their closures")
    XCTAssertNotNil(page)
  }

  /// Ours has the cycle too where a plain closure captures the page: a closure is a closure.
  func testAPlainClosureMakesTheCycleHereToo() throws {
    weak var page: Page?
    do {
      let made = Page(tracker)
      page = made
      made.keep(try timer.repeat(every: .seconds(1)) { _ in made.tick() })
    }
    clock.advance(by: .seconds(3))
    XCTAssertEqual(page?.count, 3)
    // But cancelling breaks it, at once.
    page?.stop()
    tracker.expectNothingAlive()
  }

  /// The first cure: the block belongs to the page, is handed its owner, and ends with it.
  func testABlockThatBelongsToThePageEndsWithIt() throws {
    do {
      let page = Page(tracker)
      page.keep(try timer.repeat(every: .seconds(1), for: page) { page, _ in page.tick() })
      clock.advance(by: .seconds(3))
      XCTAssertEqual(page.count, 3)
      XCTAssertEqual(timer.pendingCount, 1)
    }
    tracker.expectNothingAlive()
    // Nobody had to remember to stop anything.
    XCTAssertEqual(timer.pendingCount, 0)
  }

  /// The second, the classic one: the timer keeps a proxy, which refers to the page weakly.
  func testAProxyStandsBetweenTheTimerAndThePage() throws {
    do {
      let page = Page(tracker)
      // SAFETY: everything runs on this thread.
      nonisolated(unsafe) let proxy = WeakProxy(page)
      page.keep(
        try timer.repeat(every: .seconds(1)) { _ in _ = unsafe try? proxy.send("tick") })
      clock.advance(by: .seconds(3))
      XCTAssertEqual(page.count, 3)
    }
    tracker.expectNothingAlive()
    // The page is gone, yet the block goes on sending to a proxy that answers for the dead: this
    // cure needs somebody who cancels, such as the page's deinit.
    XCTAssertEqual(timer.pendingCount, 1)
  }
}
