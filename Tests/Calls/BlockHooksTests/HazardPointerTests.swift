import BlockABI
import BlockHooks
import Dispatch
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

/// What calls protect: at every depth, on error paths, and for whoever removes or waits.
final class HazardPointerTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  private struct Refused: Error {}

  func testTheAssemblyKnowsSwiftsLayouts() throws {
    XCTAssert(try EnteredCall.agreesWithAssembly)
  }

  /// Hooks a block so that it calls itself as often as its argument says.
  private func hookRecursively(
    _ original: @escaping IntBlock, atEachLevel body: @escaping @Sendable (Int32) throws -> Void
  ) throws -> Hook {
    let block = try Block(original)
    return try block.hook(onError: { _ in }) { call in
      let left = try call.argument(1, as: Int32.self)
      guard left > 0 else { return try call.proceed() }
      try call.setResult(original(left - 1) + 1)
      try body(left)
    }
  }

  func testNestedCallsOfAnyDepthAnnounceAndEnd() throws {
    let original: IntBlock = { $0 }
    let hook = try hookRecursively(original) { _ in
      _ = try CallInterface.of("i@?i")
    }
    for depth in Array(1...4) + Array(60...65) + Array(122...128) + [200, 400] {
      XCTAssertEqual(original(Int32(depth)), Int32(depth))
    }
    hook.removeAndWait()
    XCTAssertEqual(original(7), 7)
  }

  func testHandlersThatThrowAtAnyDepthArePassedOver() throws {
    let original: IntBlock = { $0 }
    let hook = try hookRecursively(original) { left in if left % 2 == 0 { throw Refused() } }
    for depth in [1, 2, 61, 62, 63, 64, 65, 130] { _ = original(Int32(depth)) }
    XCTAssertEqual(original(0), 0)
    hook.removeAndWait()
    XCTAssertEqual(original(7), 7)
  }

  func testAHandlerRemovedInsideADeepCallIsKeptUntilItEnds() throws {
    let tracker = LifetimeTracker()
    let original: IntBlock = { $0 }
    let deep = try hookRecursively(original) { _ in }
    _ = original(130)
    deep.remove()
    let token = Mutex<Hook?>(nil)
    let block = try Block(original)
    do {
      let tracked = tracker.track()
      let hook = try block.hook { call in
        token.withLock { $0 }?.remove()
        token.withLock { $0 = nil }
        XCTAssertEqual(tracker.alive, 1)
        withExtendedLifetime(tracked) {}
        try call.proceed()
      }
      token.withLock { $0 = hook }
    }
    XCTAssertEqual(original(1), 1)
    tracker.expectNothingAlive()
  }

  func testAHandlerThatWasPassedOverIsNotKeptByLaterCalls() throws {
    let tracker = LifetimeTracker()
    let first: IntBlock = { $0 }
    let second: IntBlock = { $0 }
    let block = try Block(first)
    func install() throws -> Hook {
      let tracked = tracker.track()
      return try block.hook(onError: { _ in }) { _ in
        withExtendedLifetime(tracked) {}
        throw Refused()
      }
    }
    let hook = try install()
    // The thread has its place from here on.
    let other = try Block(second).hook { call in try call.proceed() }
    XCTAssertEqual(second(1), 1)
    other.remove()
    try Block(second).hook { call in
      hook.remove()
      XCTAssertEqual(tracker.alive, 0)
      try call.proceed()
    }
    XCTAssertEqual(first(1), 1)
    XCTAssertEqual(second(2), 2)
    tracker.expectNothingAlive()
  }

  func testWhoRemovesSecondReturnsWhenTheFirstIsDone() throws {
    final class Flags: Sendable {
      let isGone = Atomic(false)
      let lateCalls = Atomic(0)
    }
    let original: IntBlock = { $0 }
    let block = try Block(original)
    // Many hooks make every change of the chain slow.
    let others = try (0..<200).map { _ in try block.hook(.death, priority: -1) { _ in } }
    defer { for other in others { other.remove() } }
    for _ in 0..<200 {
      let flags = Flags()
      let hook = try block.hook { call in
        if flags.isGone.load(ordering: .sequentiallyConsistent) {
          flags.lateCalls.add(1, ordering: .relaxed)
        }
        try call.proceed()
      }
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        hook.remove()
        done.signal()
      }
      while hook.isInstalled {}
      hook.removeAndWait()
      flags.isGone.store(true, ordering: .sequentiallyConsistent)
      _ = original(1)
      done.wait()
      XCTAssertEqual(flags.lateCalls.load(ordering: .relaxed), 0)
    }
  }

  func testAThreadThatEndsInsideACallIsNotWaitedFor() throws {
    let inside = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    let original: IntBlock = { number in
      if number == 1 {
        inside.signal()
        end.wait()
        pthread_exit(nil)
      }
      return number
    }
    let hook = try Block(original).hook { call in try call.proceed() }
    Thread.detachNewThread { _ = original(1) }
    inside.wait()
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      hook.removeAndWait()
      isOver.signal()
    }
    end.signal()
    XCTAssertEqual(isOver.wait(timeout: .now() + 20), .success)
  }
}
