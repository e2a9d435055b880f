import BlockABI
import BlockHooks
import CFixtures
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

final class HookRemovalTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32) -> Int32

  func testHooksAreRemovedInAnyOrderAndOnce() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let invoke = unsafe block.invokeAddress
    let hooks = try [1, 10, 100].map { amount in
      try block.hook(.before) { call in
        try call.setArgument(1, call.argument(1, as: Int.self) + amount)
      }
    }
    XCTAssertEqual(original(0), 111)
    XCTAssertTrue(hooks[1].remove())
    XCTAssertFalse(hooks[1].remove())
    XCTAssertFalse(hooks[1].isInstalled)
    XCTAssertEqual(original(0), 101)
    XCTAssertTrue(hooks[2].remove())
    XCTAssertEqual(original(0), 1)
    XCTAssertTrue(hooks[0].removeAndWait())
    XCTAssertEqual(original(0), 0)
    unsafe XCTAssertEqual(unsafe block.invokeAddress, unsafe invoke)
    XCTAssertTrue(block.hooks.isEmpty)
  }

  func testDroppingATokenRemovesNothingAndAScopedOneRemoves() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    do {
      let scoped = try block.hook { call in try call.setResult(1) }.scoped()
      XCTAssertEqual(original(0), 1)
      XCTAssertTrue(scoped.token.isInstalled)
    }
    XCTAssertEqual(original(0), 0)
    do { try block.hook { call in try call.setResult(2) } }
    XCTAssertEqual(original(0), 2)
  }

  func testAHandlerRemovesItsOwnHook() throws {
    let calls = Recorder<Int>()
    let token = Mutex<Hook?>(nil)
    let original: IntBlock = { $0 }
    let hook = try Block(original).hook([.before, .instead, .after]) { call in
      calls.record(1)
      token.withLock { $0 }?.removeAndWait()
      if call.position == .instead { try call.proceed() }
    }
    token.withLock { $0 = hook }
    XCTAssertEqual(original(5), 5)
    XCTAssertEqual(original(5), 5)
    XCTAssertEqual(calls.entries, [1])
    token.withLock { $0 = nil }
  }

  func testAHandlerRemovesTheHooksBelowItInTheSameCall() throws {
    let calls = Recorder<String>()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let below = try block.hook([.before, .after]) { call in calls.record("below \(call.position)") }
    try block.hook { call in
      below.remove()
      try call.proceed()
    }
    XCTAssertEqual(original(5), 5)
    XCTAssertEqual(calls.entries, [])
  }

  func testRemovalFreesWhatTheHandlerCaptures() throws {
    let tracker = LifetimeTracker()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let tracked = Mutex<LifetimeTracker.Tracked?>(tracker.track())
    let hook = try tracked.withLock { tracked in
      let captured = tracked
      tracked = nil
      return try block.hook { call in
        withExtendedLifetime(captured) {}
        try call.proceed()
      }
    }
    XCTAssertEqual(original(1), 1)
    XCTAssertEqual(tracker.alive, 1)
    hook.remove()
    tracker.expectNothingAlive()
    withExtendedLifetime(block) {}
  }

  func testAHookDiesWithItsHeapBlock() throws {
    let tracker = LifetimeTracker()
    let deaths = Recorder<String>()
    let token: Hook
    do {
      let tracked = tracker.track()
      let captured = tracker.track()
      let original: IntBlock = { value in
        withExtendedLifetime(captured) {}
        return value
      }
      token = try Block(original).hook([.instead, .death]) { call in
        withExtendedLifetime(tracked) {}
        guard call.position == .death else { return try call.proceed() }
        deaths.record("\(call.position) \(call.arguments.count) \(tracker.alive)")
        do { _ = try call.argument(1, as: Int.self) } catch {
          deaths.record((error as? InvocationError)?.code.rawValue ?? "")
        }
      }
      XCTAssertEqual(original(3), 3)
      XCTAssertEqual(deaths.entries, [])
    }
    XCTAssertEqual(deaths.entries, ["death 0 2", "noResult"])
    XCTAssertFalse(token.isInstalled)
    XCTAssertFalse(token.remove())
    token.removeAndWait()
    tracker.expectNothingAlive()
  }

  func testACBlockWithoutHelpersDiesTooAndRunsItsHook() throws {
    let deaths = Recorder<Int>()
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(5))
    unsafe try Block(unsafePointer: pointer).hook(.death) { _ in deaths.record(1) }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 6)
    XCTAssertEqual(deaths.entries, [])
    unsafe fixture_release(pointer)
    XCTAssertEqual(deaths.entries, [1])
  }

  func testABlockReleasedInsideItsOwnCallIsSafe() throws {
    let tracker = LifetimeTracker()
    for _ in 0..<100 {
      let tracked = tracker.track()
      let pointer = unsafe try XCTUnwrap(fixture_heap_adder(5))
      let address = UInt(bitPattern: pointer)
      unsafe try Block(unsafePointer: pointer).hook { call in
        withExtendedLifetime(tracked) {}
        try call.proceed()
        unsafe fixture_release(UnsafeRawPointer(bitPattern: address))
      }
      XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 6)
    }
    tracker.expectNothingAlive()
  }

  func testRemoveAndWaitWaitsForTheCallsOfOtherThreads() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let isInside = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    let hasLeft = Atomic(false)
    let hook = try block.hook { call in
      isInside.signal()
      mayLeave.wait()
      hasLeft.store(true, ordering: .sequentiallyConsistent)
      try call.proceed()
    }
    let caller = Thread { _ = try? block.call(1) as Int }
    caller.start()
    isInside.wait()
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(hasLeft.load(ordering: .sequentiallyConsistent))
    mayLeave.signal()
    hook.removeAndWait()
    XCTAssertTrue(hasLeft.load(ordering: .sequentiallyConsistent))
  }

  func testTwoCallsThatRemoveTheirOwnHookDoNotWaitForEachOther() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let token = Mutex<Hook?>(nil)
    let inside = Atomic(0)
    let hook = try block.hook { call in
      inside.add(1, ordering: .sequentiallyConsistent)
      while inside.load(ordering: .sequentiallyConsistent) < 2 { sched_yield() }
      token.withLock { $0 }?.removeAndWait()
      try call.proceed()
    }
    token.withLock { $0 = hook }
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      XCTAssertEqual(try? block.call(index) as Int, index)
    }
    token.withLock { $0 = nil }
  }

  func testWhoWaitsOutsideIsNotWokenByWhoWaitsInside() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let token = Mutex<Hook?>(nil)
    let isInside = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    let hasLeft = Atomic(false)
    let hook = try block.hook { call in
      token.withLock { $0 }?.removeAndWait()
      isInside.signal()
      mayLeave.wait()
      hasLeft.store(true, ordering: .sequentiallyConsistent)
      try call.proceed()
    }
    token.withLock { $0 = hook }
    let caller = Thread { _ = try? block.call(1) as Int }
    caller.start()
    isInside.wait()
    let waiter = DispatchSemaphore(value: 0)
    let leftFirst = Atomic(false)
    Thread {
      hook.removeAndWait()
      leftFirst.store(
        hasLeft.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
      waiter.signal()
    }.start()
    mayLeave.signal()
    waiter.wait()
    XCTAssertTrue(leftFirst.load(ordering: .sequentiallyConsistent))
    token.withLock { $0 = nil }
  }

  func testHooksMoveOnTopOfSomebodyElsesCode() throws {
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(5))
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let deaths = try block.hook(.death) { _ in }
    let foreign = unsafe try Foreign(below: unsafe block.invokeAddress)
    XCTAssertTrue(
      unsafe try block.header.setInvokeAddress(foreign.code, replacing: block.invokeAddress))
    let hook = try block.hook(.before) { call in try call.setArgument(1, 10) }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 115)
    XCTAssertEqual(block.hooks.count, 2)
    hook.remove()
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 106)
    deaths.remove()
    withExtendedLifetime(foreign) {}
  }

  func testABlockWithTwoAttachmentsDiesOnce() throws {
    let deaths = Recorder<String>()
    final class Attachment: BlockAttachment {
      let name: String
      let deaths: Recorder<String>
      init(_ name: String, _ deaths: Recorder<String>) {
        self.name = name
        self.deaths = deaths
      }
      func blockWillDie(_ block: borrowing DyingBlock) { deaths.record(name) }
    }
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(5))
    do {
      let block = unsafe Block(unsafePointer: pointer)
      try block.attach(Attachment("inner", deaths))
      try block.attach(Attachment("outer", deaths))
    }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 6)
    unsafe fixture_release(pointer)
    XCTAssertEqual(deaths.entries, ["outer", "inner"])
  }

  func testNoHandlerStartsOnceRemoveHasReturned() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let isStopped = Atomic(false)
    let callers = (0..<4).map { _ in
      Thread {
        while !isStopped.load(ordering: .relaxed) { _ = try? block.call(1) as Int }
      }
    }
    callers.forEach { $0.start() }
    let violations = Atomic(0)
    for _ in 0..<300 {
      let isGone = Removal()
      let hook = try block.hook([.before, .instead, .after]) { call in
        if isGone.value.load(ordering: .sequentiallyConsistent) {
          violations.add(1, ordering: .relaxed)
        }
        if call.position == .instead { try call.proceed() }
      }
      XCTAssertEqual(try block.call(7) as Int, 7)
      hook.removeAndWait()
      isGone.value.store(true, ordering: .sequentiallyConsistent)
    }
    isStopped.store(true, ordering: .relaxed)
    XCTAssertEqual(violations.load(ordering: .relaxed), 0)
  }

  private final class Removal: Sendable {
    let value = Atomic(false)
  }

  func testCodeThatACallerKeptPassesThroughAfterRemoval() throws {
    let counter = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    defer { unsafe counter.deallocate() }
    unsafe counter.initialize(to: 0)
    let calls = Recorder<Int>()
    let address = UInt(bitPattern: counter)
    let handler: @convention(block) () -> Void = {
      unsafe fixture_increment(UnsafeMutablePointer(bitPattern: address))
    }
    let block = try Block(handler)
    let hook = try block.hook(.before) { _ in calls.record(1) }
    // The source reads the block's code now and enters it at every event.
    let source = unsafe block.withUnsafePointer { unsafe fixture_source_create($0) }
    unsafe fixture_source_fire_and_wait(source, counter, 1)
    XCTAssertEqual(calls.entries.count, 1)
    hook.removeAndWait()
    unsafe fixture_source_fire_and_wait(source, counter, 2)
    XCTAssertEqual(calls.entries.count, 1)
    unsafe fixture_source_cancel(source)
  }

  func testABlockThatIsHookedAgainUsesTheSameCode() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let first = try block.hook { call in try call.setResult(1) }
    let code = unsafe block.invokeAddress
    first.remove()
    let second = try block.hook { call in try call.setResult(2) }
    unsafe XCTAssertEqual(unsafe block.invokeAddress, unsafe code)
    XCTAssertEqual(original(0), 2)
    second.remove()
  }

  func testSomebodyElsesHookAboveOursIsLeftInPlace() throws {
    let pointer = unsafe try XCTUnwrap(fixture_heap_adder(5))
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let hook = try block.hook { call in try call.setResult(1) }
    let ours = unsafe block.invokeAddress
    let foreign = unsafe try Foreign(below: ours)
    XCTAssertTrue(unsafe try block.header.setInvokeAddress(foreign.code, replacing: ours))
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 101)
    hook.remove()
    unsafe XCTAssertEqual(unsafe block.invokeAddress, unsafe foreign.code)
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 106)
    let again = try block.hook { call in try call.setResult(2) }
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 102)
    again.remove()
    XCTAssertEqual(unsafe fixture_call_int(pointer, 1), 106)
    withExtendedLifetime(foreign) {}
  }

  /// Another library's hook: code that adds 100 to what the code below it returns.
  @safe
  private final class Foreign {
    let pointer: FunctionPointer
    var code: UnsafeRawPointer { unsafe pointer.unsafeAddress }

    init(below code: UnsafeRawPointer) throws {
      let original = unsafe try CFunction(unsafeAddress: code, signature: "i@?i")
      pointer = try FunctionPointer(signature: "i@?i") { call in
        let result = try original.call(values: [call.argumentValue(0), call.argumentValue(1)])
        guard case .integer(let value) = result else { return }
        try call.setResult(value + 100)
      }
    }
  }
}
