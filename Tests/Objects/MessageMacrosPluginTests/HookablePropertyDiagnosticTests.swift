#if Macros
import XCTest

/// What `@Hookable(.stored)` refuses: the place, the text, and the way round.
final class HookablePropertyDiagnosticTests: XCTestCase {
  /// Properties of a structure, and why they are not hookable.
  private let properties: [(source: String, reason: String?)] = [
    ("var f = 3", nil),
    ("private(set) var f: [Int]", nil),
    ("weak var f: A?", nil),
    ("var f = Date()", nil),
    ("let f = 3", "it is a constant; write private(set) var"),
    ("var f = g()", "a macro does not know its type; write it"),
    (
      "var f = 3 { didSet {} }",
      "it has observers; let a computed property around it do what they do"
    ),
    (
      "var f: Int { 3 }", "a macro cannot add code to accessors; let them call a hookable function"
    ),
    ("lazy var f = 3", "it is lazy; let a computed property fill a hookable Optional"),
    ("override var f: Int", "it overrides a property; make that one hookable"),
    (
      "@Observed var f = 3",
      "a macro does not know what @Observed makes of it; hook a function that uses it"
    ),
    ("var f: (Int, Int)", "its argument `newValue` is a tuple; take a structure"),
  ]

  func testWhichPropertiesAreNotHookableIsSaidAtTheirPlace() {
    for (source, reason) in properties {
      let expanded = ExpandedSource("class A {\n@Hookable(.stored) \(source)\n}")
      XCTAssertEqual(
        Set(expanded.diagnostics.map { String($0.drop { $0 != " " }.dropFirst()) }),
        reason.map { ["`f` is not hookable: \($0)"] } ?? [], source)
    }
  }

  func testWhereAPropertyIsNotHookableIsSaid() {
    for (source, expected) in [
      (
        "actor A {\n@Hookable(.stored) var f = 3\n}",
        "2:24 `f` is not hookable: the actor cannot wait for hooks; write async"
      ),
      (
        "struct A: ~Copyable {\n@Hookable(.stored) var f = 3\n}",
        "2:24 `f` is not hookable: its values cannot be copied; let it call a function outside"
      ),
      (
        "class A {\n@Hookable(.stored) func f() {}\n}",
        "2:1 `this` is not hookable: it is no stored property; write @Hookable"
      ),
    ] {
      XCTAssertEqual(ExpandedSource(source).diagnostics, [expected], source)
    }
  }
}
#endif
