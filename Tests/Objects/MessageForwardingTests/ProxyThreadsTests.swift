import CFixtures
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

final class ProxyThreadsTests: XCTestCase {
  /// A target whose methods may be called on any thread.
  private final class Counter: MessageReceiver, Sendable {
    private let sum = Atomic(0)
    let tracked: LifetimeTracker.Tracked?

    init(_ tracked: LifetimeTracker.Tracked? = nil) { self.tracked = tracked }

    var count: Int { sum.load(ordering: .relaxed) }
    func add(_ number: Int) { sum.add(number, ordering: .relaxed) }

    static var methods: MethodTable {
      MethodTable(Counter.self) {
        Method("add:") { (self: Counter, number: Int) in self.add(number) }
        Method("twice:") { (_: Counter, number: Int) in number * 2 }
      }
    }
  }

  func testMessagesAndChangesGoOnAtOnceOnManyThreads() {
    let lives = LifetimeTracker()
    let steady = Counter()
    // SAFETY: the targets are Sendable.
    nonisolated(unsafe) let proxy = MultiTargetProxy(weak: [steady], ignoresUnrecognized: true)
    let threads = ThreadGroup()
    let rounds = 480
    for number in 0..<2 {
      threads.start {
        for round in 0..<rounds {
          _ = try? unsafe proxy.send("add:", 1)
          if round % 16 == number { _ = try? unsafe proxy.send("add:", values: [.integer(1)]) }
          _ = try? unsafe proxy.send("twice:", round, returning: Int.self)
        }
      }
      threads.start {
        for round in 0..<rounds {
          let target = Counter(lives.track())
          let priority = round % 3 - 1
          if round % 2 == 0 {
            unsafe proxy.add(strong: target, priority: priority)
          } else {
            unsafe proxy.add(weak: target, priority: priority)
          }
          if round % 5 != 0 { unsafe proxy.remove(target) }
          if round % 64 == 0 { unsafe proxy.setPolicy(.last, for: "twice:") }
          if round % 64 == 32 { unsafe proxy.setPolicy(nil, for: "twice:") }
        }
      }
    }
    threads.wait()
    XCTAssertEqual(steady.count, 2 * (rounds + rounds / 16))
    for target in unsafe proxy.targets where target !== steady { unsafe proxy.remove(target) }
    lives.expectNothingAlive()
  }

  func testWhenRemoveHasReturnedNoCallBeginsOnTheThread() throws {
    let target = Counter()
    let proxy = MultiTargetProxy(weak: [target], ignoresUnrecognized: true)
    try proxy.send("add:", 1)
    proxy.remove(target)
    try proxy.send("add:", 1)
    XCTAssertEqual(target.count, 1)
  }

  func testATypedSendAllocatesNothing() throws {
    let targets = (0..<4).map { _ in Counter() }
    let proxy = MultiTargetProxy(weak: targets)
    let weak = WeakProxy(targets[0])
    let direct = targets[1]
    let ways: [(String, () throws -> Void)] = [
      ("direct", { try direct.send("add:", 1) }),
      ("proxy", { try proxy.send("add:", 1) }),
      ("proxy with an answer", { _ = try proxy.send("twice:", 1, returning: Int.self) }),
      ("weak", { try weak.send("add:", 1) }),
    ]
    for (name, send) in ways {
      XCTAssertEqual(try allocations(of: send), 0, name)
    }
  }

  /// How many objects a body allocates on the thread, once it has run.
  private func allocations(of body: @escaping () throws -> Void) rethrows -> Int {
    try body()
    try body()
    var repeated = { for _ in 0..<100 { try? body() } }
    // SAFETY: the context is the closure, which lives until the call has returned.
    return unsafe withUnsafeMutablePointer(to: &repeated) { context in
      unsafe Int(
        fixture_allocations(
          { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context))
    }
  }
}
