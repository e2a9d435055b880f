import Glibc
import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

private class Base {}
private final class Watched<Value>: Base {}
private final class Later<Value>: Base {}
private enum Level<Outer> {}

/// Hooks of all objects of a class, and specialised generic classes, which no list of the runtime has.
final class WatchedGenericTests: XCTestCase {
  /// Makes an object of a class that the program does not have yet.
  private static func make<Value>(_: Value.Type, depth: Int) -> Base {
    depth == 0 ? Later<Value>() : make(Level<Value>.self, depth: depth - 1)
  }

  func testAGenericSubclassThatWasWatchedBeforeIsIncluded() throws {
    try onDeinit(of: Watched<Int>()) {}
    let types = Recorder<String>()
    let hook = try onDeinit(ofInstances: Base.self) { types.record("\($0.type)") }
    drop { Watched<Int>() }
    try hook.includeLoadedSubclasses()
    drop { Watched<Int>() }
    hook.remove()
    drop { Watched<Int>() }
    XCTAssertEqual(types.entries, ["Watched<Int>", "Watched<Int>"])
  }

  /// The second thread finds the class watched, but its object may not die without the hook.
  func testAnObjectWhoseClassAnotherThreadBeginsToWatchHasTheHook() throws {
    let count = Tally()
    let hook = try onDeinit(ofInstances: Base.self) { _ in count.increment() }
    defer { hook.remove() }
    let rounds = shortened(1_000)
    for round in 0..<rounds {
      let group = ThreadGroup()
      let meeting = Meeting()
      for _ in 0..<2 {
        group.start {
          let object = Self.make(Never.self, depth: round)
          meeting.meet(2)
          expectSuccess { try onDeinit(of: object) {} }
        }
      }
      group.wait()
    }
    XCTAssertEqual(count.value, 2 * rounds)
  }

  /// A hook is installed while a class begins to be watched: one of the two finds the other.
  func testAHookThatIsInstalledMeanwhileIsNotMissed() throws {
    let rounds = shortened(300)
    for round in 0..<rounds {
      let count = Tally()
      let installed = Mutex<ClassDeinitHook?>(nil)
      let group = ThreadGroup()
      let meeting = Meeting()
      group.start {
        let object = Self.make(Void.self, depth: round)
        meeting.meet(2)
        expectSuccess { try onDeinit(of: object) {} }
        withExtendedLifetime(object) { meeting.meet(4) }
      }
      group.start {
        meeting.meet(2)
        expectSuccess {
          let hook = try onDeinit(ofInstances: Base.self) { _ in count.increment() }
          installed.withLock { $0 = hook }
        }
        meeting.meet(4)
      }
      group.wait()
      installed.withLock { $0 }?.remove()
      XCTAssertEqual(count.value, 1)
    }
  }
}

/// Where threads wait for each other.
private final class Meeting: Sendable {
  private let arrived = Atomic(0)

  /// Returns once that many have arrived.
  func meet(_ number: Int) {
    arrived.add(1, ordering: .acquiringAndReleasing)
    while arrived.load(ordering: .acquiring) < number { sched_yield() }
  }
}

private final class Tally: Sendable {
  private let number = Atomic(0)
  var value: Int { number.load(ordering: .relaxed) }
  func increment() { number.add(1, ordering: .relaxed) }
}
