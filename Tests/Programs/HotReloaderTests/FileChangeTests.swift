#if Macros
@testable import HotReloader
import XCTest

/// What a change of a source file means for a running program.
final class FileChangeTests: XCTestCase {
  private func change(_ built: String, _ current: String, loaded: Set<String> = []) -> FileChange {
    let files = [built, current].map { SourceReader($0, file: "/tmp/File.swift") }
    return FileChange(from: files[0].declarations, to: files[1].declarations, loaded: loaded)
  }

  func testBodiesThatChangeAreReplaced() {
    let cases: [(built: String, current: String, replaced: [String], added: [String])] = [
      ("func a() { f() }", "func a() { g() }", ["a()"], []),
      ("func a() { f() }", "// A remark.\nfunc  a()\n{ f(  ) }", [], []),
      (
        "class C { func a(_ n: Int, b: Int) {} }", "class C { func a(_ n: Int, b: Int) { f() } }",
        ["C.a(_:b:)"], []
      ),
      (
        "enum E { struct S { private static func a() {} } }",
        "enum E { struct S { private static func a() { f() } } }", ["E.S.a()"], []
      ),
      (
        "extension C.D where T: P { func a() {} }", "extension C.D where T: P { func a() { f() } }",
        ["C.D.a()"], []
      ),
      ("class C { var a: Int { 1 } }", "class C { var a: Int { 2 } }", ["C.a"], []),
      (
        "class C { var a: Int { get { 1 } set {} } }",
        "class C { var a: Int { get { 1 } set { f() } } }", ["C.a"], []
      ),
      (
        "func a(_ n: Int) {}; func a(_ n: String) {}",
        "func a(_ n: Int) {}; func a(_ n: String) { f() }", ["a(_:)"], []
      ),
      ("class C {}", "class C { func a() {} }", [], ["C.a()"]),
      ("class C { func a() {} }", "class C { func a() throws {} }", [], ["C.a()"]),
      ("func a() {}", "", [], []),
      ("func a() {}", "func a() {}; extension C { func b() {} }", [], ["C.b()"]),
      (
        "public final class C { public override func a() {} }",
        "public final class C { public override func a() { f() } }", ["C.a()"], []
      ),
    ]
    for (built, current, replaced, added) in cases {
      let change = change(built, current)
      XCTAssertEqual(change.replaced.map(\.name), replaced, current)
      XCTAssertEqual(change.added.map(\.name), added, current)
      XCTAssertEqual(change.refusals, [], current)
      XCTAssertEqual(change.isEmpty, replaced.isEmpty && added.isEmpty, current)
    }
  }

  func testWhatARunningProgramCannotHaveIsRefusedWithItsReason() {
    let cases: [(built: String, current: String, refusal: String)] = [
      (
        "class C { var a = 1 }", "class C { var a = 1; var b = 1 }",
        "stored property C.b is new: objects that exist"
      ),
      (
        "class C { var a = 1 }", "class C { var a = 2 }", "stored property C.a has changed: objects"
      ),
      ("class C { var a = 1 }", "class C { }", "stored property C.a is gone: objects"),
      (
        "class C { static let a = 1 }", "class C { static let a = 2 }",
        "stored property C.a has changed: its value"
      ),
      ("let a = 1", "let a = 2", "stored property a has changed: its value"),
      (
        "class C { var a = 1 { didSet {} } }", "class C { var a = 1 { didSet { f() } } }",
        "stored property C.a has changed"
      ),
      (
        "class C { @State var a: Int { 1 } }", "class C { @State var a: Int { 2 } }",
        "stored property C.a has changed"
      ),
      ("", "struct S {}", "type S is new: types and conformances"),
      ("class C {}", "class C: P {}", "type C has changed"),
      ("", "extension C: P {}", "conformance of C is new"),
      ("enum E { case a }", "enum E { case a, b }", "a case is new"),
      (
        "class C { init() {} }", "class C { init() { f() } }",
        "an initializer is new: initializers are not"
      ),
      ("class C { deinit {} }", "class C { deinit { f() } }", "deinit is new: deinits are not"),
      (
        "class C { subscript(_ n: Int) -> Int { 1 } }",
        "class C { subscript(_ n: Int) -> Int { 2 } }", "a subscript is new"
      ),
      ("protocol P {}", "protocol P { func a() }", "a protocol is new"),
      ("typealias A = Int", "typealias A = String", "a type's name is new"),
      ("print(1)", "print(2)", "code outside of functions is new: it has run"),
      (
        "#if DEBUG\nfunc a() {}\n#endif", "#if DEBUG\nfunc a() { f() }\n#endif",
        "code within #if is new"
      ),
      (
        "func a(_ n: Int = 1) {}", "func a(_ n: Int = 2) {}",
        "a default value of a(_:) has changed: its callers"
      ),
      ("class C: B {}", "class C: B { override func a() {} }", "C.a() is new: an override"),
      ("class C: B {}", "class C: B { override var a: Int { 1 } }", "C.a is new: an override"),
    ]
    for (built, current, refusal) in cases {
      let refusals = change(built, current).refusals
      XCTAssertTrue(refusals.contains { $0.contains(refusal) }, "\(current): \(refusals)")
      XCTAssertTrue(change(built, built).isEmpty, built)
    }
  }

  func testABodyThatIsAsItWasBuiltIsReplacedOnceMore() {
    let built = "class C { func a() { f() } }"
    let key = SourceReader(built, file: "/tmp/File.swift").declarations.map(\.key)
    XCTAssertEqual(change(built, built, loaded: Set(key)).replaced.map(\.name), ["C.a()"])
  }

  func testReplacementsKeepWhatCallersSeeAndNothingElse() throws {
    let cases: [(function: String, code: String)] = [
      (
        "@inlinable public final func a(_ n: Int = 1) async throws -> Int { n }",
        "@_dynamicReplacement(for: a(_:)) fileprivate func _reloaded7_a(_ n: Int) async throws -> Int { n }"
      ),
      (
        "@MainActor static func + <T>(l: T, r: T) -> T where T: P { l }",
        "@_dynamicReplacement(for: +(l:r:)) @MainActor fileprivate static func _reloaded7_u43<T>(l: T, r: T) -> T where T: P { l }"
      ),
      (
        "mutating func a(by n: inout Int, _ f: @autoclosure () -> Int) rethrows { a(by: &n, 1) }",
        "@_dynamicReplacement(for: a(by:_:)) fileprivate mutating func _reloaded7_a(by n: inout Int, _ f: @autoclosure () -> Int) rethrows { try _body7_a(by: &n, f()) }"
      ),
    ]
    for (function, code) in cases {
      let declaration = try XCTUnwrap(
        SourceReader(function, file: "/tmp/File.swift").declarations.last, function)
      let written = try XCTUnwrap(declaration.patch).replacement(7)
      XCTAssertEqual(
        written.split(separator: "\n").first.map(String.init), code)
    }
  }
}
#endif
