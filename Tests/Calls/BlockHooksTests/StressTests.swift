import BlockABI
import BlockHooks
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Many threads do everything at once to a few blocks; the counts must still add up.
///
/// Runs two seconds; `STRESS_SECONDS` sets another duration.
final class StressTests: XCTestCase {
  private var seconds: Double {
    ProcessInfo.processInfo.environment["STRESS_SECONDS"].flatMap(Double.init) ?? 2
  }

  func testEightThreadsHookCallCopyAndReleaseTheSameAndOtherBlocks() throws {
    let counts = Counts()
    try run(counts)
    counts.tracker.expectNothingAlive()
    XCTAssertEqual(counts.wrong.load(ordering: .relaxed), 0)
    XCTAssertEqual(counts.late.load(ordering: .relaxed), 0)
    let calls = counts.calls.load(ordering: .relaxed)
    XCTAssertGreaterThan(calls, 1000)
    XCTAssertEqual(counts.originals.load(ordering: .relaxed), calls)
  }

  private func run(_ counts: Counts) throws {
    let scene = Scene(counts: counts, shared: try (0..<4).map { _ in try counts.makeBlock() })
    let end = ContinuousClock.now + .seconds(seconds)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      while ContinuousClock.now < end {
        do {
          try scene.step(&generator)
        } catch {
          XCTFail("\(error)")
          return
        }
      }
    }
    for block in scene.shared {
      XCTAssertTrue(block.hooks.isEmpty)
      XCTAssertEqual(try counts.call(block, 5), 10)
    }
  }
}

/// What happened, counted from all threads, and the blocks that count it.
private final class Counts: Sendable {
  let tracker = LifetimeTracker()
  let originals = Atomic(0)
  let calls = Atomic(0)
  let wrong = Atomic(0)
  let late = Atomic(0)

  /// A block that doubles its argument.
  func makeBlock() throws -> Block {
    let tracked = tracker.track()
    let work: @convention(block) (Int32) -> Int32 = { value in
      withExtendedLifetime(tracked) {}
      self.originals.add(1, ordering: .relaxed)
      return 2 * value
    }
    return try Block(work)
  }

  func call(_ block: Block, _ value: Int) throws -> Int {
    calls.add(1, ordering: .relaxed)
    return try block.call(value)
  }
}

private struct Scene: Sendable {
  let counts: Counts
  let shared: [Block]

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// One round: hook a shared or a new block, call it from outside and inside, remove the hook.
  func step(_ generator: inout SeededGenerator) throws {
    let counts = counts
    let block =
      try shared.randomElement(using: &generator).flatMap { block in
        Bool.random(using: &generator) ? block : nil
      } ?? counts.makeBlock()
    let copy = block.copied()
    let other = shared.randomElement(using: &generator) ?? block
    let recurses = Int.random(in: 0..<4, using: &generator) == 0
    let isGone = Flag()
    let tracked = counts.tracker.track()
    let hook = try block.hook([.before, .instead, .after]) { frame in
      withExtendedLifetime(tracked) {}
      if isGone.isSet.load(ordering: .sequentiallyConsistent) {
        counts.late.add(1, ordering: .relaxed)
      }
      guard frame.position == .instead else { return }
      try frame.proceed()
      if recurses, try frame.argument(1, as: Int.self) == 1 {
        _ = try counts.call(other, 0)
      }
    }
    for value in 0..<8 where try counts.call(copy, value) != 2 * value {
      counts.wrong.add(1, ordering: .relaxed)
    }
    if Bool.random(using: &generator) {
      hook.removeAndWait()
      isGone.isSet.store(true, ordering: .sequentiallyConsistent)
    } else {
      hook.remove()
    }
  }
}
