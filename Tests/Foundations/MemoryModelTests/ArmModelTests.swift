import XCTest

/// The model itself, by the classic litmus tests.
///
/// Their results are published: C. Pulte and others, "Simplifying ARM Concurrency", POPL 2018;
/// J. Alglave and others, "Herding Cats", ACM TOPLAS 36(2), 2014.
final class ArmModelTests: XCTestCase {
  private func expect(
    _ isPossible: Bool, _ program: LitmusProgram, _ name: String, line: UInt = #line
  ) {
    XCTAssertEqual(Executions(program).areAnyPossible, isPossible, name, line: line)
  }

  /// How a thread orders its two accesses.
  private enum Between {
    case nothing, fence, storeFence, acquirePC, acquire, release, both, bothPC, data, control
  }

  /// A thread of two accesses; true is a store of 1, a number the value that a load finds.
  private func thread(
    _ first: (String, Int?), _ between: Between, _ second: (String, Int?)
  ) -> (inout LitmusThread) -> Void {
    { thread in
      let isAcquired = [.acquire, .both].contains(between)
      let isAcquiredPC = [.acquirePC, .bothPC].contains(between)
      let isReleased = [.release, .both, .bothPC].contains(between)
      var needed: LitmusThread.Load?
      if let value = first.1 {
        needed = thread.load(
          first.0, finding: value, isAcquired ? .acquire : isAcquiredPC ? .acquirePC : .plain)
      } else {
        thread.store(1, in: first.0, isReleased && second.1 != nil ? .release : .plain)
      }
      switch between {
      case .fence: thread.fence()
      case .storeFence: thread.storeFence()
      case .control: needed.map { thread.branch(on: $0) }
      default: break
      }
      if let value = second.1 {
        let order: Order =
          isAcquired && first.1 == nil
          ? .acquire : isAcquiredPC && first.1 == nil ? .acquirePC : .plain
        if between == .data, let needed {
          thread.load(second.0, finding: value, order, needing: needed)
        } else {
          thread.load(second.0, finding: value, order)
        }
      } else if between == .data, let needed {
        thread.store(1, in: second.0, needing: needed)
      } else {
        thread.store(1, in: second.0, isReleased ? .release : .plain)
      }
    }
  }

  func testStoreBufferingNeedsAFenceOrAnAcquireThatDoesNotOvertakeAReleasingStore() {
    let rows: [(Between, Bool)] = [
      (.nothing, true), (.fence, false), (.both, false), (.bothPC, true), (.storeFence, true),
    ]
    for (between, isPossible) in rows {
      expect(
        isPossible,
        LitmusProgram(thread(("x", nil), between, ("y", 0)), thread(("y", nil), between, ("x", 0))),
        "SB \(between)")
    }
  }

  func testMessagePassingNeedsOrderOnBothSides() {
    let writers: [(Between, Bool)] = [
      (.nothing, false), (.fence, true), (.storeFence, true), (.release, true),
    ]
    let readers: [(Between, Bool)] = [
      (.nothing, false), (.fence, true), (.acquire, true), (.acquirePC, true), (.data, true),
      (.control, false),
    ]
    for (writer, isWritten) in writers {
      for (reader, isRead) in readers {
        expect(
          !(isWritten && isRead),
          LitmusProgram(thread(("x", nil), writer, ("y", nil)), thread(("y", 1), reader, ("x", 0))),
          "MP \(writer) \(reader)")
      }
    }
  }

  func testLoadBufferingNeedsOrderOnBothSides() {
    let rows: [(Between, Bool)] = [
      (.nothing, false), (.fence, true), (.acquire, true), (.release, true), (.data, true),
      (.control, true), (.storeFence, false),
    ]
    for (first, isFirst) in rows {
      for (second, isSecond) in rows {
        expect(
          !(isFirst && isSecond),
          LitmusProgram(thread(("x", 1), first, ("y", nil)), thread(("y", 1), second, ("x", nil))),
          "LB \(first) \(second)")
      }
    }
  }

