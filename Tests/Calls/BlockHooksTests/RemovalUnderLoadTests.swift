import BlockABI
import BlockHooks
import CFixtures
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Eight threads call a block while two others install and remove hooks on it.
///
/// They do so 5,000 times; `LOAD_ROUNDS` sets another number.
final class RemovalUnderLoadTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  private var rounds: Int {
    ProcessInfo.processInfo.environment["LOAD_ROUNDS"].flatMap(Int.init) ?? 5_000
  }

  func testAMillionHooksComeAndGoInConstantMemoryWithExactCounts() throws {
    let load = Load(rounds: rounds)
    let original: IntBlock = { number in
      load.originals.add(1, ordering: .relaxed)
      return number
    }
    let block = try Block(original)
    let threads = ThreadGroup()
    for _ in 0..<8 {
      threads.start {
        var calls = 0
        while !load.isOver {
          for number in 0..<64 where original(Int32(number)) != number {
            load.wrong.add(1, ordering: .relaxed)
          }
          calls += 64
          load.hasCallers.store(true, ordering: .relaxed)
        }
        load.calls.add(calls, ordering: .relaxed)
      }
    }
    for installer in 0..<2 {
      threads.start { load.install(on: block, installer) }
    }
    threads.wait()
    XCTAssertEqual(load.failures.entries, [])
    XCTAssertEqual(
      load.originals.load(ordering: .relaxed), load.calls.load(ordering: .relaxed))
    XCTAssertEqual(load.wrong.load(ordering: .relaxed), 0)
    XCTAssertEqual(load.late.load(ordering: .relaxed), 0)
    XCTAssertEqual(load.begun.load(ordering: .relaxed), load.ended.load(ordering: .relaxed))
    XCTAssertGreaterThan(load.begun.load(ordering: .relaxed), 0)
    XCTAssertTrue(block.hooks.isEmpty)
    load.tracker.expectNothingAlive()
    guard !isSanitized else { return }
    // What the last tenth of the rounds holds is what the first tenth held, but for the allocator's
    // own caches.
    let (early, late) = load.memory.withLock { $0 }
    XCTAssertLessThan(late - early, 256 * 1024, "\(early) bytes in use at first, \(late) at last")
  }

  func testAThousandHooksAreInstalledAndRemovedInParallel() throws {
    let runs = Atomic(0)
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let hooks = Mutex<[Hook]>([])
    DispatchQueue.concurrentPerform(iterations: 1000) { number in
      do {
        let hook = try block.hook(.before, priority: number % 7) { _ in
          runs.add(1, ordering: .relaxed)
        }
        hooks.withLock { $0.append(hook) }
      } catch {
        XCTFail("\(error)")
      }
    }
    XCTAssertEqual(block.hooks.map(\.priority), block.hooks.map(\.priority).sorted(by: >))
    XCTAssertEqual(original(1), 1)
    XCTAssertEqual(runs.load(ordering: .relaxed), 1000)
    let all = hooks.withLock { $0 }
    let removed = Atomic(0)
    // Each is removed by two threads; one of them is told so.
    DispatchQueue.concurrentPerform(iterations: 2000) { number in
      if all[number % 1000].remove() { removed.add(1, ordering: .relaxed) }
    }
    XCTAssertEqual(removed.load(ordering: .relaxed), 1000)
    XCTAssertTrue(block.hooks.isEmpty)
    XCTAssertEqual(original(2), 2)
    XCTAssertEqual(runs.load(ordering: .relaxed), 1000)
  }

  func testAHandlerRemovesTheHooksAboveAndBelowItAtEveryDepth() throws {
    for removing in [0, 1, 2] {
      for depth in Int32(0)...3 {
        let tracker = LifetimeTracker()
        let steps = Recorder<String>()
        let hooks = Mutex<[Hook]>([])
        let original: IntBlock = { $0 }
        let block = try Block(original)
        for name in ["below", "middle", "above"] {
          let tracked = tracker.track()
          let hook = try block.hook([.before, .instead, .after], name: name) { call in
            withExtendedLifetime(tracked) {}
            let left = try call.argument(1, as: Int32.self)
            steps.record("\(name) \(call.position) \(left)")
            guard call.position == .instead else { return }
            if name == "middle" {
              if left > 0 {
                _ = original(left - 1)
              } else {
                let all = hooks.withLock { $0 }
                for (index, hook) in all.enumerated() where index != removing { hook.remove() }
              }
            }
            try call.proceed()
          }
          hooks.withLock { $0.append(hook) }
        }
        XCTAssertEqual(original(depth), depth)
        XCTAssertEqual(block.hooks.count, 1)
        // Nothing of a removed hook starts after its removal, at whatever depth.
        let kept = ["below", "middle", "above"][removing]
        let removal = steps.entries.firstIndex(of: "middle instead 0") ?? 0
        XCTAssertEqual(steps.entries[(removal + 1)...].filter { !$0.hasPrefix(kept) }, [])
        XCTAssertEqual(tracker.alive, 1)
        let last = hooks.withLock { $0 }
        for hook in last { hook.removeAndWait() }
        hooks.withLock { $0 = [] }
        tracker.expectNothingAlive()
      }
    }
  }
}

