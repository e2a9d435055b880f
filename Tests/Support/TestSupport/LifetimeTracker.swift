private import Synchronization
import XCTest

/// Counts the objects that a test makes and that are still alive.
public final class LifetimeTracker: Sendable {
  private let count = Mutex(0)

  /// Creates a tracker without objects.
  public init() {}

  /// An object that its tracker counts while it is alive.
  public final class Tracked: Sendable {
    private let tracker: LifetimeTracker

    fileprivate init(_ tracker: LifetimeTracker) {
      self.tracker = tracker
      tracker.count.withLock { $0 += 1 }
    }

    deinit { tracker.count.withLock { $0 -= 1 } }
  }

  /// How many of the objects are alive.
  public var alive: Int { count.withLock { $0 } }

  /// Makes an object that a closure can capture.
  public func track() -> Tracked { Tracked(self) }

  /// Fails the test if an object made by the tracker is still alive.
  public func expectNothingAlive(file: StaticString = #filePath, line: UInt = #line) {
    XCTAssertEqual(alive, 0, "objects are still alive", file: file, line: line)
  }
}
