import XCTest

/// Hazard pointers under Arm's memory model, in every execution that it allows: see
/// CBRHazardPointers.h and HazardPointers.c, whose functions the programs follow access by access.
///
/// Each test shows that something wrong is impossible, and that it is possible without what
/// prevents it.
final class HazardPointerModelTests: XCTestCase {
  private enum Value {
    static let none = 0, object = 1, itself = 2
    static let intact = 0, freed = 1
    static let old = 0, new = 1
  }

  private func expectImpossible(
    _ program: LitmusProgram, unless others: (String, LitmusProgram)..., line: UInt = #line
  ) {
    XCTAssertFalse(Executions(program).areAnyPossible, line: line)
    for (missing, program) in others {
      XCTAssertTrue(Executions(program).areAnyPossible, "without \(missing)", line: line)
    }
  }

  /// How a thread that takes an object away makes the other threads' stores visible.
  private enum Barrier { case membarrier, fence, nothing }

  /// `cbr_hazard_protect_loaded`, a use of the object that finds it freed, and `cbr_hazard_clear`.
  private func call(
    isFenced: Bool = false, clearing: Order? = nil
  ) -> (inout LitmusThread) -> Void {
    { thread in
      thread.store(Value.object, in: "running", .release)
      if isFenced { thread.fence() }
      let slot = thread.load("slot", finding: Value.old, .acquirePC)
      thread.load("object", finding: Value.freed, needing: slot)
      if let clearing { thread.store(Value.none, in: "running", clearing) }
    }
  }

  /// `cbr_slot_exchange`, `cbr_hazards_await`, and the release of an object that no call protects.
  private func retire(
    _ barrier: Barrier = .membarrier
  ) -> (inout LitmusThread) -> Void {
    { thread in
      thread.exchange("slot", finding: Value.old, storing: Value.new, .acquire, .release)
      switch barrier {
      case .membarrier:
        thread.fence()
        thread.membarrier()
      case .fence: thread.fence()
      case .nothing: break
      }
      let running = thread.load("running", finding: Value.none, .acquirePC)
      thread.branch(on: running)
      thread.store(Value.freed, in: "object")
    }
  }

  func testNoCallUsesAnObjectThatAThreadFoundUnprotected() {
    expectImpossible(
      LitmusProgram(call(), retire()),
      unless: ("membarrier", LitmusProgram(call(), retire(.fence))))
  }

  func testANewObjectAtTheAddressOfAFreedOneIsSeenWhole() {
    // The entries in assembly: the object's address is that of the first load, but the second one
    // decides.
    let call = { (order: Order) -> (inout LitmusThread) -> Void in
      { thread in
        let first = thread.load("slot", finding: Value.old)
        thread.store(Value.object, in: "running", needing: first)
        let second = thread.load("slot", finding: Value.old, order)
        thread.branch(on: second)
        thread.load("object", finding: Value.freed, needing: first)
        thread.store(Value.none, in: "running", .release)
      }
    }
    let again: (inout LitmusThread) -> Void = { thread in
      self.retire()(&thread)
      thread.store(2, in: "object")
      thread.exchange("slot", finding: Value.new, storing: Value.old, .acquire, .release)
    }
    expectImpossible(
      LitmusProgram(call(.acquirePC), again),
      unless: ("the second load's acquire", LitmusProgram(call(.plain), again)))
  }

