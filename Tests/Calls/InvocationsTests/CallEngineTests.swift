import BlockABI
import CFixtures
import Invocations
import XCTest

// SAFETY, for the whole file: the functions have the signatures that they are called by.

/// What makes the calls, chosen for the whole process.
final class CallEngineTests: XCTestCase {
  private let engine = CallEngine.current

  override func tearDown() { CallEngine.current = engine }

  func testBothEnginesGiveTheSameResults() throws {
    for engine in CallEngine.allCases {
      CallEngine.current = engine
      XCTAssertEqual(CallEngine.current, engine)
      let pow = unsafe try CFunction(symbol: "pow", signature: "ddd")
      XCTAssertEqual(try pow(2.0, 10.0), 1024.0, "\(engine)")
      XCTAssertEqual(try pow(2, 10), 1024.0, "\(engine)")
      let div = unsafe try CFunction(symbol: "div", signature: "{div_t=ii}ii")
      XCTAssertEqual(try div.call(values: [17, 5]), .structure([3, 2]), "\(engine)")
      let strchr = unsafe try CFunction(symbol: "strchr", signature: "*r*i")
      XCTAssertEqual(try strchr("key=value", 61), "=value", "\(engine)")
      let negate: @convention(block) (Int8) -> Int8 = { -$0 }
      let block = try Block(negate)
      for value in [Int8(-127), -1, 0, 127] {
        XCTAssertEqual(try block.call(value), -value, "\(engine)")
      }
      let made = try Block(signature: "f@?cf") { call in
        try call.setResult(
          Float(call.argument(1, as: Int8.self)) * call.argument(2, as: Float.self))
      }
      XCTAssertEqual(try made.call(Int8(-3), Float(0.5)), Float(-1.5), "\(engine)")
    }
  }

  func testAnInterfaceNamesItsEngine() throws {
    CallEngine.current = .libffi
    let foreign = try CallInterface.of("iid")
    XCTAssertEqual(foreign.engine, .libffi)
    CallEngine.current = .plans
    let planned = try CallInterface.of("iid")
    XCTAssertEqual(planned.engine, .plans)
    XCTAssertFalse(foreign === planned)
    XCTAssertEqual(foreign.signature, planned.signature)
    XCTAssertEqual(foreign.engine, .libffi)
  }

  func testWhatExistsKeepsItsEngine() throws {
    CallEngine.current = .libffi
    let pow = unsafe try CFunction(symbol: "pow", signature: "ddd")
    let invocation = Invocation(pow)
    CallEngine.current = .plans
    XCTAssertEqual(pow.interface.engine, .libffi)
    XCTAssertEqual(try pow(2.0, 10.0), 1024.0)
    try invocation.setArgument(0, 2.0)
    try invocation.setArgument(1, 10.0)
    // The same signature for the other engine is no other signature.
    try unsafe invocation.invoke(on: CFunction(symbol: "pow", signature: "ddd"))
    XCTAssertEqual(try invocation.result(as: Double.self), 1024)
  }

  func testAVariadicFunctionStaysWithLibffi() throws {
    for engine in CallEngine.allCases {
      CallEngine.current = engine
      let sum = unsafe try CFunction(
        symbol: "snprintf", library: "libc.so.6", signature: "i^vQr*id", fixedArgumentCount: 3)
      XCTAssertEqual(sum.interface.engine, .libffi, "\(engine)")
      let nowhere = unsafe UnsafeMutableRawPointer?.none
      let count: Int32 = unsafe try sum(nowhere, UInt(0), "%d %.1f", Int32(7), 2.5)
      XCTAssertEqual(count, 5, "\(engine)")
    }
  }
}
