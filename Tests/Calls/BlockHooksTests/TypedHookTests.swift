import BlockABI
import BlockHooks
import CFixtures
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

final class TypedHookTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32
  private typealias Wide =
    @convention(block) (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Double, Double, Double) ->
    Double

  func testAReplacementRunsInPlaceOfTheBlock() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let replacement: IntBlock = { $0 * 10 }
    let hook = try block.replace(with: replacement, name: "ten", priority: 3)
    XCTAssertEqual(original(4), 40)
    XCTAssertEqual(try block.call(5), Int32(50))
    XCTAssertEqual(hook.description, "<hook ten instead, priority 3, installed>")
    hook.remove()
    XCTAssertEqual(original(4), 4)
  }

  func testAWrapperGetsTheOriginal() throws {
    let base = Int32(LifetimeTracker().alive + 1)
    let original: IntBlock = { $0 + base }
    let block = try Block(original)
    let hook = try block.wrap { (original: @escaping IntBlock) -> IntBlock in
      { number in original(number) * 10 + original(0) }
    }
    XCTAssertEqual(original(4), 51)
    hook.remove()
    XCTAssertEqual(original(4), 5)
  }

  func testEveryTypeIsPassedByTheCompiler() throws {
    let wide: Wide = { a, b, c, d, e, f, g, x, y, z in
      let integers = [a, b, c, d, e, f, g].enumerated().map { ($0 + 1) * Int($1) }
      return Double(integers.reduce(0, +)) + x + y * 2 + z * 3
    }
    let plain = wide(1, 2, 3, 4, 5, 6, 7, 0.5, 1.5, 2.5)
    let hook = try Block(wide).wrap { (original: @escaping Wide) -> Wide in
      { a, b, c, d, e, f, g, x, y, z in original(g, f, e, d, c, b, a, z, y, x) }
    }
    XCTAssertEqual(wide(7, 6, 5, 4, 3, 2, 1, 2.5, 1.5, 0.5), plain)
    hook.remove()

    typealias Large = @convention(block) (fixture_large, Int32) -> fixture_large
    let large = unsafe Block(unsafePointer: try XCTUnwrap(fixture_large_block()))
    let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
    let before: fixture_large = try large.call(value, Int32(11))
    let wrap = try large.wrap { (original: @escaping Large) -> Large in
      { value, number in original(value, number + 1) }
    }
    let after: fixture_large = try large.call(value, Int32(10))
    XCTAssertEqual(
      [after.a, after.b, after.c, after.d, after.e, after.f, after.g],
      [before.a, before.b, before.c, before.d, before.e, before.f, before.g])
    wrap.remove()
  }

  func testAGlobalBlockOfClangIsWrapped() throws {
    typealias Add = @convention(block) (Int32, Int32) -> Int32
    let pointer = unsafe try XCTUnwrap(fixture_global_adder())
    let block = unsafe Block(unsafePointer: pointer)
    let hook = try block.wrap { (original: @escaping Add) -> Add in { original($0, $1) * 2 } }
    XCTAssertEqual(try block.call(Int32(3), Int32(4)), Int32(14))
    hook.remove()
    XCTAssertEqual(try block.call(Int32(3), Int32(4)), Int32(7))
  }

  func testTypedHooksNestWithTheOthers() throws {
    let steps = Recorder<String>()
    let original: IntBlock = { number in
      steps.record("original \(number)")
      return number
    }
    let block = try Block(original)
    func log(_ name: String) throws -> Hook {
      try block.hook([.before, .after], name: name) { call in
        steps.record("\(name) \(call.position) \(call.resultText ?? call.arguments.description)")
      }
    }
    func wrap(_ name: String) throws -> Hook {
      try block.wrap(name: name) { (original: @escaping IntBlock) -> IntBlock in
        { number in
          steps.record("\(name) in")
          defer { steps.record("\(name) out") }
          return original(number + 1) * 2
        }
      }
    }
    let hooks = [try log("a"), try wrap("b"), try log("c"), try wrap("d"), try log("e")]
    XCTAssertEqual(block.hooks.map(\.name), ["e", "d", "c", "b", "a"])
    XCTAssertEqual(original(1), 12)
    let inner = ["a before i32 3", "original 3", "a after i32 3"]
    let middle = ["c before i32 2", "b in"] + inner + ["b out", "c after i32 6"]
    XCTAssertEqual(
      steps.entries, ["e before i32 1", "d in"] + middle + ["d out", "e after i32 12"])
    // In any order the results follow the hooks that are left.
    hooks[1].remove()
    XCTAssertEqual(original(1), 4)
    hooks[4].remove()
    XCTAssertEqual(original(1), 4)
    hooks[0].remove()
    hooks[2].remove()
    XCTAssertEqual(original(5), 12)
    let late = try block.hook(.before, priority: -1) { call in try call.setArgument(1, Int32(50)) }
    XCTAssertEqual(original(5), 100)
    late.remove()
    hooks[3].remove()
    XCTAssertEqual(original(5), 5)
  }

  func testAnOriginalThatIsKeptRunsOnAfterTheHookAndTheBlockAreGone() throws {
    let tracker = LifetimeTracker()
    let kept = Mutex<Block?>(nil)
    let calls = Recorder<Int32>()
    do {
      let tracked = tracker.track()
      let original: IntBlock = { number in
        withExtendedLifetime(tracked) { number + 1 }
      }
      let block = try Block(original)
      let below = try block.hook(.before) { call in calls.record(try call.argument(1)) }
      let hook = try block.wrap { (original: @escaping IntBlock) -> IntBlock in
        if let block = try? Block(original) { kept.withLock { $0 = block } }
        return { original($0) }
      }
      let copy = try XCTUnwrap(kept.withLock { $0 })
      XCTAssertEqual(original(1), 2)
      XCTAssertEqual(try copy.call(2), Int32(3))
      hook.remove()
      XCTAssertEqual(try copy.call(3), Int32(4))
      XCTAssertEqual(original(4), 5)
      below.remove()
      XCTAssertEqual(calls.entries, [1, 2, 4])
    }
    let copy = try XCTUnwrap(kept.withLock { $0 })
    XCTAssertEqual(try copy.call(9), Int32(10))
    XCTAssertEqual(tracker.alive, 1)
    kept.withLock { $0 = nil }
  }

  func testATypedHookFreesWhatItCapturesAndDiesWithItsBlock() throws {
    let tracker = LifetimeTracker()
    func install(on block: Block) throws -> Hook {
      let tracked = tracker.track()
      return try block.wrap { (original: @escaping IntBlock) -> IntBlock in
        { number in withExtendedLifetime(tracked) { original(number) } }
      }
    }
    let mine = tracker.track()
    var hook: Hook?
    do {
      let captured = tracker.track()
      let original: IntBlock = { number in withExtendedLifetime(captured) { number } }
      let block = try Block(original)
      let first = try install(on: block)
      XCTAssertEqual(original(1), 1)
      XCTAssertEqual(tracker.alive, 3)
      first.remove()
      XCTAssertEqual(tracker.alive, 2)
      hook = try install(on: block)
      hook?.suspend()
      XCTAssertEqual(original(1), 1)
      try hook?.resume()
      XCTAssertEqual(original(1), 1)
    }
    XCTAssertEqual(hook?.isInstalled, false)
    XCTAssertEqual(tracker.alive, 1)
    withExtendedLifetime(mine) {}
  }

  func testAWrapperRemovesItselfInsideItsCall() throws {
    let tracker = LifetimeTracker()
    let token = Mutex<Hook?>(nil)
    let original: IntBlock = { $0 }
    let block = try Block(original)
    do {
      let tracked = tracker.track()
      let hook = try block.wrap { (original: @escaping IntBlock) -> IntBlock in
        { number in
          let hook = token.withLock { $0.take() }
          hook?.removeAndWait()
          XCTAssertEqual(tracker.alive, 1)
          return withExtendedLifetime(tracked) { original(number) + 1 }
        }
      }
      token.withLock { $0 = hook }
    }
    XCTAssertEqual(original(1), 2)
    XCTAssertEqual(original(1), 1)
    tracker.expectNothingAlive()
  }

  func testAMismatchIsAnErrorWithTheDifference() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let long: @convention(block) (Int64) -> Int32 = { Int32($0) }
    expect(.typeMismatch, "argument 1: ", "takes q (Int64), block gives i (Int32)") {
      try block.replace(with: long)
    }
    let text: @convention(block) (Int32) -> Double = { Double($0) }
    expect(.typeMismatch, "result: ", "returns d (Double), block returns i (Int32)") {
      try block.replace(with: Block(text))
    }
    let two: @convention(block) (Int32, Int32) -> Int32 = { $0 + $1 }
    expect(.typeMismatch, "argument count: ", "takes 3, block gives 2") {
      try block.replace(with: two)
    }
    expect(.notABlock, "notABlock", "not a block") {
      try block.replace(with: { (number: Int32) -> Int32 in number })
    }
    expect(.notABlock, "Int is not a block", "") { try block.replace(with: 5) }
    expect(.typeMismatch, "argument 1: ", "takes d (Double), block gives i (Int32)") {
      try block.wrap { (original: @escaping @convention(block) (Double) -> Int32) in original }
    }
    XCTAssertTrue(block.hooks.isEmpty)
    XCTAssertEqual(original(3), 3)
  }

  func testConstAndClassNamesAreNoDifferenceAndNestedBlocksAreComparedWhereKnown() throws {
    let replaced = try Block(signature: "i@?r*@") { call in try call.setResult(Int32(1)) }
    let taking: @convention(block) (@convention(block) (Int32) -> Void) -> Int32 = { _ in 1 }
    let takingLong: @convention(block) (@convention(block) (Int64) -> Void) -> Int32 = { _ in 1 }
    let rows: [(encoding: String, replacement: Block, difference: String?, line: UInt)] = [
      ("i@?r*@", replaced, nil, #line),
      ("i@?*@", replaced, nil, #line),
      ("i@?r^c@\"Model\"", replaced, nil, #line),
      ("i@?^i@", replaced, "argument 1: ", #line),
      ("i@?*@?", replaced, "argument 2: ", #line),
      ("i@?@?", try Block(taking), nil, #line),
      ("i@?@?<v@?i>", try Block(taking), nil, #line),
      ("i@?@?<v@?q>", try Block(taking), "argument 1: ", #line),
      ("i@?@?<v@?i>", try Block(takingLong), "argument 1: ", #line),
      ("i@?@?<i@?i>", try Block(taking), "argument 1: ", #line),
    ]
    for row in rows {
      let block = try Block(signature: row.encoding) { call in try call.setResult(Int32(0)) }
      if let difference = row.difference {
        expect(.typeMismatch, difference, "", line: row.line) {
          try block.replace(with: row.replacement)
        }
      } else {
        XCTAssertNoThrow(try block.replace(with: row.replacement), line: row.line)
      }
    }
  }

  func testNoHookBelowStartsOnceItIsRemovedHoweverItsOriginalIsReached() throws {
    let late = Atomic(0)
    let isGone = Flag()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    func hookBelow() throws -> Hook {
      try block.hook { call in
        if isGone.value.load(ordering: .relaxed) { late.add(1, ordering: .relaxed) }
        try call.proceed()
      }
    }
    let below = try hookBelow()
    let token = Mutex<Hook?>(nil)
    let removing = try block.wrap { (original: @escaping IntBlock) -> IntBlock in
      { number in
        token.withLock { $0 }?.remove()
        below.removeAndWait()
        isGone.value.store(true, ordering: .relaxed)
        return original(number)
      }
    }
    token.withLock { $0 = removing }
    XCTAssertEqual(original(1), 1)
    isGone.value.store(false, ordering: .relaxed)

    // A call that waits for its decision keeps the chain that it came through.
    let kept = Mutex<Block?>(nil)
    let pending = Mutex<InterceptedCall?>(nil)
    let second = try hookBelow()
    let wrapping = try block.wrap { (original: @escaping IntBlock) -> IntBlock in
      let twin = try? Block(original)
      kept.withLock { $0 = twin }
      return { original($0) }
    }
    let intercepting = try block.install(.intercepting { call in pending.withLock { $0 = call } })
    XCTAssertEqual(original(1), 0)
    intercepting.remove()
    wrapping.removeAndWait()
    second.removeAndWait()
    isGone.value.store(true, ordering: .relaxed)
    XCTAssertEqual(try kept.withLock { $0 }?.call(7), Int32(7))
    XCTAssertEqual(late.load(ordering: .relaxed), 0)
    try pending.withLock { $0 }?.cancel()
  }

  func testAWrapperThatIsSuspendedInItsCallStillReachesTheHooksThatAreInstalled() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook(.after) { call in try call.setResult(call.result(as: Int32.self) + 100) }
    let other = try block.hook(.before) { _ in XCTFail("it was removed before") }
    let token = Mutex<Hook?>(nil)
    let hook = try block.wrap { (original: @escaping IntBlock) -> IntBlock in
      { number in
        token.withLock { $0 }?.suspend()
        other.remove()
        return original(number)
      }
    }
    token.withLock { $0 = hook }
    XCTAssertEqual(original(1), 101)
    XCTAssertEqual(original(1), 101)
  }

  func testAnOriginalAndABlockItselfAreRefused() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    try block.hook(.before) { _ in }
    let kept = Mutex<Block?>(nil)
    try block.wrap { (original: @escaping IntBlock) -> IntBlock in
      let twin = try? Block(original)
      kept.withLock { $0 = twin }
      return { original($0) }
    }
    let twin = try XCTUnwrap(kept.withLock { $0 })
    expect(.originalOfHook, "hook that block instead") { try twin.hook { _ in } }
    expect(.originalOfHook, "") { try twin.replace(with: block) }
    expect(.typeMismatch, "replaces itself") { try block.replace(with: block) }
    XCTAssertEqual(original(1), 1)
  }

  func testAHookIsNotResumedAmongHooksOfAnotherSignature() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let replacement: IntBlock = { $0 + 1000 }
    let hook = try block.replace(with: replacement)
    hook.suspend()
    let other = unsafe try block.assuming(signature: "d@?d").hook(.before) { _ in }
    expectError(.signatureConflict) { _ = try hook.resume() }
    XCTAssertTrue(hook.isSuspended)
    other.remove()
    XCTAssertTrue(try hook.resume())
    XCTAssertEqual(original(1), 1001)
  }

  func testAnObjectThatAReplacementReturnsOutlivesTheEndOfTheCall() throws {
    let tracker = LifetimeTracker()
    let block = try Block(signature: "@@?") { call in try call.setResult(tracker.track()) }
    let other = try Block(signature: "@@?") { call in try call.setResult(NSObject()) }
    let token = Mutex<Hook?>(nil)
    do {
      // What ends with the hook returns an object too, and so gives up the thread's last one.
      let last = Finaliser { _ = try? other.call() as AnyObject }
      let replacement = try Block(signature: "@@?") { call in
        withExtendedLifetime(last) { _ = token.withLock { $0.take() }?.remove() }
        try call.setResult(tracker.track())
      }
      let hook = try block.replace(with: replacement)
      token.withLock { $0 = hook }
    }
    let result: AnyObject = try block.call()
    XCTAssertTrue(result is LifetimeTracker.Tracked)
    XCTAssertEqual(tracker.alive, 1)
  }

  func testEightThreadsCallWhileTypedHooksComeAndGo() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let tracker = LifetimeTracker()
    let installersDone = Atomic(0)
    let calls = Atomic(0)
    let threads = ThreadGroup()
    for thread in 0..<8 {
      threads.start {
        guard thread < 2 else {
          while installersDone.load(ordering: .relaxed) < 2 {
            for number in 0..<Int32(100) { XCTAssertEqual(original(number), number) }
            calls.add(100, ordering: .relaxed)
          }
          return
        }
        defer { installersDone.add(1, ordering: .relaxed) }
        // The callers are on their way.
        while calls.load(ordering: .relaxed) == 0 {}
        do {
          for round in 0..<300 {
            let tracked = tracker.track()
            let isGone = Flag()
            let hook = try block.wrap(priority: round % 3) {
              (original: @escaping IntBlock) -> IntBlock in
              { number in
                XCTAssertFalse(isGone.value.load(ordering: .sequentiallyConsistent))
                return withExtendedLifetime(tracked) { original(number) }
              }
            }
            let plain = try block.hook(priority: round % 3) { call in try call.proceed() }
            if round % 2 == 0 { plain.remove() }
            hook.removeAndWait()
            isGone.value.store(true, ordering: .sequentiallyConsistent)
            plain.remove()
          }
        } catch {
          XCTFail("\(error)")
        }
      }
    }
    threads.wait()
    XCTAssertGreaterThanOrEqual(calls.load(ordering: .relaxed), 100)
    XCTAssertTrue(block.hooks.isEmpty)
    tracker.expectNothingAlive()
  }

  func testAFunctionOfABlockRunsTheBlocksHooks() throws {
    let work: IntBlock = { $0 + 1 }
    let block = try Block(work)
    let pointer = try FunctionPointer(calling: block)
    let call = try pointer.value(as: (@convention(c) (Int32) -> Int32).self)
    XCTAssertEqual(call(1), 2)
    let hook = try block.hook(.after) { call in try call.setResult(7 as Int32) }
    XCTAssertEqual(call(1), 7)
    hook.remove()
    XCTAssertEqual(call(1), 2)
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }

  private func expect(
    _ code: ErrorCode, _ parts: String..., line: UInt = #line, _ body: () throws -> Hook
  ) {
    let error = expectError(code, line: line) { _ = try body() }
    for part in parts where !part.isEmpty {
      let text = "\(error?.message ?? "") \(error?.underlyingError.map { "\($0)" } ?? "")"
      XCTAssertTrue(text.contains(part), "\(text) lacks \(part)", line: line)
    }
  }
}
