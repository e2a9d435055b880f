import DelayedBlocks
import Foundation
import Synchronization
import TestSupport
import XCTest

/// Eight threads schedule, cancel, move, run and wait for the same blocks on the real timer.
///
/// Runs two seconds; `STRESS_SECONDS` sets another duration.
final class DelayStressTests: XCTestCase {
  private var seconds: Double {
    ProcessInfo.processInfo.environment["STRESS_SECONDS"].flatMap(Double.init) ?? 2
  }

  func testEveryBlockRunsOnceOrIsCancelledOnce() {
    let scene = Scene()
    let end = ContinuousClock.now + .seconds(seconds)
    let threads = ThreadGroup()
    for thread in 0..<8 {
      threads.start {
        var generator = SeededGenerator(seed: UInt64(thread))
        while ContinuousClock.now < end { scene.step(&generator) }
      }
    }
    threads.wait()
    scene.finish()
    XCTAssertEqual(scene.wrong.load(ordering: .relaxed), 0)
    let made = scene.made.load(ordering: .relaxed)
    XCTAssertGreaterThan(made, 100)
    XCTAssertEqual(
      made, scene.runs.load(ordering: .relaxed) + scene.cancels.load(ordering: .relaxed))
    scene.tracker.expectNothingAlive()
  }

  func testRepeatingBlocksEndWithTheirOwnersAndNothingRunsAfterwards() {
    let tracker = LifetimeTracker()
    let wrong = Atomic(0)
    let end = ContinuousClock.now + .seconds(seconds / 2)
    let threads = ThreadGroup()
    for thread in 0..<8 {
      threads.start {
        var generator = SeededGenerator(seed: UInt64(thread))
        while ContinuousClock.now < end {
          let isDead = Shared(false)
          let block = Self.repeated(tracker, isDead, wrong, &generator)
          isDead.value.withLock { $0 = true }
          if block.wait() != .cancelled { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
    threads.wait()
    XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
    tracker.expectNothingAlive()
  }

  func testADyingOwnerIsNotKeptThoughTheTimersThreadIsRunning() {
    final class Dying: Sendable {
      deinit {
        DelayTimer.shared.perform(after: .zero, for: self, keepsOwner: true, on: .inline) { _ in
          XCTFail("it ran")
        }
      }
    }
    let mayEnd = Shared(false)
    @Sendable func run() {
      if mayEnd.value.withLock({ !$0 }) {
        DelayTimer.shared.perform(after: .zero, on: .inline) { run() }
      }
    }
    run()
    let end = ContinuousClock.now + .seconds(seconds / 2)
    while ContinuousClock.now < end { for _ in 0..<100 { _ = Dying() } }
    mayEnd.value.withLock { $0 = true }
  }

  private static func repeated(
    _ tracker: LifetimeTracker, _ isDead: Shared<Bool>, _ wrong: borrowing Atomic<Int>,
    _ generator: inout SeededGenerator
  ) -> DelayedBlock {
    let owner = Finaliser {}
    let ticks = Shared(0)
    let block = try? DelayTimer.shared.repeat(
      every: .microseconds(Int.random(in: 1...200, using: &generator)), for: owner,
      policy: [.skip, .catchUp, .coalesce, .delay].randomElement(using: &generator) ?? .skip,
      on: Bool.random(using: &generator) ? .inline : .concurrent
    ) { [object = tracker.track()] _, _ in
      withExtendedLifetime(object) { ticks.value.withLock { $0 += 1 } }
      if isDead.value.withLock({ $0 }) { ticks.value.withLock { $0 = -1_000_000 } }
    }
    for _ in 0..<Int.random(in: 0..<50, using: &generator) { sched_yield() }
    if ticks.value.withLock({ $0 < 0 }) { wrong.add(1, ordering: .relaxed) }
    return withExtendedLifetime(owner) { block } ?? DelayTimer.shared.perform(after: .zero) {}
  }
}

/// A value that several threads change.
private final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }
}

/// A block, and what happened to it.
private final class Subject: Sendable {
  let runs = Atomic(0)
  let block = Mutex<DelayedBlock?>(nil)
}

/// Blocks that all threads get at.
private final class Scene: Sendable {
  let tracker = LifetimeTracker()
  let wrong = Atomic(0)
  let made = Atomic(0)
  let runs = Atomic(0)
  let cancels = Atomic(0)
  let ends = Atomic(0)
  private let slots = (0..<16).map { _ in Shared<Subject?>(nil) }

  func step(_ generator: inout SeededGenerator) {
    guard let slot = slots.randomElement(using: &generator) else { return }
    guard let subject = slot.value.withLock({ $0 }),
      let block = subject.block.withLock({ $0 })
    else { return fill(slot, &generator) }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: if block.cancel() { cancels.add(1, ordering: .relaxed) }
    case 1, 2, 3: block.reschedule(after: delay(&generator))
    case 4: block.runNow()
    case 5: block.wait(timeout: .microseconds(Int.random(in: 0...300, using: &generator)))
    case 6: block.whenEnded { _ in self.ends.add(1, ordering: .relaxed) }
    case 7: if block.cancelAndWait() { cancels.add(1, ordering: .relaxed) }
    case 8: replace(slot, subject)
    default: fill(slot, &generator)
    }
  }

  /// Ends what is left.
  func finish() { for slot in slots { slot.value.withLock { $0 }.map { replace(slot, $0) } } }

  private func delay(_ generator: inout SeededGenerator) -> Duration {
    .microseconds(Int.random(in: 0...500, using: &generator))
  }

  private func fill(_ slot: Shared<Subject?>, _ generator: inout SeededGenerator) {
    let targets: [DelayTarget] = [.inline, .concurrent, .queue(.global(qos: .utility))]
    let subject = Subject()
    let block = DelayTimer.shared.perform(
      after: delay(&generator), on: targets.randomElement(using: &generator),
      tolerance: .microseconds(Int.random(in: 0...100, using: &generator))
    ) { [object = tracker.track()] in
      withExtendedLifetime(object) { _ = subject.runs.add(1, ordering: .relaxed) }
      self.runs.add(1, ordering: .relaxed)
    }
    subject.block.withLock { $0 = block }
    made.add(1, ordering: .relaxed)
    let old = slot.value.withLock { value in
      defer { value = subject }
      return value
    }
    if let old { check(old) }
  }

  private func replace(_ slot: Shared<Subject?>, _ subject: Subject) {
    slot.value.withLock { if $0 === subject { $0 = nil } }
    check(subject)
  }

  /// Waits for a block's end: then it has run once, or was cancelled, once.
  private func check(_ subject: Subject) {
    guard let block = subject.block.withLock({ $0 }) else { return }
    let outcome = block.wait()
    let runs = subject.runs.load(ordering: .acquiring)
    let isRight =
      switch outcome {
      case .ran: runs == 1
      case .cancelled: runs == 0
      case .timedOut: false
      }
    if !isRight { wrong.add(1, ordering: .relaxed) }
  }
}
