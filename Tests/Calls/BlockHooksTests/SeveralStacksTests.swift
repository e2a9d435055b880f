import BlockABI
import BlockHooks
import CFixtures
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Calls that are under way on several stacks of one thread, and do not end in the order of their
/// begins.
final class SeveralStacksTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers know one stack a thread")
  }

  /// One call after another begins, each on a stack of its own; they end in any order, and each
  /// hook goes while its call is under way.
  private func expectKept(
    hooks: Int, line: UInt = #line, _ makeBlock: () throws -> (block: Block, call: () -> Void)
  ) throws {
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]] {
      let tracker = LifetimeTracker()
      let current = Current()
      var tokens: [[Hook]] = []
      var bodies: [(Fibre) -> Void] = []
      for _ in order {
        let made = try makeBlock()
        tokens.append(
          try (0..<hooks).map { index in
            let tracked = tracker.track()
            // The first is innermost.
            return try made.block.hook { call in
              if index == 0 { current.yield() }
              try call.proceed()
              withExtendedLifetime(tracked) {}
            }
          })
        bodies.append { _ in made.call() }
      }
      Fibre.with(size: 1 << 17, bodies) { fibres in
        for index in order.indices { XCTAssertTrue(current.resume(fibres[index]), line: line) }
        for (ended, index) in order.enumerated() {
          for token in tokens[index] { token.removeAndWait() }
          tokens[index] = []
          // What is not alive any more must not go on.
          guard tracker.alive == hooks * (order.count - ended) else {
            return XCTFail("freed in use: \(order), \(ended) ended", line: line)
          }
          XCTAssertFalse(current.resume(fibres[index]), line: line)
          XCTAssertEqual(tracker.alive, hooks * (order.count - ended - 1), line: line)
        }
      }
      tracker.expectNothingAlive(line: line)
    }
  }

  /// The fibre that runs.
  private final class Current: @unchecked Sendable {
    // SAFETY: one thread uses it.
    private var fibre: Fibre?

    func resume(_ fibre: Fibre) -> Bool {
      self.fibre = fibre
      return fibre.resume()
    }

    func yield() { fibre?.yield() }
  }

  func testACallKeepsWhatItUsesWhicheverStacksCallEndsFirst() throws {
    for hooks in 1...3 {
      try expectKept(hooks: hooks) {
        let narrow: @convention(block) (Int32) -> Int32 = { $0 }
        return (try Block(narrow), { XCTAssertEqual(narrow(7), 7) })
      }
      try expectKept(hooks: hooks) {
        let wide: @convention(block) (Int32, Int32, Int32, Int32, Int32) -> Int32 = { $4 + $0 }
        return (try Block(wide), { XCTAssertEqual(wide(1, 2, 3, 4, 5), 6) })
      }
    }
  }

  func testRandomCallsOnManyStacksAreAnnouncedUntilTheyEnd() throws {
    // Addresses that nothing has.
    let addresses = (1...64).map { UInt(16 * $0) }
    for seed in 1...20 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      // What is protected, and where, on each stack; the thread's own comes first.
      var stacks = [[(what: UInt, place: UInt)]](repeating: [], count: 1 + Int(seed))
      var isOver = false
      var index = 0
      func step() {
        let depth = stacks[index].count
        if !isOver && depth < 40 && Int.random(in: 0..<100, using: &generator) < 55 {
          let what = addresses.randomElement(using: &generator) ?? 0
          stacks[index].append((what, fixture_announce(what)))
        } else if depth > 0 {
          // On the thread's own stack `longjmp` may have left some.
          let left = index == 0 ? Int.random(in: 0..<min(3, depth), using: &generator) : 0
          fixture_announcement_ends(stacks[index][depth - 1 - left].place)
          stacks[index].removeLast(1 + left)
        }
      }
      func check() {
        let what = addresses.randomElement(using: &generator) ?? 0
        let expected = stacks.joined().count { $0.what == what }
        XCTAssertEqual(fixture_announced(what), expected, "seed \(seed)")
      }
      let bodies = (1...Int(seed)).map { own in
        { (fibre: Fibre) in
          while !isOver || !stacks[own].isEmpty {
            step()
            fibre.yield()
          }
        }
      }
      Fibre.with(size: 1 << 15, bodies) { fibres in
        func turn(_ next: Int) {
          index = next
          if next == 0 { step() } else { fibres[next - 1].resume() }
          check()
        }
        for _ in 0..<500 { turn(Int.random(in: 0...fibres.count, using: &generator)) }
        isOver = true
        for next in (0...fibres.count).shuffled(using: &generator) {
          while !stacks[next].isEmpty { turn(next) }
        }
        for fibre in fibres { XCTAssertFalse(fibre.resume()) }
      }
      for what in addresses { XCTAssertEqual(fixture_announced(what), 0, "seed \(seed)") }
    }
  }

  func testACallThatEndsOnAnotherThreadEndsAndHidesNoneThere() throws {
    let (moved, other): (UInt, UInt) = (16, 32)
    let place = fixture_announce(moved)
    let group = ThreadGroup()
    group.start {
      let outer = fixture_announce(other)
      fixture_announcement_ends(place)
      let inner = fixture_announce(other)
      XCTAssertEqual(fixture_announced(other), 2)
      fixture_announcement_ends(inner)
      XCTAssertEqual(fixture_announced(other), 1)
      fixture_announcement_ends(outer)
    }
    group.wait()
    XCTAssertEqual(fixture_announced(moved), 0)
    XCTAssertEqual(fixture_announced(other), 0)
    // The thread's own calls are as they were.
    for _ in 0..<100 {
      let next = fixture_announce(other)
      XCTAssertEqual(fixture_announced(other), 1)
      fixture_announcement_ends(next)
      XCTAssertEqual(fixture_announced(other), 0)
    }
  }

  func testOrderIsBackWhenNothingIsAnnouncedAfterACallEndedOnAnotherThread() throws {
    let group = ThreadGroup()
    group.start {
      let (moved, first, second): (UInt, UInt, UInt) = (16, 32, 48)
      let place = fixture_announce(moved)
      let other = ThreadGroup()
      other.start {
        _ = fixture_announce(first)
        fixture_announcement_ends(place)
      }
      other.wait()
      for _ in 0..<2 {
        Fibre.with(
          size: 1 << 16,
          [
            { fibre in
              let place = fixture_announce(first)
              fibre.yield()
              fixture_announcement_ends(place)
            }
          ]
        ) { fibres in
          fibres[0].resume()
          let place = fixture_announce(second)
          fibres[0].resume()
          XCTAssertFalse(fixture_is_in_order())
          fixture_announcement_ends(place)
          XCTAssertTrue(fixture_is_in_order())
        }
      }
    }
    group.wait()
  }
}
