import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

final class DelegateProtocolTests: XCTestCase {
  func testAMethodIsFoundRequiredFirstThenOptionalThenInherited() throws {
    let grandparent = try MessageProtocol(
      "A", [.required("a", signature: "v@:"), .required("both", signature: "q@:")])
    let parent = try MessageProtocol(
      "B", inheriting: [grandparent], [.optional("a", signature: "i@:")])
    let child = try MessageProtocol(
      "C", inheriting: [parent, grandparent],
      [
        .optional("both", signature: "d@:"),
        .optional("own:", taking: Int32.self, returning: Bool.self),
        MethodDescription.required("own:", signature: "v@:@").ofClass(),
      ])
    let rows: [(Selector, ofClass: Bool, expected: String?)] = [
      ("a", false, "a (v@:)"), ("both", false, "both (q@:)"), ("own:", false, "own: (B@:i)"),
      ("own:", true, "+own: (v@:@)"), ("a", true, nil), ("none", false, nil),
    ]
    for (selector, ofClass, expected) in rows {
      XCTAssertEqual(child.method(selector, ofClass: ofClass)?.description, expected)
    }
    XCTAssertEqual(parent.method("a")?.isRequired, true)
    XCTAssertEqual(child.ownMethods.map(\.selector.name), ["both", "own:", "own:"])
    XCTAssertEqual(
      child.allMethods.map(\.description),
      ["both (q@:)", "own: (B@:i)", "+own: (v@:@)", "a (v@:)"])
    let delegate = DynamicDelegate(child)
    for (other, expected) in [(child, true), (parent, true), (grandparent, true)] {
      XCTAssertEqual(delegate.conforms(to: other), expected)
    }
    XCTAssertFalse(parent.conforms(to: child))
    XCTAssertFalse(DynamicDelegate(grandparent).conforms(to: try MessageProtocol("A", [])))
  }

  func testAnInheritedMethodCanBeImplemented() throws {
    let base = try MessageProtocol("Base", [.required("number", signature: "q@:")])
    let delegate = DynamicDelegate(try MessageProtocol("Derived", inheriting: [base], []))
    XCTAssertEqual(delegate.missingRequiredMethods.map(\.selector), ["number"])
    try delegate.implement("number") { Int64(4) }
    XCTAssertEqual(try delegate.send("number", returning: Int64.self), 4)
  }

  func testAMethodThatCannotBeOneIsRefused() {
    let rows: [[MethodDescription]] = [
      [.required("a", signature: "v@:i")], [.required("a:", signature: "v@:")],
      [.required("a", signature: "v")],
      [.required("a", signature: "v@?")], [.required("a", signature: "")],
      [.optional("a", signature: "v@:{")],
      [.optional("a", signature: "v@:?")], [.required("a:", signature: "v@:(u=ic)?")],
      [.required("a:", returning: Int.self)], [.required("a", taking: Int.self)],
      [.required("a", signature: "v@:"), .required("a", signature: "v@:")],
      [.required("a", signature: "v@:"), .optional("a", signature: "q@:")],
      [.required("a:", signature: "v@:" + String(repeating: "^", count: 100_000))],
    ]
    for (index, row) in rows.enumerated() {
      XCTAssertThrowsError(try MessageProtocol("P", row), "row \(index)") { error in
        let error = error as? MessageError
        XCTAssertEqual(error?.code, .invalidProtocol)
        XCTAssertTrue(error?.message.hasPrefix("P") == true, error?.message ?? "")
      }
    }
  }

  func testEveryMangledSignatureIsRefusedOrCanBeSent() throws {
    var generator = SeededGenerator(seed: 8)
    for index in 0..<400 {
      let tail = String("i{R=dq}*@?#^v[4i]".shuffled(using: &generator).prefix(index % 18))
      let encoding = index % 2 == 0 ? "v@:" + tail : tail
      let selector: Selector = "mangled:"
      guard let proto = try? MessageProtocol("P", [.required(selector, signature: encoding)]) else {
        continue
      }
      let delegate = DynamicDelegate(proto)
      XCTAssertThrowsError(try delegate.send(selector, values: [.pointer(0)]))
    }
  }

  func testInheritanceIsOnlySoDeep() throws {
    var proto = try MessageProtocol("P", [])
    XCTAssertThrowsError(
      try {
        for _ in 0..<100_000 { proto = try MessageProtocol("P", inheriting: [proto, proto], []) }
      }()
    ) { XCTAssertEqual(($0 as? MessageError)?.code, .invalidProtocol) }
    XCTAssertNil(proto.method("none"))
  }
}