  func testIndependentReadersAgreeIfEachReadsInOrder() {
    for (between, isPossible) in [
      (Between.nothing, true), (.data, false), (.acquirePC, false), (.control, true),
    ] {
      expect(
        isPossible,
        LitmusProgram(
          { $0.store(1, in: "x") }, { $0.store(1, in: "y") },
          thread(("x", 1), between, ("y", 0)), thread(("y", 1), between, ("x", 0))),
        "IRIW \(between)")
    }
  }

  func testOrderIsCumulative() {
    for (first, second, isPossible) in [
      (Between.data, Between.data, false), (.nothing, .data, true), (.data, .nothing, true),
      (.release, .acquire, false),
    ] {
      expect(
        isPossible,
        LitmusProgram(
          { $0.store(1, in: "x") }, thread(("x", 1), first, ("y", nil)),
          thread(("y", 1), second, ("x", 0))),
        "WRC \(first) \(second)")
    }
  }

  func testStoresOfTwoThreadsNeedOrderToAgree() {
    for (between, isPossible) in [(Between.nothing, true), (.storeFence, false), (.release, false)]
    {
      let program = LitmusProgram(
        { t in
          t.store(1, in: "x")
          if between == .storeFence { t.storeFence() }
          t.store(2, in: "y", between == .release ? .release : .plain)
        },
        { t in
          t.store(1, in: "y")
          if between == .storeFence { t.storeFence() }
          t.store(2, in: "x", between == .release ? .release : .plain)
        }, finally: ["x": 1, "y": 1])
      expect(isPossible, program, "2+2W \(between)")
    }
  }

  func testOneLocationIsCoherent() {
    expect(
      false,
      LitmusProgram(
        { $0.store(1, in: "x") },
        {
          $0.load("x", finding: 1)
          $0.load("x", finding: 0)
        }), "CoRR")
    expect(
      false,
      LitmusProgram(
        {
          $0.store(1, in: "x")
          $0.store(2, in: "x")
        }, finally: ["x": 1]), "CoWW")
    expect(
      false,
      LitmusProgram(
        {
          $0.store(1, in: "x")
          $0.load("x", finding: 0)
        }), "CoWR")
  }

  func testNothingComesBetweenAnExchangesLoadAndStore() {
    let add: (inout LitmusThread) -> Void = { $0.exchange("x", finding: 0, storing: 1) }
    expect(false, LitmusProgram(add, add), "two exchanges of the same value")
    expect(
      true, LitmusProgram(add, { $0.exchange("x", finding: 1, storing: 2) }, finally: ["x": 2]),
      "one after the other")
    // A later load may overtake an exchange's store.
    for order in [Order.plain, .release] {
      let thread = { (first: String, second: String) -> (inout LitmusThread) -> Void in
        { t in
          t.exchange(first, finding: 0, storing: 1, .plain, order)
          t.load(second, finding: 0)
        }
      }
      expect(true, LitmusProgram(thread("x", "y"), thread("y", "x")), "SB of exchanges \(order)")
    }
  }

  func testAMembarrierOrdersAThreadThatHasNoFence() {
    for (has, isPossible) in [(true, false), (false, true)] {
      expect(
        isPossible,
        LitmusProgram(
          thread(("x", nil), .nothing, ("y", 0)),
          { t in
            t.store(1, in: "y")
            if has { t.membarrier() } else { t.fence() }
            t.load("x", finding: 0)
          }), "SB, one side has \(has ? "a membarrier" : "a fence")")
    }
    // A third thread's barrier may come before or after both.
    expect(
      true,
      LitmusProgram(
        thread(("x", nil), .nothing, ("y", 0)), thread(("y", nil), .nothing, ("x", 0)),
        { $0.membarrier() }), "SB beside a membarrier")
  }
}
