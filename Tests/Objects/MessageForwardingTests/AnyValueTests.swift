import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// The values of calls in the Swift types that the methods declare.
final class AnyValueTests: XCTestCase {
  private struct Point: Equatable { var x = 0.0, y = 0.0 }
  private struct Mark: Equatable { var names: [String] }

  private final class Page: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Page.self) {
        Method("move:") { (_: Page, point: Point) in Point(x: point.y, y: point.x) }
        Method("mark:by:as:") { (_: Page, mark: Mark, name: String?, type: AnyClass) in
          mark.names.count
        }
        Method("hold:mark:") { (_: Page, page: Page?, mark: Mark?) in }
        Method("scale:by:") { (_: Page, vector: SIMD4<Float>, factors: SIMD8<Float>) in
          vector * factors.lowHalf
        }
        Method("plain:", signature: "{Point=dd}@:{Point=dd}") { call in
          try call.setResultValue(call.argumentValue(2))
        }
      }
    }
  }

  func testAHookReadsStructuresInTheMethodsOwnTypes() throws {
    let page = Page()
    let read = Recorder<String>()
    let texts: @Sendable ([Any]) -> Void = { values in
      for value in values { read.record("\(Swift.type(of: value)) \(value)") }
    }
    for name: Selector in ["move:", "mark:by:as:", "hold:mark:", "plain:"] {
      try Page.target(name).hook { call in
        texts(call.values)
        try call.proceed()
        if call.hasResult { texts([try call.result(as: Any.self)]) }
      }
    }
    _ = try page.send("move:", Point(x: 1, y: 2), returning: Point.self)
    XCTAssertEqual(read.take(), ["Point Point(x: 1.0, y: 2.0)", "Point Point(x: 2.0, y: 1.0)"])
    _ = try page.send(
      "mark:by:as:", Mark(names: ["a"]), String?.some("b"), Page.self as AnyClass,
      returning: Int.self)
    XCTAssertEqual(
      read.take(),
      ["Mark Mark(names: [\"a\"])", "String b", "Page.Type Page", "Int 1"])
    _ = try page.send("hold:mark:", Page?.none, Mark?.none)
    XCTAssertEqual(read.take(), ["Optional<Any> nil", "Optional<Any> nil"])
    _ = try page.send("plain:", Point(x: 1, y: 2), returning: Point.self)
    XCTAssertEqual(read.take(), ["CValue {1.0, 2.0}", "CValue {1.0, 2.0}"])
  }

  /// Swift's vectors are passed as objects: not all of them are passed by value in C.
  func testVectorsOfEverySizeArrive() throws {
    let page = Page()
    for isHooked in [false, true] {
      let hook =
        try isHooked
        ? page.target("scale:by:").hook { call in
          XCTAssertEqual(call.values.last as? SIMD8<Float>, SIMD8(repeating: 2))
          try call.proceed()
        } : nil
      XCTAssertEqual(
        try page.send("scale:by:", SIMD4<Float>(1, 2, 3, 4), SIMD8<Float>(repeating: 2)),
        SIMD4<Float>(2, 4, 6, 8))
      hook?.remove()
    }
  }

  func testAnInterceptedCallReadsThemLater() throws {
    let page = Page()
    let calls = Recorder<InterceptedCall>()
    let hook = try page.target("move:").install(.intercepting { calls.record($0) })
    _ = try page.send("move:", Point(x: 1, y: 2), returning: Point.self)
    hook.remove()
    let call = try XCTUnwrap(calls.entries.first)
    XCTAssertEqual(call.values.first as? Point, Point(x: 1, y: 2))
    try call.proceed()
    XCTAssertEqual(try call.result(as: Any.self) as? Point, Point(x: 2, y: 1))
  }
}
