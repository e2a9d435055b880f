import BlockHooks
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import TestSupport
import TypeEncodings
import XCTest

// SAFETY, for the whole file: no method of the fixtures that is hooked is consuming.

/// Correct or refused: what is not simple is refused, with the reason.
final class RefusalTests: XCTestCase {
  func testMethodsAreListedWithTheirSignatures() throws {
    let methods = try SwiftClass(DeeperPage.self).methods
    func signature(_ name: String) -> String? {
      methods.first { $0.name == name }?.signature?.description
    }
    XCTAssertEqual(signature("didLoad(count:_:)"), "d@qd")
    XCTAssertEqual(signature("close()"), "v@")
    XCTAssertEqual(signature("negate(_:)"), "B@B")
    XCTAssertEqual(signature("mix(_:_:_:_:_:_:_:_:_:_:_:_:_:)"), "Q@cfSdBqIddfddd")
    XCTAssertEqual(signature("byte(_:_:_:_:_:)"), "c@CsiQq")
    XCTAssertEqual(signature("attach(_:to:)"), "q@@@")
    XCTAssertEqual(signature("find(_:_:)"), "^v@^v^v")
    XCTAssertEqual(signature("count.getter"), "q@")
    XCTAssertEqual(signature("count.setter"), "v@q")
    XCTAssertEqual(
      methods.first { $0.name == "close()" }?.declaration, "SwiftMethodFixtures.Page.close() -> ()")
  }

  func testWhatIsNotSimpleIsRefusedWithTheReason() throws {
    let refusals: [(String, ErrorCode, String)] = [
      ("throwing(_:)", .unsupportedMethod, "is declared throws"),
      ("suspending()", .unsupportedMethod, "is declared async"),
      ("changing(_:)", .unsupportedType, "inout Swift.Int"),
      ("pair()", .unsupportedType, "(Swift.Int, Swift.Int)"),
      ("text(_:)", .unsupportedType, "Swift.String"),
      ("closure(_:)", .unsupportedType, "(Swift.Int) -> Swift.Int"),
      ("structure(_:)", .unsupportedType, "SwiftMethodFixtures.Strange"),
      ("nested(_:)", .unsupportedType, "SwiftMethodFixtures.Strange.Inner"),
      ("existential(_:)", .unsupportedType, "SwiftMethodFixtures.Shape"),
      ("optional(_:)", .unsupportedType, "Swift.Optional<Swift.Int>"),
      ("consuming(_:)", .unsupportedType, "__owned SwiftMethodFixtures.Refused"),
      ("object()", .unsupportedType, "result"),
      ("address()", .unsupportedType, "result"),
      ("itself()", .unsupportedType, "Self"),
      ("six(_:_:_:_:_:_:)", .unsupportedMethod, "more than 5"),
      ("many(_:)", .unsupportedType, "Swift.Int..."),
      ("ofClass()", .unsupportedMethod, "method of the class"),
      ("next.setter", .unsupportedType, "ownership"),
      ("next.getter", .unsupportedType, "result"),
      ("computed.getter", .unsupportedMethod, "may throw"),
      ("failing.getter", .unsupportedMethod, "may throw"),
      ("subscript.getter", .unsupportedMethod, "may throw"),
    ]
    let type = try SwiftClass(Refused.self)
    for (name, code, text) in refusals {
      expectError(code, text) { unsafe try type.target(name).hook { _ in } }
      XCTAssertEqual(try type.method(name).refusal?.code, code)
      XCTAssertNil(try type.method(name).signature)
    }
    let names = Set(refusals.map(\.0))
    let hookable = type.methods.filter { $0.signature != nil }
    XCTAssertEqual(hookable.map(\.name), ["größe(_:)"])
    let plain = ["generic<", "`spaced", "__allocating_init", ".modify"]
    for method in type.methods where !names.contains(method.name) && method.signature == nil {
      XCTAssertTrue(
        plain.contains { method.declaration.contains($0) }, "\(method) is refused: why?")
      expectError(.unsupportedMethod, "plain") {
        unsafe try type.target(method.declaration).hook { _ in }
      }
    }
  }

  func testNamesThatAreNotInTheTableAreRefused() throws {
    expectError(.noSuchMethod, "did you mean didLoad(count:_:)?") {
      unsafe try SwiftClass(Page.self).target("didload(count:_:)").hook { _ in }
    }
    expectError(.noSuchMethod, "final") {
      unsafe try SwiftClass(Refused.self).target("isFinal()").hook { _ in }
    }
    for name in ["", "(", "close", "close(", "\u{0}", "SwiftMethodFixtures.Page"] {
      expectError(.noSuchMethod, "no method") {
        unsafe try SwiftClass(Page.self).target(name).hook { _ in }
      }
    }
  }

  func testAPositionThatNoMethodHasIsRefused() throws {
    expectError(.noPosition, "does not die") {
      unsafe try SwiftClass(Page.self).target("close()").hook(.death) { _ in }
    }
    expectError(.noPosition, "position") {
      unsafe try SwiftClass(Page.self).target("close()").hook([]) { _ in }
    }
  }

  func testGenericClassesAreRefusedAndTheirMethodsNotInherited() throws {
    expectError(.unsupportedClass, "generic") { _ = try SwiftClass(Generic<Int>.self) }
    let methods = try SwiftClass(OfGeneric.self).methods
    XCTAssertEqual(methods.filter { $0.signature != nil }.map(\.name), ["own()"])
    let hook = unsafe try SwiftClass(OfGeneric.self).target("own()").hook(.after) {
      try $0.setResult(3)
    }
    let object = made { OfGeneric() }
    XCTAssertEqual(object.own(), 3)
    XCTAssertEqual(object.get(), 1)
    hook.remove()
    XCTAssertEqual(object.own(), 2)
  }

  func testAClassWhoseTableAnotherLibraryLaysOutIsRefused() throws {
    XCTAssertEqual(try SwiftClass(Buffer.self).methods.filter { $0.signature != nil }, [])
    expectError(.noSymbol, "no methods") {
      unsafe try SwiftClass(Buffer.self).target("own()").hook { _ in }
    }
  }
}

private class Buffer: ManagedBuffer<Int, Int> {
  func own() -> Int { 1 }
}
