import DelayedBlocks
import IsolatedClosures
import TestSupport
import XCTest

/// Debouncers and throttlers of actors and of scopes.
final class IsolatedRateTests: XCTestCase {
  private let clock = ManualClock()
  private var timer: DelayTimer { DelayTimer(clock: clock) }

  @MainActor private final class Search {
    private(set) var results: [String] = []

    func debouncer(_ timer: DelayTimer) -> Debouncer<String> {
      isolated(timer).debouncer(delay: .seconds(1)) { [weak self] text in
        self?.results.append(text)
      }
    }

    func plain(_ timer: DelayTimer) -> (Debouncer<Void>, Throttler<Void>) {
      (
        isolated(timer).debouncer(delay: .seconds(1)) { self.results.append("rest") },
        isolated(timer).throttler(interval: .seconds(1)) { self.results.append("step") }
      )
    }

    func throttler(_ timer: DelayTimer) -> Throttler<Int> {
      isolated(timer).throttler(interval: .seconds(1)) { number in
        self.results.append("\(number)")
      }
    }
  }

  @MainActor func testClosuresOfAnActorRunInlineUnderAManualClock() {
    let search = Search()
    let debouncer = search.debouncer(timer)
    debouncer("s")
    debouncer("sw")
    clock.advance(by: .seconds(1))
    XCTAssertEqual(search.results, ["sw"])
    let throttler = search.throttler(timer)
    for number in 1...3 { throttler(number) }
    clock.advance(by: .seconds(1))
    XCTAssertEqual(search.results, ["sw", "1", "3"])
    let (plain, steps) = search.plain(timer)
    plain()
    steps()
    clock.advance(by: .seconds(1))
    XCTAssertEqual(search.results, ["sw", "1", "3", "step", "rest"])
  }

  @MainActor func testARealTimerBringsThemToTheActor() async {
    var continuation: CheckedContinuation<String, Never>?
    let debouncer = isolated(DelayTimer.shared).debouncer(delay: .milliseconds(1)) {
      (text: String) in
      MainActor.assertIsolated()
      continuation?.resume(returning: text)
      continuation = nil
    }
    let text = await withCheckedContinuation { waiting in
      continuation = waiting
      debouncer("only")
    }
    XCTAssertEqual(text, "only")
  }

  @MainActor func testTheyDoNotRunWhereAnotherThreadAdvancesTheClock() {
    let search = Search()
    let (debouncer, clock) = (search.debouncer(timer), clock)
    debouncer("lost")
    let thread = ThreadGroup()
    thread.start { clock.advance(by: .seconds(1)) }
    thread.wait()
    XCTAssertEqual(search.results, [])
  }

  func testThoseOfAScopeEndWithIt() {
    var texts: [String] = []
    let (tracker, timer) = (LifetimeTracker(), timer)
    var kept: Debouncer<String>?
    withIsolationScope { scope in
      let debouncer = scope.isolated(timer).debouncer(delay: .seconds(1)) {
        [object = tracker.track()] (text: String) in
        withExtendedLifetime(object) { texts.append(text) }
      }
      debouncer("one")
      clock.advance(by: .seconds(1))
      debouncer("late")
      kept = debouncer
    }
    tracker.expectNothingAlive()
    clock.advance(by: .seconds(1))
    XCTAssertEqual(texts, ["one"])
    kept?("later")
    clock.advance(by: .seconds(1))
    XCTAssertEqual(texts, ["one"])
    withIsolationScope { scope in
      let real = scope.isolated(DelayTimer.shared).debouncer(delay: .zero, edges: .leading) {
        texts.append("real")
      }
      real()
    }
    XCTAssertEqual(texts, ["one"])
  }
}
