import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// The hooks of one object: an only one has no record, the first of several is stored in the record,
/// the others in an array.
final class HookListTests: XCTestCase {
  private final class Thing: Sendable {}

  /// Notes the state of a hook when what the hook's closure captured is destroyed.
  private final class Witness: Sendable {
    let hook = Mutex<DeinitHook?>(nil)
    let stateAtTheEnd = Mutex<DeinitHook.State?>(nil)
  }

  private final class Captured: Sendable {
    private let witness: Witness

    init(_ witness: Witness) { self.witness = witness }

    deinit {
      let state = witness.hook.withLock { $0?.state }
      witness.stateAtTheEnd.withLock { $0 = state }
    }
  }

  func testTheOnlyHookOfAnObjectAllocatesNoRecord() {
    // The object and a hook.
    XCTAssertEqual(allocations { Self.end(hooks: 1) }, 2)
    // Another hook, a record, and a list.
    XCTAssertEqual(allocations { Self.end(hooks: 2) }, 5)
  }

  func testHooksBehindARemovedFirstOneRunInTheirOrder() throws {
    for removed in [[0], [0, 1], [0, 2], [1], [3], [0, 1, 2], [0, 1, 2, 3]] {
      let log = Mutex<[Int]>([])
      var thing: Thing? = Thing()
      var hooks: [DeinitHook] = []
      try withThing(&thing) { thing in
        for index in 0..<4 {
          hooks.append(try onDeinit(of: thing) { log.withLock { $0.append(index) } })
        }
        for index in removed { XCTAssertTrue(hooks[index].remove()) }
        hooks.append(try onDeinit(of: thing) { log.withLock { $0.append(4) } })
        hooks.append(try onDeinit(of: thing, .before) { log.withLock { $0.append(5) } })
      }
      thing = nil
      let remaining = (0..<4).filter { !removed.contains($0) }
      XCTAssertEqual(log.withLock { $0 }, [5] + remaining + [4], "\(removed)")
      XCTAssertEqual(hooks.map(\.state).filter { $0 == .removed }.count, removed.count)
      XCTAssertFalse(hooks[4].remove())
    }
  }

  func testGapsAreClosedFromTheFirstHookOn() throws {
    let log = Mutex<[Int]>([])
    var thing: Thing? = Thing()
    try withThing(&thing) { thing in
      var hooks: [DeinitHook] = []
      for index in 0..<40 {
        let position: DeinitHook.Position = index % 7 == 0 ? .before : .after
        hooks.append(try onDeinit(of: thing, position) { log.withLock { $0.append(index) } })
      }
      // More than half of them: the others get new indices, by which they are removed, too.
      for index in 0..<30 { XCTAssertTrue(hooks[index].remove()) }
      for index in [30, 39] { XCTAssertTrue(hooks[index].remove()) }
    }
    thing = nil
    XCTAssertEqual(log.withLock { $0 }, [35, 31, 32, 33, 34, 36, 37, 38])
  }

  func testAClosureIsFreedBeforeItsHookHasFinished() throws {
    var thing: Thing? = Thing()
    let witness = Witness()
    weak var captured: Captured?
    do {
      let new = Captured(witness)
      captured = new
      try withThing(&thing) { thing in
        let hook = try onDeinit(of: thing) { withExtendedLifetime(new) {} }
        witness.hook.withLock { $0 = hook }
      }
    }
    XCTAssertNotNil(captured)
    thing = nil
    XCTAssertNil(captured)
    XCTAssertEqual(witness.stateAtTheEnd.withLock { $0 }, .running)
    XCTAssertEqual(witness.hook.withLock { $0?.state }, .finished)
  }

  private func withThing(_ thing: inout Thing?, _ body: (Thing) throws -> Void) throws {
    try body(XCTUnwrap(thing))
  }

  private static func end(hooks: Int) {
    let thing = Thing()
    for _ in 0..<hooks { _ = try? onDeinit(of: thing) {} }
  }
}
