import ObjectLifetimes
import TestSupport
import XCTest

final class SynchronizedTests: XCTestCase {
  private final class Counter: @unchecked Sendable {
    var count = 0
    deinit { synchronized(on: self) { count += 1 } }
  }

  func testOneThreadAtATimeHasTheLockOfAnObject() {
    let counters = [Counter(), Counter()]
    let group = ThreadGroup()
    for _ in 0..<4 {
      group.start {
        for number in 0..<10_000 {
          let counter = counters[number % 2]
          synchronized(on: counter) {
            // A thread that has the lock takes it again.
            synchronized(on: counter) { counter.count += 1 }
          }
        }
      }
    }
    group.wait()
    XCTAssertEqual(counters.map(\.count), [20_000, 20_000])
    XCTAssertEqual(ObjectLock.count, 0)
  }

  func testTheLocksOfTwoObjectsAreIndependent() {
    let (first, second) = (Counter(), Counter())
    synchronized(on: first) {
      let group = ThreadGroup()
      group.start { synchronized(on: second) { second.count = 5 } }
      group.wait()
    }
    XCTAssertEqual(second.count, 5)
  }

  func testAnErrorReleasesTheLock() {
    struct Failure: Error {}
    let counter = Counter()
    XCTAssertThrowsError(try synchronized(on: counter) { throw Failure() })
    let group = ThreadGroup()
    group.start { synchronized(on: counter) { counter.count = 1 } }
    group.wait()
    XCTAssertEqual(counter.count, 1)
    XCTAssertEqual(synchronized(on: counter) { counter.count + 1 }, 2)
    XCTAssertEqual(ObjectLock.count, 0)
  }
}
