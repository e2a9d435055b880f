import BlockRuntime
import TestSupport
import XCTest

/// A delegate made of blocks, step by step.
final class DynamicDelegateTests: XCTestCase {
  /// What a table asks its delegate.
  private func makeProtocol() throws -> MessageProtocol {
    try MessageProtocol(
      "TableDelegate",
      [
        .required("rowCount", returning: Int64.self),
        .optional("titleOfRow:", taking: Int64.self, returning: String.self),
      ])
  }

  /// A delegate of the usual kind: a class with methods.
  private final class Controller: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Controller.self) {
        Method("rowCount") { (_: Controller) -> Int64 in 3 }
        Method("titleOfRow:") { (_: Controller, row: Int64) -> String in "controller's \(row)" }
      }
    }
  }

  private func code(_ body: () throws -> Void) -> ErrorCode? {
    do { try body() } catch { return (error as? MessageError)?.code }
    return nil
  }

  /// 1. Nobody has implemented anything: an error for each kind of method, and no crash.
  func testWithoutImplementationsMessagesAreErrors() throws {
    let delegate = DynamicDelegate(try makeProtocol())
    XCTAssertFalse(delegate.responds(to: "rowCount"))
    XCTAssertEqual(code { try delegate.send("rowCount") }, .missingRequiredMethod)
    XCTAssertEqual(code { try delegate.send("titleOfRow:", Int64(0)) }, .unrecognizedSelector)
    // A table can ask once, when the delegate is set, instead of finding out in the middle.
    XCTAssertEqual(delegate.missingRequiredMethods.map(\.selector.name), ["rowCount"])
    XCTAssertEqual(code { try delegate.requireComplete() }, .missingRequiredMethod)
  }

  /// 2. A block implements a method. Its signature is compared with the protocol's there and then.
  func testABlockImplementsAMethod() throws {
    let delegate = DynamicDelegate(try makeProtocol())
    try delegate.implement("rowCount") { Int64(5) }
    XCTAssertEqual(try delegate.send("rowCount", returning: Int64.self), 5)
    XCTAssertNoThrow(try delegate.requireComplete())
    // A block of the wrong types is refused now, with the difference, not called with garbage
    // later.
    let wrong = try Block(signature: "q@?d") { call in try call.setResult(Int64(0)) }
    XCTAssertEqual(code { try delegate.implement("rowCount", with: wrong) }, .typeMismatch)
    XCTAssertEqual(try delegate.send("rowCount", returning: Int64.self), 5)
  }

  /// 3. A real delegate gets what no block implements, so a block can override one method of it.
  func testTheRealDelegateGetsTheRest() throws {
    let delegate = DynamicDelegate(try makeProtocol())
    let controller = Controller()
    try delegate.setRealDelegate(controller)
    try delegate.implement("titleOfRow:") { (row: Int64) in "block's \(row)" }
    XCTAssertEqual(try delegate.send("rowCount", returning: Int64.self), 3)
    XCTAssertEqual(try delegate.send("titleOfRow:", Int64(1), returning: String.self), "block's 1")
    // 4. Removed, the method is the real delegate's again.
    XCTAssertTrue(delegate.removeMethod("titleOfRow:"))
    XCTAssertEqual(
      try delegate.send("titleOfRow:", Int64(1), returning: String.self), "controller's 1")
    // Delegates are not kept alive by what they serve, this one neither.
    try withExtendedLifetime(controller) { XCTAssertNoThrow(try delegate.requireComplete()) }
  }

  /// A table whose delegate's methods are properties of it: `table.rowCount = { 5 }`.
  private final class Table: DelegateOwner {
    let dynamicDelegate: DynamicDelegate
    @LinkedMethod("rowCount") var rowCount: (@Sendable () -> Int64)?
    @LinkedMethod("titleOfRow:") var titleOfRow: (@Sendable (Int64) -> String)?

    init(_ messageProtocol: MessageProtocol) {
      dynamicDelegate = DynamicDelegate(messageProtocol)
    }
  }

  /// 5. A property's setter implements, its getter gives the closure back, and nil removes.
  func testAPropertyIsAMethodOfTheDelegate() throws {
    let table = Table(try makeProtocol())
    XCTAssertNil(table.titleOfRow)
    table.titleOfRow = { "row \($0)" }
    XCTAssertEqual(
      try table.dynamicDelegate.send("titleOfRow:", Int64(7), returning: String.self), "row 7")
    XCTAssertEqual(table.titleOfRow?(8), "row 8")
    table.titleOfRow = nil
    XCTAssertFalse(table.dynamicDelegate.responds(to: "titleOfRow:"))
  }

  /// 6. What a block captured goes with the method.
  func testARemovedMethodFreesWhatItCaptured() throws {
    let tracker = LifetimeTracker()
    let delegate = DynamicDelegate(try makeProtocol())
    let method = try delegate.implement("rowCount") { [tracked = tracker.track()] in
      withExtendedLifetime(tracked) { Int64(1) }
    }
    XCTAssertEqual(try delegate.send("rowCount", returning: Int64.self), 1)
    XCTAssertTrue(method.remove())
    tracker.expectNothingAlive()
    XCTAssertFalse(method.remove())
    XCTAssertEqual(code { try delegate.send("rowCount") }, .missingRequiredMethod)
  }
}
