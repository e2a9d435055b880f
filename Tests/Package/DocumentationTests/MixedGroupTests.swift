#if Everything
import BlockRuntime
import BlockRuntimeErrors
import TestSupport
import XCTest

/// Groups of hooks on targets of every kind: all or none.
final class MixedGroupTests: XCTestCase {
  private struct Failure: Error {}

  private var targets: [TargetTable.Target] {
    get throws {
      try XCTSkipIf(isSanitized, "Swift's own methods are not hooked under a sanitizer")
      return try TargetTable.rows.map { try $0() }
    }
  }

  /// A hook on each target that counts its calls.
  private func members(
    _ targets: [TargetTable.Target], _ calls: Recorder<String>, _ tracker: LifetimeTracker
  ) -> [HookGroup.Member] {
    targets.map { target in
      target.subject.with(
        .before { [tracked = tracker.track(), name = target.name] _ in
          withExtendedLifetime(tracked) { calls.record(name) }
        })
    }
  }

  private func expectCalls(
    _ targets: [TargetTable.Target], _ calls: Recorder<String>, areHooked: Bool,
    _ comment: String, line: UInt = #line
  ) {
    for target in targets {
      XCTAssertEqual(target.call(), 42, target.name, line: line)
      // The object also runs the hook of its class, inside of its own.
      XCTAssertEqual(
        calls.take().first, areHooked ? target.name : nil, "\(target.name), \(comment)", line: line)
      XCTAssertEqual(target.subject.hooks.count, areHooked ? 1 : 0, target.name, line: line)
    }
  }

  func testAGroupOfAllTargetsIsInstalledSuspendedResumedAndRemovedAsOne() throws {
    let (targets, calls, tracker) = (try targets, Recorder<String>(), LifetimeTracker())
    let group = try HookGroup(members(targets, calls, tracker))
    XCTAssertTrue(group.isInstalled)
    expectCalls(targets, calls, areHooked: true, "installed")
    XCTAssertEqual(group.suspend(), targets.count)
    expectCalls(targets, calls, areHooked: false, "suspended")
    XCTAssertEqual(try group.resume(), targets.count)
    expectCalls(targets, calls, areHooked: true, "resumed")
    XCTAssertEqual(group.removeAndWait(), targets.count)
    expectCalls(targets, calls, areHooked: false, "removed")
    XCTAssertEqual(try group.resume(), 0)
    tracker.expectNothingAlive()
  }

  func testNoneIsInstalledWhicheverMemberFails() throws {
    let (targets, calls) = (try targets, Recorder<String>())
    let block = try Block(signature: "v@?") { _ in }
    for place in 0...targets.count {
      let tracker = LifetimeTracker()
      var members = members(targets, calls, tracker)
      members.insert(block.with(.failing(with: Failure())), at: place)
      XCTAssertThrowsError(try HookGroup(members)) { error in
        let error = error as? HookError
        XCTAssertEqual(error?.code, .cannotThrow)
        let prefix = "hook \(place + 1) of \(targets.count + 1): "
        XCTAssertTrue(error?.message.hasPrefix(prefix) ?? false, "\(error as Any)")
      }
      members = []
      expectCalls(targets, calls, areHooked: false, "member \(place) fails")
      tracker.expectNothingAlive()
    }
  }

  func testNoneIsResumedWhicheverMemberFails() throws {
    let (targets, calls, tracker) = (try targets, Recorder<String>(), LifetimeTracker())
    let full = try Block(signature: "v@?") { _ in }
    for _ in 0..<999 { try full.hook(.death) { _ in } }
    for place in 0...targets.count {
      var members = members(targets, calls, tracker)
      members.insert(full.with(.before { _ in }), at: place)
      let group = try HookGroup(members)
      group.suspend()
      let last = try full.hook(.death) { _ in }
      expectError(.tooManyHooks) { try group.resume() }
      expectCalls(targets, calls, areHooked: false, "member \(place) fails")
      XCTAssertTrue(group.hooks.allSatisfy(\.isSuspended))
      last.remove()
      XCTAssertEqual(try group.resume(), targets.count + 1)
      expectCalls(targets, calls, areHooked: true, "resumed")
      XCTAssertEqual(group.remove(), targets.count + 1)
    }
    tracker.expectNothingAlive()
  }
}
#endif
