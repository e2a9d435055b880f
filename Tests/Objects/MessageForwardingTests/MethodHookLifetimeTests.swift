import BlockHooks
import Dispatch
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// When the captures of handlers and methods are released, and that it is done under no lock.
final class MethodHookLifetimeTests: XCTestCase {
  typealias Kind = HookedCounter.Kind

  override func tearDown() { HookedCounter.removeHooks() }

  /// Installs a hook that captures an object of the tracker.
  private func hook(
    _ kind: Kind, _ priority: Int = 0, of object: HookedCounter?, capturing tracker: LifetimeTracker
  ) throws -> Hook {
    let tracked = tracker.track()
    return try HookedCounter.hook(kind, priority, of: object) {
      withExtendedLifetime(tracked) {}
    }
  }

  func testTheCapturesOfAnOnlyHookAreReleasedWithIt() throws {
    for kind in Kind.allCases {
      for receiver in [nil, HookedCounter()] {
        for isSent in [false, true] {
          let tracker = LifetimeTracker()
          let hook = try hook(kind, of: receiver, capturing: tracker)
          let counter = receiver ?? HookedCounter()
          if isSent { try counter.send() }
          hook.removeAndWait()
          XCTAssertEqual(tracker.alive, 0, "\(kind), sent \(isSent), of object \(receiver != nil)")
          XCTAssertEqual(try counter.send(), 2)
        }
      }
    }
  }

  func testTheCapturesOfAHookAmongOthersAreReleasedWithIt() throws {
    for others: [Kind] in [
      [.framed], [.typed], [.conditional], [.framed, .typed], [.typed, .framed],
    ] {
      for kind in Kind.allCases {
        for receiver in [nil, HookedCounter()] {
          for priority in [-1, 1] {
            let tracker = LifetimeTracker()
            let hook = try hook(kind, priority, of: receiver, capturing: tracker)
            let others = try others.map { try HookedCounter.hook($0, of: receiver) }
            let counter = receiver ?? HookedCounter()
            try counter.send()
            hook.removeAndWait()
            XCTAssertEqual(
              tracker.alive, 0, "\(kind) \(priority), of object \(receiver != nil), among \(others)"
            )
            XCTAssertEqual(try counter.send(), 2)
            for hook in others { hook.remove() }
          }
        }
      }
    }
  }

  func testAnObjectWhoseHooksWereRemovedKeepsNothingOfItsClass() throws {
    for kind in Kind.allCases {
      let (tracker, counter) = (LifetimeTracker(), HookedCounter())
      let ofClass = try hook(kind, of: nil, capturing: tracker)
      try HookedCounter.hook(kind, of: counter).remove()
      ofClass.removeAndWait()
      XCTAssertEqual(tracker.alive, 0, "\(kind)")
      XCTAssertEqual(try counter.send(), 2)
    }
  }

  func testASuspendedHookOfAnObjectEndsWithIt() throws {
    for kind in Kind.allCases {
      let tracker = LifetimeTracker()
      let hook = try {
        let counter = HookedCounter()
        let hook = try self.hook(kind, of: counter, capturing: tracker)
        XCTAssertTrue(hook.suspend())
        XCTAssertEqual(try counter.send(), 2)
        XCTAssertEqual(tracker.alive, 1)
        return hook
      }()
      XCTAssertFalse(hook.isSuspended, "\(kind)")
      XCTAssertFalse(try hook.resume(), "\(kind)")
      XCTAssertFalse(hook.remove(), "\(kind)")
      tracker.expectNothingAlive()
    }
  }

  func testAMethodIsReleasedUnderNoLockWhileItsHooksChange() throws {
    // Asks for the hooks where it is released, for which it needs their locks.
    final class Asking: Sendable {
      let receiver: Own
      init(_ receiver: Own) { self.receiver = receiver }
      deinit { _ = (receiver.target("twice:").hooks, Own.target("twice:").hooks) }
    }
    final class Own: MessageReceiver, Sendable {
      class var methods: MethodTable {
        MethodTable(Own.self) { Method("twice:") { (_: Own, number: Int) in number * 2 } }
      }
    }
    let twice = TypedSelector1<Own, Int, Int>("twice:")
    let receiver = Own()
    let rounds = shortened(3_000)
    let isDone = DispatchSemaphore(value: 0)
    let threads = ThreadGroup()
    threads.start {
      for _ in 0..<rounds {
        let asking = Asking(receiver)
        Own.classObject.replaceMethod(
          Method("twice:") { (_: Own, number: Int) in
            withExtendedLifetime(asking) { number * 2 }
          })
      }
      isDone.signal()
    }
    threads.start {
      for _ in 0..<rounds {
        let hooks = [
          try? receiver.hook(twice, priority: -1) { original, _, number in try original(number) },
          try? receiver.target("twice:").hook { call in try call.proceed() },
        ]
        for hook in hooks { hook?.remove() }
      }
      isDone.signal()
    }
    threads.start {
      for _ in 0..<rounds { _ = try? receiver.send("twice:", 1, returning: Int.self) }
      isDone.signal()
    }
    for _ in 0..<3 {
      guard isDone.wait(timeout: .now() + 60) == .success else { return XCTFail("a deadlock") }
    }
    threads.wait()
  }
}
