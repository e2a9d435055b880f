import XCTest

/// What compiled code reads by plain loads, under Arm's memory model: the words of a block, and
/// import slots.
final class PublicationModelTests: XCTestCase {
  /// A caller that finds a block's new invoke function, and then loads a word that comes with it,
  /// which lies at an address that does not depend on the function.
  private let caller: (inout LitmusThread) -> Void = { thread in
    let invoke = thread.load("invoke", finding: 1)
    thread.branch(on: invoke)
    thread.load("companion", finding: 0)
  }

  private func publish(
    _ order: Order, hasMembarrier: Bool
  ) -> (inout LitmusThread) -> Void {
    { thread in
      thread.store(1, in: "companion")
      if hasMembarrier { thread.membarrier() }
      thread.store(1, in: "invoke", order)
    }
  }

  func testAMembarrierBeforeTheLastStoreOrdersCallersThatHaveNoBarrier() {
    XCTAssertFalse(
      Executions(LitmusProgram(caller, publish(.release, hasMembarrier: true))).areAnyPossible)
    XCTAssertTrue(
      Executions(LitmusProgram(caller, publish(.release, hasMembarrier: false))).areAnyPossible,
      "a release is of no use to a reader without acquire")
  }
}
