import BlockABI
import BlockHooks
import CFixtures
import Dispatch
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

final class HookGroupTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  private func adding(_ number: Int32, name: String? = nil) -> HookDefinition {
    HookDefinition(.after, name: name) { call in
      try call.setResult(call.result(as: Int32.self) + number)
    }
  }

  func testAHookThatIsResumedInACallRunsInItsLaterPositions() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let positions = Recorder<CallFrame.Position>()
    let hook = try block.hook([.before, .after]) { positions.record($0.position) }
    try block.hook(priority: -1) { call in
      XCTAssertTrue(hook.suspend())
      try call.proceed()
      XCTAssertTrue(try hook.resume())
    }
    XCTAssertEqual(original(1), 1)
    XCTAssertEqual(positions.entries, [.before, .after])
  }

  func testAHookThatWasSuspendedIsInstalledAgainOutermost() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let doubling = try block.hook(.after, name: "doubling") { call in
      try call.setResult(call.result(as: Int32.self) * 2)
    }
    let adding = try block.install(adding(10, name: "adding"))
    XCTAssertEqual(original(1), 12)
    XCTAssertTrue(doubling.suspend())
    XCTAssertFalse(doubling.suspend())
    XCTAssertTrue(doubling.isSuspended)
    XCTAssertEqual(block.hooks.map(\.name), ["adding"])
    XCTAssertEqual(original(1), 11)
    XCTAssertTrue(try doubling.resume())
    XCTAssertFalse(try doubling.resume())
    XCTAssertEqual(block.hooks.map(\.name), ["doubling", "adding"])
    XCTAssertEqual(original(1), 22)
    XCTAssertTrue(doubling.remove())
    XCTAssertFalse(try doubling.resume())
    XCTAssertFalse(doubling.suspend())
    XCTAssertTrue(adding.suspend())
    XCTAssertEqual(original(1), 1)
    XCTAssertTrue(adding.remove())
    XCTAssertFalse(adding.remove())
  }

  func testASuspendedHookKeepsItsCapturesUntilItIsRemovedOrItsBlockDies() throws {
    let tracker = LifetimeTracker()
    let outcomes = Recorder<Bool>()
    func install(on block: Block) throws -> Hook {
      let tracked = tracker.track()
      return try block.hook([.before, .death]) { call in
        outcomes.record(call.position == .death)
        withExtendedLifetime(tracked) {}
      }
    }
    let count = Int32(outcomes.entries.count)
    var first: Hook
    do {
      let original: IntBlock = { $0 + count }
      let block = try Block(original)
      let second = try install(on: block)
      first = try install(on: block)
      first.suspend()
      second.suspend()
      XCTAssertEqual(tracker.alive, 2)
      second.remove()
      XCTAssertEqual(tracker.alive, 1)
    }
    tracker.expectNothingAlive()
    XCTAssertFalse(first.isSuspended)
    XCTAssertFalse(try first.resume())
    XCTAssertEqual(outcomes.entries, [])
  }

  func testAHandlerSuspendsItselfAndIsNotStartedAgainUntilResumed() throws {
    let runs = Atomic(0)
    let original: IntBlock = { $0 }
    let token = Mutex<Hook?>(nil)
    let hook = try Block(original).hook([.before, .after]) { _ in
      runs.add(1, ordering: .relaxed)
      token.withLock { $0 }?.suspend()
    }
    token.withLock { $0 = hook }
    for _ in 0..<3 { _ = original(1) }
    XCTAssertEqual(runs.load(ordering: .relaxed), 1)
    try hook.resume()
    for _ in 0..<3 { _ = original(1) }
    XCTAssertEqual(runs.load(ordering: .relaxed), 2)
    hook.removeAndWait()
  }

  func testADefinitionIsInstalledOnSeveralBlocksAndMoreThanOnce() throws {
    let first: IntBlock = { $0 }
    let second: IntBlock = { -$0 }
    let definition = adding(1)
    let hooks = [
      try Block(first).install(definition), try Block(second).install(definition),
      try Block(second).install(definition),
    ]
    XCTAssertEqual(first(10), 11)
    XCTAssertEqual(second(10), -8)
    for hook in hooks { hook.remove() }
    XCTAssertEqual(second(10), -10)
  }

  func testAGroupIsInstalledSuspendedAndRemovedAsOne() throws {
    let first: IntBlock = { $0 }
    let second: IntBlock = { -$0 }
    let group = try HookGroup([
      Block(first).with(adding(1)), Block(second).with(adding(2)),
      Block(second).with(adding(3)),
    ])
    XCTAssertEqual([first(10), second(10)], [11, -5])
    XCTAssertTrue(group.isInstalled)
    XCTAssertEqual(group.suspend(), 3)
    XCTAssertEqual([first(10), second(10)], [10, -10])
    group.hooks[1].remove()
    XCTAssertEqual(try group.resume(), 2)
    XCTAssertEqual([first(10), second(10)], [11, -7])
    XCTAssertFalse(group.isInstalled)
    XCTAssertEqual(group.removeAndWait(), 2)
    XCTAssertEqual(group.remove(), 0)
    XCTAssertEqual([first(10), second(10)], [10, -10])
  }

  func testTheRemovalOfAGroupWaitsForTheHandlersOfAllItsHooks() throws {
    let original: IntBlock = { $0 }
    let ends = Recorder<String>()
    let (began, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let group = try HookGroup([
      Block(original).with(adding(1)),
      Block(original).with(
        HookDefinition(.before) { _ in
          began.signal()
          go.wait()
          ends.record("handler")
        }),
    ])
    let threads = ThreadGroup()
    threads.start { _ = original(1) }
    began.wait()
    threads.start {
      XCTAssertEqual(group.removeAndWait(), 2)
      ends.record("removal")
    }
    while group.hooks.contains(where: \.isInstalled) { sched_yield() }
    // A removal that does not wait ends meanwhile.
    for _ in 0..<10_000 { sched_yield() }
    go.signal()
    threads.wait()
    XCTAssertEqual(ends.entries, ["handler", "removal"])
  }

  func testAGroupThatCannotBeInstalledWhollyIsNotInstalledAtAll() throws {
    let tracker = LifetimeTracker()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let unhookable = try blockWithoutSignature()
    func failing() throws -> HookGroup {
      let tracked = tracker.track()
      let definition = HookDefinition { _ in withExtendedLifetime(tracked) {} }
      return try HookGroup([block, block, unhookable].map { $0.with(definition) })
    }
    XCTAssertThrowsError(try failing()) { error in
      let error = error as? HookError
      XCTAssertEqual(error?.code, .noSignature)
      XCTAssertTrue(error?.message.hasPrefix("hook 3 of 3: ") ?? false, "\(error as Any)")
    }
    XCTAssertTrue(block.hooks.isEmpty)
    XCTAssertEqual(original(5), 5)
    tracker.expectNothingAlive()
  }

  func testAGroupThatCannotBeResumedWhollyStaysSuspended() throws {
    let first: IntBlock = { $0 }
    let second: IntBlock = { -$0 }
    let full = try Block(second)
    let group = try HookGroup([Block(first).with(adding(1)), full.with(adding(2))])
    group.suspend()
    let others = try (0..<1000).map { _ in try full.hook(.death) { _ in } }
    expectError(.tooManyHooks) { _ = try group.resume() }
    XCTAssertEqual(first(10), 10)
    XCTAssertTrue(group.hooks.allSatisfy(\.isSuspended))
    for hook in others { hook.remove() }
    XCTAssertEqual(try group.resume(), 2)
    XCTAssertEqual([first(10), second(10)], [11, -8])
    group.remove()
  }

  func testHooksAreListedDescribedAndRemovedByName() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.install(adding(1, name: "one"))
    try block.hook(.before, name: "log", priority: 2, when: .every(10).times(3)) { _ in }
    try block.install(adding(2, name: "one"))
    XCTAssertEqual(
      block.hooks.map(\.description),
      [
        "<hook log before, priority 2, 3 times, one call in 10, installed>",
        "<hook one after, priority 0, installed>",
        "<hook one after, priority 0, installed>",
      ])
    XCTAssertEqual(block.hooks(named: "one").count, 2)
    XCTAssertEqual(block.removeHooks(named: "one"), 2)
    XCTAssertEqual(block.hooks.map(\.name), ["log"])
    XCTAssertEqual(block.removeHooks(), 1)
    XCTAssertEqual(block.removeHooks(), 0)
  }

  private func blockWithoutSignature() throws -> Block {
    let pointer = unsafe try XCTUnwrap(fixture_block_without_signature())
    return unsafe Block(unsafePointer: pointer)
  }
}