/// What happened under load, counted from all threads.
private final class Load: Sendable {
  let rounds: Int
  let tracker = LifetimeTracker()
  let failures = Recorder<String>()
  let originals = Atomic(0)
  let calls = Atomic(0)
  let wrong = Atomic(0)

  /// Calls of a handler that began, that ended, and that ran after its removal had returned.
  let begun = Atomic(0)
  let ended = Atomic(0)
  let late = Atomic(0)

  /// Bytes in use at the end of the first tenth and of all rounds.
  let memory = Mutex((0, 0))
  private let installersDone = Atomic(0)

  /// Whether the block is being called; until then nothing is installed.
  let hasCallers = Atomic(false)

  init(rounds: Int) { self.rounds = rounds }

  var isOver: Bool { installersDone.load(ordering: .relaxed) == 2 }

  private final class Life: Sendable {
    let isGone = Atomic(false)
    let running = Atomic(0)
  }

  /// Half of the rounds, with every way of removal in turn.
  func install(on block: Block, _ installer: Int) {
    defer { installersDone.add(1, ordering: .relaxed) }
    while !hasCallers.load(ordering: .relaxed) {}
    do {
      for round in 0..<rounds / 2 {
        try installOnce(on: block, round)
        guard installer == 0 else { continue }
        if round == rounds / 20 { memory.withLock { $0.0 = Int(fixture_heap_in_use()) } }
        if round == rounds / 2 - 1 { memory.withLock { $0.1 = Int(fixture_heap_in_use()) } }
      }
    } catch {
      failures.record("\(error)")
    }
  }

  private func installOnce(on block: Block, _ round: Int) throws {
    let life = Life()
    let tracked = tracker.track()
    let positions: HookPositions = round % 3 == 0 ? [.before, .after] : .instead
    let recurses = round % 7 == 0
    let conditions: HookConditions = round % 5 == 0 ? .every(2) : .always
    let hook = try block.hook(positions, priority: round % 4, when: conditions) { call in
      self.begun.add(1, ordering: .relaxed)
      life.running.add(1, ordering: .sequentiallyConsistent)
      if life.isGone.load(ordering: .sequentiallyConsistent) {
        self.late.add(1, ordering: .relaxed)
      }
      if call.position == .instead { try call.proceed() }
      if recurses, try call.argument(1, as: Int32.self) == 1 {
        self.calls.add(1, ordering: .relaxed)
        let _: Int32 = try block.call(Int32(0))
      }
      withExtendedLifetime(tracked) {}
      life.running.subtract(1, ordering: .sequentiallyConsistent)
      self.ended.add(1, ordering: .relaxed)
    }
    // However busy the machine is, some calls meet hooks.
    if round % 1000 == 0 {
      let before = begun.load(ordering: .relaxed)
      while begun.load(ordering: .relaxed) == before { sched_yield() }
    }
    switch round % 4 {
    case 0: hook.remove()
    case 1:
      hook.suspend()
      hook.remove()
    default:
      hook.removeAndWait()
      if life.running.load(ordering: .sequentiallyConsistent) != 0 {
        failures.record("a handler was running after removeAndWait() had returned")
      }
      life.isGone.store(true, ordering: .sequentiallyConsistent)
    }
  }
}