  func testAPlaceIsReusedOnlyAfterTheCallThatEndedElsewhereHasLeftIt() {
    // `cbr_hazard_clear_out_of_order` on another thread than the hazard pointer's, whose owner
    // takes it again.
    let ending = { (order: Order) -> (inout LitmusThread) -> Void in
      { thread in
        thread.load("running", finding: Value.object)
        thread.store(Value.itself, in: "running", .release)
        thread.fence()
        thread.store(1, in: "left", order)
      }
    }
    let owner = { (order: Order) -> (inout LitmusThread) -> Void in
      { thread in
        thread.store(Value.object, in: "running", .release)
        let left = thread.load("left", finding: 1, order)
        thread.branch(on: left)
        thread.store(3, in: "running", .release)
      }
    }
    let unordered: (inout LitmusThread) -> Void = { thread in
      thread.load("running", finding: Value.object)
      thread.store(Value.itself, in: "running", .release)
      thread.store(1, in: "left")
    }
    let lost = ["running": Value.itself]
    expectImpossible(
      LitmusProgram(ending(.release), owner(.acquirePC), finally: lost),
      unless: (
        "the fence and the release", LitmusProgram(unordered, owner(.acquirePC), finally: lost)
      ))
  }

  func testWithoutMembarrierTheFencesOfBothThreadsSuffice() {
    expectImpossible(
      LitmusProgram(call(isFenced: true), retire(.fence)),
      unless: ("the call's fence", LitmusProgram(call(), retire(.fence))),
      ("the other thread's fence", LitmusProgram(call(isFenced: true), retire(.nothing))))
  }

  func testAnEndedCallUsedTheObjectBeforeItIsFreed() {
    expectImpossible(
      LitmusProgram(call(clearing: .release), retire()),
      unless: ("the release when it is cleared", LitmusProgram(call(clearing: .plain), retire())))
  }

  func testACallOfASignalsHandlerIsFoundWhateverItInterrupts() {
    // The interrupted call takes the place `running0` and protects another object, in the words of
    // `cbr_hazard_take`, `cbr_hazard_store` and `cbr_hazard_clear`; the thread's `top` is its own.
    func paths() -> [(inout LitmusThread) -> Void] {
      final class Top { var place = 0 }
      let top = Top()
      let call = { (body: @escaping (inout LitmusThread, String) -> Void) in
        { (thread: inout LitmusThread) in
          let place = top.place
          top.place = place + 1
          thread.step()
          body(&thread, "running\(place)")
          top.place = place
          thread.step()
          thread.store(Value.none, in: "running\(place)", .release)
        }
      }
      let interrupted = call { thread, place in
        thread.store(3, in: place, .release)
      }
      let handler = call { thread, place in
        thread.store(Value.object, in: place, .release)
        let slot = thread.load("slot", finding: Value.old, .acquirePC)
        thread.load("object", finding: Value.freed, needing: slot)
      }
      return LitmusThread.interrupting(interrupted, by: handler)
    }
    let scan = { (isWhole: Bool, barrier: Barrier) -> (inout LitmusThread) -> Void in
      { thread in
        thread.exchange("slot", finding: Value.old, storing: Value.new, .acquire, .release)
        thread.fence()
        if barrier == .membarrier { thread.membarrier() }
        thread.branch(on: thread.load("running0", finding: Value.none, .acquirePC))
        if isWhole {
          thread.branch(on: thread.load("running1", finding: Value.none, .acquirePC))
        }
        thread.store(Value.freed, in: "object")
      }
    }
    func isAnyPossible(_ isWhole: Bool, _ barrier: Barrier) -> Bool {
      paths().contains { path in
        Executions(LitmusProgram(path, scan(isWhole, barrier))).areAnyPossible
      }
    }
    XCTAssertFalse(isAnyPossible(true, .membarrier))
    XCTAssertTrue(isAnyPossible(true, .fence), "without membarrier")
    XCTAssertTrue(isAnyPossible(false, .membarrier), "with a scan that stops at an empty place")
  }

