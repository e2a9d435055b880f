import BlockABI
import BlockHooks
import DelayedBlocks
import Dispatch
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

final class HookConditionTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  private struct Refused: Error {}

  /// What a hook with conditions saw of the calls 0, 1, 2, ….
  private func calls(_ count: Int, seenWhen conditions: HookConditions) throws -> [Int32] {
    let seen = Recorder<Int32>()
    let original: IntBlock = { $0 }
    let hook = try Block(original).hook(.before, when: conditions) { call in
      seen.record(try call.argument(1))
    }
    for number in 0..<Int32(count) { XCTAssertEqual(original(number), number) }
    hook.remove()
    return seen.entries
  }

  /// A clock of which a nanosecond passes whenever it is read.
  private static func ticking() -> ReadingClock {
    let time = Counter()
    return ReadingClock { time.next() }
  }

  private final class Counter: Sendable {
    private let number = Atomic<UInt64>(0)
    func next() -> UInt64 { number.add(1, ordering: .relaxed).newValue }
  }

  func testConditionsAdmitTheCallsThatTheyName() throws {
    let even: HookConditions.Predicate = { try $0.argument(1, as: Int32.self) % 2 == 0 }
    let rows: [(HookConditions, [Int32], UInt)] = [
      (.always, Array(0..<10), #line), (.once, [0], #line), (.times(3), [0, 1, 2], #line),
      (.times(99), Array(0..<10), #line), (.every(4), [0, 4, 8], #line),
      (.where(even), [0, 2, 4, 6, 8], #line), (.once.where { try !even(&$0) }, [1], #line),
      (.every(2).where(even), [0, 4, 8], #line), (.every(3).times(2), [0, 3], #line),
      (.sample(0), [], #line), (.sample(1), Array(0..<10), #line),
      (.where(even).times(2).every(2), [0, 4], #line),
      (.where(even).where { try $0.argument(1, as: Int32.self) > 3 }, [4, 6, 8], #line),
      (.on(HookThreads()), Array(0..<10), #line),
      (.nth(1), [0], #line), (.nth(4), [3], #line), (.nth(11), [], #line),
      (.every(2).nth(2), [2], #line), (.times(2).nth(3), [2], #line),
      (.nth(3).times(2), [0, 1], #line), (.nth(.max), [], #line),
      (.atMostEvery(.seconds(1), clock: ManualClock()), [0], #line),
      (.where(even).nth(2).atMostEvery(.seconds(1), clock: ManualClock()), [], #line),
      (.atMostEvery(.nanoseconds(1), clock: Self.ticking()), Array(0..<10), #line),
      (.inTask(HookTasks()), [], #line),
    ]
    for (conditions, expected, line) in rows {
      XCTAssertEqual(try calls(10, seenWhen: conditions), expected, "\(conditions)", line: line)
    }
  }

  func testADecisionHoldsForACallHoweverOftenAHookFurtherOutProceeds() throws {
    // More hooks of conditions than a frame has bits for.
    for depth in [1, 3, 20] {
      let rows: [(HookConditions, [Int32])] = [
        (.once, [0]), (.times(3), [0, 1, 2]), (.every(4), [0, 4]), (.every(2).times(2), [0, 2]),
        (.sample(0), []), (.where { try $0.argument(1, as: Int32.self) % 3 == 0 }, [0, 3]),
      ]
      for (conditions, admitted) in rows {
        let asked = Atomic(0)
        let seen = Recorder<Int32>()
        let runs = Atomic(0)
        let original: IntBlock = { number in
          runs.add(1, ordering: .relaxed)
          return number
        }
        let block = try Block(original)
        let inner = try (0..<depth).map { _ in
          try block.hook(
            [.before, .after],
            when: conditions.where { _ in
              asked.add(1, ordering: .relaxed)
              return true
            }
          ) { call in
            if call.position == .after { try seen.record(call.argument(1)) }
          }
        }
        // Further out than all: its handler proceeds twice.
        let outer = try block.hook { call in
          try call.proceed()
          try call.proceed()
        }
        for number in 0..<Int32(5) { XCTAssertEqual(original(number), number) }
        let message = "\(conditions) \(depth) deep"
        XCTAssertEqual(
          seen.entries, admitted.flatMap { Array(repeating: $0, count: 2 * depth) }, message)
        XCTAssertEqual(runs.load(ordering: .relaxed), 10, message)
        XCTAssertLessThanOrEqual(asked.load(ordering: .relaxed), 5 * depth, message)
        XCTAssertEqual(
          inner.contains(where: \.isInstalled), !"\(conditions)".contains(/once|times/), message)
        outer.remove()
        for hook in inner { hook.remove() }
      }
    }
  }

  func testASampleIsAboutItsShareOfTheCallsAndTheSameEveryTime() throws {
    let first = try calls(10_000, seenWhen: .sample(0.1))
    XCTAssertEqual(Double(first.count), 1000, accuracy: 100)
    XCTAssertEqual(try calls(10_000, seenWhen: .sample(0.1)), first)
    let gaps = Set(zip(first, first.dropFirst()).map { $1 - $0 })
    XCTAssertGreaterThan(gaps.count, 20)
  }

  func testConditionsThatNoCallCanMeetAreRefused() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let rows: [HookConditions] = [
      .nth(0), .nth(-1), .nth(.min), .atMostEvery(.zero), .atMostEvery(.seconds(-1)),
      .times(0), .times(-1), .every(0), .every(-3), .sample(-0.1), .sample(1.5), .sample(.nan),
    ]
    for conditions in rows {
      XCTAssertThrowsError(try block.hook(when: conditions) { _ in }) { error in
        XCTAssertEqual((error as? HookError)?.code, .invalidCondition, "\(conditions)")
      }
    }
    XCTAssertTrue(block.hooks.isEmpty)
  }

  func testAHookThatHasRunOftenEnoughIsGoneWithItsCaptures() throws {
    let tracker = LifetimeTracker()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let hook: Hook
    do {
      let tracked = tracker.track()
      hook = try block.hook(when: .times(2)) { call in
        try call.setResult(100)
        withExtendedLifetime(tracked) {}
      }
    }
    XCTAssertEqual((0..<4).map { original($0) }, [100, 100, 2, 3])
    XCTAssertFalse(hook.isInstalled)
    XCTAssertTrue(block.hooks.isEmpty)
    XCTAssertFalse(hook.remove())
    tracker.expectNothingAlive()
  }

  func testOneDecisionHoldsForAllPositionsOfTheCall() throws {
    let steps = Recorder<String>()
    let original: IntBlock = { number in
      steps.record("original \(number)")
      return number
    }
    let block = try Block(original)
    try block.hook([.before, .instead, .after], when: .once) { call in
      steps.record("\(call.position) \(call.resultText ?? "-")")
      if call.position == .instead { try call.proceed() }
    }
    XCTAssertEqual(original(7), 7)
    XCTAssertEqual(original(8), 8)
    XCTAssertEqual(
      steps.entries, ["before -", "instead -", "original 7", "after i32 7", "original 8"])
  }

  func testAPositionAllowsWhatItAllowsWithoutConditions() throws {
    let errors = Recorder<ErrorCode>()
    let original: IntBlock = { $0 }
    try Block(original).hook(
      [.before, .instead, .after], when: .every(1).where { _ in true },
      onError: { error in (error as? InvocationError).map { errors.record($0.code) } }
    ) { call in
      switch call.position {
      case .before:
        try call.setArgument(1, Int32(5))
        try call.setResult(1)
      case .instead: try call.setResult(call.argument(1, as: Int32.self) + 1)
      default: try call.proceed()
      }
    }
    XCTAssertEqual(original(0), 6)
    XCTAssertEqual(errors.entries, [.noResult, .cannotProceed])
  }

  func testErrorsOfAConditionalHookFollowTheRules() throws {
    let errors = Atomic(0)
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let onError: @Sendable (any Error) -> Void = { _ in errors.add(1, ordering: .relaxed) }
    let throwing = try block.hook(when: .every(1).where { _ in true }, onError: onError) { _ in
      throw Refused()
    }
    XCTAssertEqual(original(3), 3)
    throwing.remove()
    let predicate = try block.hook(when: .where { _ in throw Refused() }, onError: onError) {
      call in
      try call.setResult(9)
    }
    XCTAssertEqual(original(4), 4)
    predicate.remove()
    try block.hook(when: .where { try $0.setResult(1) == () }, onError: onError) { _ in }
    XCTAssertEqual(original(5), 5)
    XCTAssertEqual(errors.load(ordering: .relaxed), 3)
  }

  func testEightThreadsShareANumberOfRunsExactly() throws {
    let runs = Atomic(0)
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let hook = try block.hook(when: .times(1000)) { call in
      runs.add(1, ordering: .relaxed)
      try call.proceed()
    }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for number in 0..<1000 where original(Int32(number)) != number { XCTFail("\(number)") }
    }
    XCTAssertEqual(runs.load(ordering: .relaxed), 1000)
    XCTAssertFalse(hook.isInstalled)
  }

  func testEveryRunThatWasTakenIsWhole() throws {
    let steps = Recorder<String>()
    let original: IntBlock = { $0 }
    let hook = try Block(original).hook([.before, .instead, .after], when: .times(2)) { call in
      let number: Int32 = try call.argument(1)
      steps.record("\(call.position) \(number)")
      if call.position == .before, number > 0 { _ = original(number - 1) }
      if call.position == .instead { try call.proceed() }
    }
    XCTAssertEqual(original(1), 1)
    XCTAssertEqual(
      steps.entries, ["before 1", "before 0", "instead 0", "after 0", "instead 1", "after 1"])
    XCTAssertFalse(hook.isInstalled)
  }

  func testRunsThatManyThreadsTakeAtOnceAreNeverLost() throws {
    for round in 0..<300 {
      let runs = Atomic(0)
      let original: IntBlock = { $0 }
      let hook = try Block(original).hook(when: .times(8)) { call in
        runs.add(1, ordering: .relaxed)
        try call.proceed()
      }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for number in 0..<Int32(8) { _ = original(number) }
      }
      XCTAssertEqual(runs.load(ordering: .relaxed), 8, "round \(round)")
      XCTAssertFalse(hook.isInstalled)
    }
  }

  func testAnIntervalBeginsWithARun() throws {
    let clock = ManualClock()
    let seen = Recorder<Int32>()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook(.before, when: .atMostEvery(.seconds(1), clock: clock)) { call in
      seen.record(try call.argument(1))
    }
    // The next interval begins where a call is, not at a multiple of the first.
    for (number, tenths) in [3, 9, 10, 14, 23, 24, 33, 34].enumerated() {
      clock.advance(to: DelayTimer.Instant(nanoseconds: UInt64(tenths) * 100_000_000))
      _ = original(Int32(number))
    }
    XCTAssertEqual(seen.entries, [0, 3, 5, 7])
    block.removeHooks()
    try block.hook(.before, when: .atMostEvery(.seconds(Int64.max), clock: clock)) { call in
      seen.record(try call.argument(1))
    }
    for number in Int32(10)..<13 {
      clock.advance(by: .seconds(1_000_000))
      _ = original(number)
    }
    XCTAssertEqual(seen.take(), [0, 3, 5, 7, 10])
  }

  func testACallThatAnEarlierConditionRefusesBeginsNoIntervalAndIsNoRun() throws {
    let clock = ManualClock()
    let seen = Recorder<Int32>()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook(.before, when: .every(2).atMostEvery(.seconds(1), clock: clock)) { call in
      seen.record(try call.argument(1))
    }
    // The sample has the calls 0, 2 and 4: those between them begin no interval.
    for (number, seconds) in [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)] {
      clock.advance(by: .seconds(seconds))
      _ = original(Int32(number))
    }
    XCTAssertEqual(seen.entries, [0, 2, 4])
  }

  func testACallWhosePredicateSuspendsTheHookIsNoRun() throws {
    let token = Mutex<Hook?>(nil)
    let runs = Recorder<Void>()
    let block = try Block({ $0 } as IntBlock)
    let hook = try block.hook(
      .before,
      when: .once.where { _ in
        token.withLock { $0.take() }?.suspend()
        return true
      }
    ) { _ in runs.record(()) }
    token.withLock { $0 = hook }
    XCTAssertEqual(try block.call(1 as Int32), 1 as Int32)
    XCTAssertTrue(hook.isSuspended)
    XCTAssertTrue(try hook.resume())
    XCTAssertEqual(try block.call(1 as Int32), 1 as Int32)
    XCTAssertEqual(runs.entries.count, 1)
    XCTAssertFalse(hook.isInstalled)
  }

  func testOfThreadsThatRaceOneRunsInEachInterval() throws {
    let clock = ManualClock()
    let runs = Atomic(0)
    let original: IntBlock = { $0 }
    try Block(original).hook(when: .atMostEvery(.seconds(1), clock: clock)) { call in
      runs.add(1, ordering: .relaxed)
      try call.proceed()
    }
    for round in 1...300 {
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for number in 0..<Int32(8) { _ = original(number) }
      }
      XCTAssertEqual(runs.load(ordering: .relaxed), round)
      clock.advance(by: .seconds(1))
    }
  }

  func testEightThreadsRunTheNthOfTheirCallsOnce() throws {
    for number in [1, 777, 8000] {
      let runs = Atomic(0)
      let original: IntBlock = { $0 }
      let hook = try Block(original).hook(when: .nth(number)) { call in
        runs.add(1, ordering: .relaxed)
        try call.proceed()
      }
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for number in 0..<Int32(999) { _ = original(number) }
      }
      XCTAssertEqual(runs.load(ordering: .relaxed), number < 7992 ? 1 : 0)
      XCTAssertEqual(hook.isInstalled, number >= 7992)
      for number in 0..<Int32(8) { _ = original(number) }
      XCTAssertEqual(runs.load(ordering: .relaxed), 1)
      XCTAssertFalse(hook.isInstalled)
    }
  }

  func testWhatConditionsCaptureEndsWithTheHookAndItsTokens() throws {
    let tracker = LifetimeTracker()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    do {
      let tracked = tracker.track()
      let clock = ReadingClock { withExtendedLifetime(tracked) { 1 } }
      let hook = try block.hook(
        when: .once.atMostEvery(.nanoseconds(1), clock: clock)
          .where { _ in withExtendedLifetime(tracked) { true } }
      ) { try $0.setResult(Int32(9)) }
      XCTAssertEqual([original(1), original(2)], [9, 2])
      XCTAssertFalse(hook.isInstalled)
    }
    tracker.expectNothingAlive()
  }

  func testAHookThatItsOwnPredicateRemovesDoesNotRun() throws {
    for position in [HookPositions.before, .instead, .after] {
      let original: IntBlock = { $0 }
      let token = Mutex<Hook?>(nil)
      let hook = try Block(original).hook(
        position,
        when: .where { _ in
          token.withLock { $0 }?.removeAndWait()
          return true
        }
      ) { _ in XCTFail("\(position) ran") }
      token.withLock { $0 = hook }
      XCTAssertEqual(original(2), 2)
      XCTAssertFalse(hook.isInstalled)
    }
  }

  func testTheOnlyRunCanCallItsOwnBlock() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let runs = Atomic(0)
    try block.hook(when: .once) { call in
      runs.add(1, ordering: .relaxed)
      try call.setResult(original(41) + 1)
    }
    XCTAssertEqual(original(1), 42)
    XCTAssertEqual(runs.load(ordering: .relaxed), 1)
  }

  func testAHookRemovedInOnePositionSkipsTheLaterOnes() throws {
    let steps = Recorder<String>()
    let original: IntBlock = { $0 }
    let token = Mutex<Hook?>(nil)
    let hook = try Block(original).hook([.before, .instead, .after], when: .times(5)) { call in
      steps.record("\(call.position)")
      token.withLock { $0 }?.remove()
    }
    token.withLock { $0 = hook }
    XCTAssertEqual(original(3), 3)
    XCTAssertEqual(steps.entries, ["before"])
  }

  func testTheDeathOfABlockMeetsNoConditions() throws {
    let positions = Recorder<CallFrame.Position>()
    do {
      let count = Int32(positions.entries.count)
      let original: IntBlock = { $0 + count }
      try Block(original).hook([.before, .death], when: .where { _ in false }) { call in
        positions.record(call.position)
      }
      XCTAssertEqual(original(1), 1)
    }
    XCTAssertEqual(positions.entries, [.death])
  }

  func testThreadsAreLeftOutAndAskedForAloneNested() throws {
    let seen = Recorder<Int32>()
    let original: IntBlock = { $0 }
    let threads = HookThreads()
    try Block(original).hook(.before, when: .on(threads)) { call in
      seen.record(try call.argument(1))
    }
    func onOtherThread(_ number: Int32) {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = original(number)
        done.signal()
      }
      done.wait()
    }
    threads.ignoringCurrentThread {
      threads.ignoringCurrentThread { _ = original(1) }
      _ = original(2)
      onOtherThread(3)
    }
    _ = original(4)
    threads.onlyCurrentThread {
      _ = original(5)
      onOtherThread(6)
      threads.ignoringCurrentThread { _ = original(7) }
    }
    onOtherThread(8)
    XCTAssertEqual(seen.entries, [3, 4, 5, 8])
  }
}
