import CBlockRuntimeThreads.Barriers
import Glibc
import Synchronization
import XCTest

/// The signals that a wait has received.
private let signals = Atomic(0)
private let signalLimit = 1000

/// Sends a signal to the process each millisecond, or no more.
private func sendSignals(each microseconds: Int) {
  let interval = timeval(tv_sec: 0, tv_usec: microseconds)
  var timer = itimerval(it_interval: interval, it_value: interval)
  unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
}

/// The wait that replaces a barrier where the kernel refuses that.
final class StoreWaitTests: XCTestCase {
  func testSignalsDoNotProlongIt() {
    let last = signal(SIGALRM) { _ in
      if signals.add(1, ordering: .relaxed).newValue == signalLimit { sendSignals(each: 0) }
    }
    defer { signal(SIGALRM, last) }
    XCTAssertEqual(signals.load(ordering: .relaxed), 0)
    sendSignals(each: 1000)
    XCTAssertTrue(cbr_wait_for_stores())
    sendSignals(each: 0)
    XCTAssertGreaterThan(signals.load(ordering: .relaxed), 0)
    XCTAssertLessThan(signals.load(ordering: .relaxed), signalLimit)
  }
}