  func testAThreadThatFindsItselfAloneSeesNoCallOfANewThread() {
    // `cbr_thread_register` and `order_all_threads`, which spares the system call if there is no
    // other record.
    let newcomer = { (isFenced: Bool) -> (inout LitmusThread) -> Void in
      { thread in
        thread.exchange("isUsed", finding: 0, storing: 1, .acquire)
        if isFenced { thread.fence() }
        thread.store(Value.object, in: "running", .release)
        let slot = thread.load("slot", finding: Value.old, .acquirePC)
        thread.load("object", finding: Value.freed, needing: slot)
      }
    }
    let alone = { (isFenced: Bool) -> (inout LitmusThread) -> Void in
      { thread in
        thread.exchange("slot", finding: Value.old, storing: Value.new, .acquire, .release)
        if isFenced { thread.fence() }
        // `count` looks no further either.
        thread.branch(on: thread.load("isUsed", finding: 0, .acquirePC))
        thread.store(Value.freed, in: "object")
      }
    }
    expectImpossible(
      LitmusProgram(newcomer(true), alone(true)),
      unless: ("the newcomer's fence", LitmusProgram(newcomer(false), alone(true))),
      ("the other thread's fence", LitmusProgram(newcomer(true), alone(false))))
  }

  func testACallThatIsFoundWhenAllAreCountedAgainSeesItsMark() {
    let ending = { (isFenced: Bool) -> (inout LitmusThread) -> Void in
      { thread in
        thread.store(Value.object, in: "running", .release)
        thread.store(Value.none, in: "running", .release)
        if isFenced { thread.fence() }
        thread.load("awaited", finding: 0)
      }
    }
    let waiting = { (barrier: Barrier) -> (inout LitmusThread) -> Void in
      { thread in
        thread.load("running", finding: Value.object, .acquirePC)
        thread.exchange("awaited", finding: 0, storing: 1)
        thread.fence()
        if barrier == .membarrier { thread.membarrier() }
        thread.load("running", finding: Value.object, .acquirePC)
      }
    }
    expectImpossible(
      LitmusProgram(ending(false), waiting(.membarrier)),
      unless: ("membarrier", LitmusProgram(ending(false), waiting(.fence))))
    expectImpossible(LitmusProgram(ending(true), waiting(.fence)))
  }

  func testAnObjectStaysProtectedWhileItsCallStopsRunningIt() {
    // `cbr_hazard_protect_only` and `count`, which reads what is running before what is protected.
    let call = { (order: Order) -> (inout LitmusThread) -> Void in
      { thread in
        thread.store(Value.object, in: "running", .release)
        let slot = thread.load("slot", finding: Value.old, .acquirePC)
        thread.store(Value.object, in: "protecting", .release)
        thread.store(Value.itself, in: "running", order)
        thread.load("object", finding: Value.freed, needing: slot)
      }
    }
    let retire = { (order: Order) -> (inout LitmusThread) -> Void in
      { thread in
        thread.exchange("slot", finding: Value.old, storing: Value.new, .acquire, .release)
        thread.fence()
        thread.membarrier()
        thread.branch(on: thread.load("running", finding: Value.itself, order))
        thread.branch(on: thread.load("protecting", finding: Value.none, .acquirePC))
        thread.store(Value.freed, in: "object")
      }
    }
    expectImpossible(
      LitmusProgram(call(.release), retire(.acquirePC)),
      unless: ("the release", LitmusProgram(call(.plain), retire(.acquirePC))),
      ("the acquire", LitmusProgram(call(.release), retire(.plain))))
  }

  func testACallSeesAllOfAnObjectThatReplacesAnother() {
    let call = { (order: Order, isNeeded: Bool) -> (inout LitmusThread) -> Void in
      { thread in
        let slot = thread.load("slot", finding: Value.new, order)
        if isNeeded {
          thread.load("content", finding: 0, needing: slot)
        } else {
          thread.load("content", finding: 0)
        }
      }
    }
    let replace = { (order: Order) -> (inout LitmusThread) -> Void in
      { thread in
        thread.store(1, in: "content")
        thread.exchange("slot", finding: Value.old, storing: Value.new, .plain, order)
      }
    }
    expectImpossible(
      LitmusProgram(call(.acquirePC, false), replace(.release)),
      unless: ("the acquire", LitmusProgram(call(.plain, false), replace(.release))),
      ("the release", LitmusProgram(call(.acquirePC, false), replace(.plain))))
    expectImpossible(LitmusProgram(call(.plain, true), replace(.release)))
  }
}
