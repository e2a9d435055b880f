import Invocations
import MessageForwarding
import XCTest

private protocol Named { static var label: String { get } }
private class Plain: Named { class var label: String { "plain" } }
private class Fine<Value>: Plain { override class var label: String { "fine" } }
private final class Finest: Fine<Int> { override class var label: String { "finest" } }

private class Leaf: MessageReceiver {
  class var methods: MethodTable {
    MethodTable(Leaf.self) {
      Method("title") { (_: Leaf) in "page" }
      Method("turn:") { (_: Leaf, _: Int) in }
      Method("count") { (_: ClassObject) in 3 }.ofClass()
    }
  }
  class func resolveMethod(_ selector: Selector) -> Bool {
    selector == "late" && addMethod(Method("late") { (_: Leaf) in })
  }
}
private final class Cover: Leaf {}

/// Loaded classes by their type and by their name, and what they lack of a protocol.
final class LoadedClassTests: XCTestCase {
  func testLoadedClassesAreFoundByASuperclassAndByAProtocol() {
    let labels = ClassObject.loaded(as: (any Named.Type).self).map { $0.label }
    XCTAssertEqual(labels.sorted(), ["finest", "plain"])
    let pages = ClassObject.loaded(as: Leaf.Type.self)
    XCTAssertEqual(Set(pages.map(ObjectIdentifier.init)), [Leaf.self, Cover.self].identities)
    let all = Set(ClassObject.loaded(as: AnyClass.self).map(ObjectIdentifier.init))
    XCTAssertTrue(
      all.isSuperset(of: [Leaf.self, LoadedClassTests.self, XCTestCase.self].identities))
  }

  func testALoadedClassIsFoundByItsName() {
    let types: [AnyClass] = [LoadedClassTests.self, Leaf.self, XCTestCase.self, ClassObject.self]
    for type in types {
      XCTAssertTrue(ClassObject.loaded(named: String(reflecting: type)) == type)
    }
    for name in ["", "Leaf", "XCTest.", "MessageForwarding.ClassObjec"] {
      XCTAssertNil(ClassObject.loaded(named: name), name)
    }
  }

  func testAClassConformsToAProtocolWhoseMethodsItHas() throws {
    let base = try MessageProtocol("Base", [.required("title", returning: String.self)])
    let rows: [([MethodDescription], String)] = [
      ([.required("turn:", taking: Int.self), .required("late", signature: "v@:")], ""),
      (
        [.optional("none", signature: "v@:"), .required("none:", signature: "v@:i")],
        "none: (v@:i): missing"
      ),
      ([MethodDescription.required("count", returning: Int.self).ofClass()], ""),
      ([MethodDescription.required("title", signature: "v@:").ofClass()], "+title (v@:): missing"),
      (
        [.optional("turn:", signature: "d@:i")],
        "turn: (d@:i): result: class returns v (Void), protocol returns d (Double), "
          + "argument 2: class takes q (Int64), protocol gives i (Int32)"
      ),
      (
        [.required("title", returning: Substring.self)],
        "title (@\"Swift.Substring\"@:): result: class has Swift.String, protocol has Swift.Substring"
      ),
    ]
    for (methods, expected) in rows {
      let tested = try MessageProtocol("Tested", inheriting: [base], methods)
      let unmet = Cover.classObject.unmetRequirements(of: tested)
      XCTAssertEqual(unmet.map(\.description).joined(separator: "; "), expected)
      XCTAssertEqual(Leaf.classObject.conforms(to: tested), expected.isEmpty, expected)
    }
  }
}

extension [AnyClass] {
  fileprivate var identities: Set<ObjectIdentifier> { Set(map(ObjectIdentifier.init)) }
}
