import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private struct Failure: Error, Equatable { let number: Int }

/// Messages that are in progress on several stacks of one thread, and end in any order.
final class SeveralStacksMessageTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers know one stack a thread")
  }

  /// The fibre that runs.
  private final class Current: @unchecked Sendable {
    // SAFETY: one thread uses it.
    var fibre: Fibre?

    func resume(_ fibre: Fibre) -> Bool {
      self.fibre = fibre
      return fibre.resume()
    }

    func yield() { fibre?.yield() }
  }

  private func run(_ order: [Int], _ current: Current, _ body: @escaping (Int) throws -> Void) {
    let bodies = order.indices.map { index in
      { (_: Fibre) in do { try body(index) } catch { XCTFail("\(error)") } }
    }
    Fibre.with(size: 1 << 17, bodies) { fibres in
      for fibre in fibres { XCTAssertTrue(current.resume(fibre)) }
      for index in order { XCTAssertFalse(current.resume(fibres[index])) }
    }
  }

  private let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]]

  /// The types of the second message are not the method's.
  func testAMessageEndsWithItsAnswerWhicheverBeganFirst() throws {
    let current = Current()
    let made = try DynamicClass("Several stacks")
    try made.register()
    let selector: Selector = "add:"
    made.replaceMethod(
      Method(selector) { (_: DynamicObject, number: Int64) -> Int64 in
        if number >= 10 { current.yield() }
        return number + 1
      })
    let object = try made.makeInstance()
    let hook = try made.instanceTarget(selector).hook { call in
      let number = try call.argument(2, as: Int64.self)
      if number < 10 { current.yield() }
      try call.proceed()
      XCTAssertEqual(try call.result(as: Int64.self), number + 1)
    }
    for order in orders {
      for first in [0, 10] as [Int64] {
        run(order, current) { index in
          let number = first + Int64(index)
          XCTAssertEqual(try object.send(selector, number), number + 1)
        }
        run(order, current) { index in
          let number = Int(first) + index
          XCTAssertEqual(try object.send(selector, Int32(number), returning: Int.self), number + 1)
        }
      }
    }
    hook.remove()
  }

  /// The method's errors are known to its hooks.
  func testAHookFindsTheErrorOfItsMethodWhicheverBeganFirst() throws {
    try XCTSkipUnless(
      CallInterface.of("q@:q").engine == .plans,
      "by libffi an error is kept for the thread, and found where messages end in order")
    let current = Current()
    let made = try DynamicClass("Errors on several stacks")
    try made.register()
    let selector: Selector = "fail:"
    made.replaceMethod(
      Method(selector) { (_: DynamicObject, number: Int64) -> Int64 in
        current.yield()
        throw Failure(number: Int(number))
      })
    let object = try made.makeInstance()
    let hook = try made.instanceTarget(selector).hook { call in
      try call.proceed()
      XCTAssertEqual(
        call.error as? Failure, Failure(number: Int(try call.argument(2, as: Int64.self))))
      try call.setResult(Int64(7))
    }
    for order in orders {
      run(order, current) { index in XCTAssertEqual(try object.send(selector, Int64(index)), 7) }
    }
    hook.remove()
  }
}
