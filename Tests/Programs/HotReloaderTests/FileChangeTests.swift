#if Macros
@testable import HotReloader
import XCTest

/// What a change of a source file means for a running program.
final class FileChangeTests: XCTestCase {
  private func change(
    _ built: String, _ current: String, loaded: [String: String] = [:]
  ) -> FileChange {
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
      (
        "@inlinable func a() { f() }", "@inlinable func a() { g() }",
        "a() has changed: its body is compiled into its callers"
      ),
      (
        "var a: Int { @inlinable get { 1 } }", "var a: Int { @inlinable get { 2 } }",
        "a is new: its body is compiled"
      ),
      (
        "@_cdecl(\"a\") func a() { f() }", "@_cdecl(\"a\") func a() { g() }",
        "a() has changed: C code"
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
    let declarations = SourceReader(built, file: "/tmp/File.swift").declarations
    let key = declarations.map(\.key).last ?? ""
    let loaded = [key: "{ g ( ) }"]
    let change = change(built, built, loaded: loaded)
    XCTAssertEqual(change.replaced.map(\.name), ["C.a()"])
    XCTAssertEqual(change.names(since: loaded, declarations), ["C.a()"])
  }

  func testMessagesNameWhatDiffersFromTheLastLibrary() {
    let current = "func a() { g() }; func b() { g() }; func c() {}"
    let change = change("func a() { f() }; func b() { f() }", current)
    let declarations = SourceReader("func a() { f() }; func b() { f() }", file: "").declarations
    XCTAssertEqual(change.names(since: [:], declarations), ["a()", "b()", "c() (new)"])
    let texts = SourceReader(current, file: "").declarations.map { ($0.key, $0.text) }
    var loaded = Dictionary(uniqueKeysWithValues: texts)
    XCTAssertEqual(change.names(since: loaded, declarations), [])
    loaded[texts[1].0] = "{ h ( ) }"
    XCTAssertEqual(change.names(since: loaded, declarations), ["b()"])
  }

  func testReplacementsKeepWhatCallersSeeAndNothingElse() throws {
    let cases: [(function: String, code: String)] = [
      (
        "@inline(never) public final func a(_ n: Int = 1) async throws -> Int { n }",
        "@_dynamicReplacement(for: a(_:)) fileprivate func _reloaded7_a(_ n: Int) async throws -> Int {"
      ),
      (
        "@MainActor static func + <T>(l: T, r: T) -> T where T: P { l }",
        "@_dynamicReplacement(for: +(_:_:)) @MainActor fileprivate static func _reloaded7_u43<T>(l: T, r: T) -> T where T: P {"
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

  func testTheCompilerIsToldTheLineAndTheColumnOfABody() throws {
    let reader = SourceReader("\n  func a() { f() }\n  var b: Int { 1 }", file: "/tmp/File.swift")
    XCTAssertEqual(
      try reader.declarations.map {
        try XCTUnwrap($0.patch).replacement(1).components(separatedBy: "{\n").last
      },
      [
        "#sourceLocation(file: \"/tmp/File.swift\", line: 2)\n             f()\n}",
        "#sourceLocation(file: \"/tmp/File.swift\", line: 3)\n               1\n}",
      ])
  }

  func testNamesOfTheTypesAroundAMemberAreWrittenInFull() throws {
    let code = """
      struct Outer<T> {
        enum Kind { case one }
        static func make() -> Int { 1 }
        static let limit = 2
        func own() {}
        struct Inner {
          static let limit = 3
          func a(_ kind: Kind, _ other: [Kind]) -> Int { make() + limit + own() + x.make() + Kind.one }
          func b(make: Int) -> Int { make }
          func c() { let kind = Kind.one; f { make in make }; print(\\.make, Self.limit) }
        }
      }
      extension Outer.Inner { func d() { make() } }
      """
    let reader = SourceReader(code, file: "/tmp/File.swift")
    func written(_ name: String) throws -> String {
      let patch = try XCTUnwrap(reader.declarations.first { $0.name == name }?.patch, name)
      return reader.members.qualified(patch.replacement(1), in: patch.type, patch.enclosing)
    }
    let a = try written("Outer.Inner.a(_:_:)")
    XCTAssertTrue(a.contains("(_ kind: Outer<T>.Kind, _ other: [Outer<T>.Kind])"), a)
    XCTAssertTrue(a.contains("Outer<T>.make() + limit + own() + x.make() + Outer<T>.Kind.one"), a)
    XCTAssertTrue(try written("Outer.Inner.b(make:)").contains(" make\n"))
    let c = try written("Outer.Inner.c()")
    XCTAssertTrue(c.contains("let kind = Outer<T>.Kind.one; f { make in make }"), c)
    XCTAssertTrue(c.contains("print(\\.make, Self.limit)"), c)
    XCTAssertTrue(try written("Outer.Inner.d()").contains(" make()"))
  }

  func testNamesThatAFunctionDeclaresAreNotThoseOfTheTypesAroundIt() throws {
    let code = """
      enum Outer {
        case error, newValue
        struct Kind {}
        static func helper() {}
        static let captured = 1
        struct Inner {
          func catching() { do { try f() } catch { log(error) } }
          func catchingOne() { do { try f() } catch Fault.one { log(error) } }
          func nested() { func helper() {}; helper() }
          func local() { struct Kind {}; _ = Kind() }
          func renamed() { typealias Kind = Int; _ = Kind() }
          func capturing() { f { [captured = 2] in captured } }
          var implicit: Int { get { 1 } set { f(newValue) } }
          var named: Int { get { 1 } set(error) { f(error, newValue) } }
        }
      }
      """
    let reader = SourceReader(code, file: "/tmp/File.swift")
    for (name, expected) in [
      ("catching()", "log(error)"), ("catchingOne()", "log(Outer.error)"),
      ("nested()", "; helper()"), ("local()", "_ = Kind()"), ("renamed()", "_ = Kind()"),
      ("capturing()", "in captured }"), ("implicit", "f(newValue)"),
      ("named", "f(error, Outer.newValue)"),
    ] {
      let patch = try XCTUnwrap(
        reader.declarations.first { $0.name == "Outer.Inner.\(name)" }?.patch, name)
      let written = reader.members.qualified(patch.replacement(1), in: patch.type, patch.enclosing)
      XCTAssertTrue(written.contains(expected), written)
    }
  }

  func testImportsUnderAConditionAreKept() {
    let code = "import A\n#if canImport(B)\nimport B\n#endif\n#if DEBUG\nfunc a() {}\n#endif"
    XCTAssertEqual(
      SourceReader(code, file: "").imports, ["import A", "#if canImport(B)\nimport B\n#endif"])
  }
}
#endif
