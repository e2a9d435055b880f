import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private final class Geometry: MessageReceiver {
  static let rectangle = "{Rectangle={Point=dd}{Size=dd}}"
  static let many = "{Many=\(Array(repeating: rectangle, count: 12).joined())}"

  static var methods: MethodTable {
    MethodTable(Geometry.self) {
      Method("many:", signature: "\(many)@:\(many)") { try $0.setResultValue($0.argumentValue(2)) }
      Method("nested:", signature: "{?={?=ic}{?=[2s]f}}@:{?={?=ic}{?=[2s]f}}") {
        try $0.setResultValue($0.argumentValue(2))
      }
      Method("takes:then:", signature: "i@:{Empty=}i") {
        try $0.setResult($0.argument(3, as: Int32.self))
      }
      Method("empty", signature: "{Empty=}@:") { _ in }
    }
  }
}

/// Large and awkward structures as arguments and results of methods.
final class RecordTests: XCTestCase {
  private static func rectangles(_ first: Int) -> CValue {
    .structure((first..<(first + 12)).map(rectangle))
  }

  private static func rectangle(_ number: Int) -> CValue {
    let values = (0..<4).map { CValue.double(Double(4 * number + $0)) }
    return .structure([.structure([values[0], values[1]]), .structure([values[2], values[3]])])
  }

  func testTwelveRectanglesPassThroughHooks() throws {
    let geometry = Geometry()
    let (many, other) = (Self.rectangles(0), Self.rectangles(1))
    XCTAssertEqual(try geometry.send("many:", values: [many]), many)
    let before = try Geometry.target("many:").hook(.before) {
      try $0.setArgumentValue(2, Self.rectangles(1))
    }
    XCTAssertEqual(try geometry.send("many:", values: [many]), other)
    let after = try geometry.target("many:").hook(.after) {
      try $0.setResultValue(Self.rectangles(0))
    }
    XCTAssertEqual(try geometry.send("many:", values: [other]), many)
    before.remove()
    after.remove()
  }

  func testNestedAnonymousStructuresPass() throws {
    let value = CValue.structure([
      .structure([1, 2]), .structure([.array([3, 4]), .float(5)]),
    ])
    XCTAssertEqual(try Geometry().send("nested:", values: [value]), value)
    let hook = try Geometry.target("nested:").hook { try $0.proceed() }
    XCTAssertEqual(try Geometry().send("nested:", values: [value]), value)
    hook.remove()
  }

  func testEmptyStructuresAreArguments() throws {
    let empty = CValue.structure([])
    XCTAssertEqual(try Geometry().send("takes:then:", values: [empty, 5]), 5)
    let hook = try Geometry.target("takes:then:").hook(.before) { try $0.setArgument(3, Int32(6)) }
    XCTAssertEqual(try Geometry().send("takes:then:", values: [empty, 5]), 6)
    hook.remove()
  }

  /// One may hide a vector, which has no encoding.
  func testEmptyStructuresAreRefusedAsResults() {
    expectError(.invalidSignature, "empty record") {
      try Geometry().send("empty", values: [])
    }
    expectError(.invalidSignature, "empty record") {
      try Geometry.target("empty").hook { _ in }
    }
  }
}
