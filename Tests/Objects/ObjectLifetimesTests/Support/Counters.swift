import Glibc
import Synchronization
import XCTest

/// Numbers that many threads count up.
final class Counters: Sendable {
  private let numbers: Mutex<[Int]>

  init(_ count: Int) { numbers = Mutex(Array(repeating: 0, count: count)) }

  func increment(_ index: Int) { numbers.withLock { $0[index] += 1 } }

  subscript(_ index: Int) -> Int { numbers.withLock { $0[index] } }

  var sum: Int { numbers.withLock { $0.reduce(0, +) } }
}

/// Lets threads go on when all of them have come.
final class Gate: Sendable {
  private let missing: Atomic<Int>

  init(_ count: Int) { missing = Atomic(count) }

  func pass() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { sched_yield() }
  }
}

/// Lets two threads do their steps side by side.
final class Lockstep: Sendable {
  private let first = Atomic(-1)
  private let second = Atomic(-1)

  /// Returns when the other thread has come to this step, too.
  func meet(_ step: Int, isFirst: Bool) {
    if isFirst {
      first.store(step, ordering: .releasing)
      while second.load(ordering: .acquiring) < step { sched_yield() }
    } else {
      second.store(step, ordering: .releasing)
      while first.load(ordering: .acquiring) < step { sched_yield() }
    }
  }
}

/// Fails the test if a closure throws; unlike `XCTAssertNoThrow`, also in closures that do not
/// throw.
func expectSuccess<Result>(
  file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
) {
  do {
    _ = try body()
  } catch {
    XCTFail("\(error)", file: file, line: line)
  }
}

/// Tells threads that they are done.
final class DoneFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}
