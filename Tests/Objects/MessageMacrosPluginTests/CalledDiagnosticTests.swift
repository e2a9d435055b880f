#if Macros
import XCTest

/// What `@Messages(.calls)` says of members whose Swift calls run no hooks: the place, the text, and the
/// way round.
final class CalledDiagnosticTests: XCTestCase {
  /// Members of a class with calls, which stand in its second line.
  private let calledMembers: [(source: String, diagnostics: [String])] = [
    ("func f(_ a: Int) {}", []),
    ("private func f(_ a: inout Int, _ b: Int...) {}", []),
    (
      "init() {}",
      [
        "2:1 calls of `init` run no hooks: `self` is not complete; hook a method that it calls, or mark it with @NotSent"
      ]
    ),
    ("@NotSent init() {}", []),
    (
      "subscript(a: Int) -> Int { a }",
      [
        "2:1 calls of `subscript` run no hooks: a macro cannot add code to accessors; let them call methods, or mark it with @NotSent"
      ]
    ),
    ("var a = 3", []),
    (
      "private static var a: Int { 3 }",
      [
        "2:20 uses of `a` run no hooks: a macro cannot add code to accessors; let them call methods, or mark it with @NotSent"
      ]
    ),
    (
      "var a = 3 { didSet {} }",
      [
        "2:5 uses of `a` run no hooks: a macro cannot add code to accessors; let them call methods, or mark it with @NotSent"
      ]
    ),
    ("@NotSent var a: Int { 3 }", []),
    (
      "func f(_: Int) {}",
      [
        "2:6 calls of `f` run no hooks: one of its parameters has no name; name it, or mark it with @NotSent"
      ]
    ),
    (
      "func f() { struct A {} }",
      [
        "2:6 calls of `f` run no hooks: it declares a type in its body; declare it outside, or mark it with @NotSent"
      ]
    ),
    (
      "@ListBuilder func f() {}",
      [
        "2:19 calls of `f` run no hooks: a macro does not know what @ListBuilder makes of its body; call a method without it, or mark it with @NotSent"
      ]
    ),
    (
      "override func f<T>(_ a: T) {}",
      [
        "2:15 `f` is no message: it is generic; let it call a method of certain types => @NotSent override func f<T>(_ a: T) {}"
      ]
    ),
    (
      "@MainActor func f(_ a: inout Int) {}",
      [
        "2:17 `f` is no message: its argument `a` is inout, and messages to a global actor take values; return the value => @MainActor @NotSent"
      ]
    ),
    (
      "func f(_ a: some P) {}",
      [
        "2:6 `f` is no message: its argument `a` is of an opaque type; write `any` => @NotSent func f(_ a: some P) {}"
      ]
    ),
    (
      "func f(_ a: isolated A) {}",
      ["2:6 `f` is no message: its argument `a` is isolated => @NotSent func f(_ a: isolated A) {}"]
    ),
    ("func f(_ a: () throws -> Void) rethrows {}", []),
    (
      "func f(_ a: (Int...) -> Void) {}",
      [
        "2:6 `f` is no message: its argument `a` is a function that does not escape; write @escaping => @NotSent func f(_ a: (Int...) -> Void) {}"
      ]
    ),
    (
      "func f(_ a: @escaping () throws -> Void) rethrows {}",
      [
        "2:6 calls of `f` run no hooks: it rethrows, and one of its arguments escapes; write throws, or mark it with @NotSent"
      ]
    ),
    ("func f(_ a: @autoclosure () -> Int) {}", []),
    (
      "func f(_ a: inout Int) async {}",
      [
        "2:6 `f` is no message: its argument `a` is inout: it cannot wait for hooks; return the value => @NotSent func f(_ a: inout Int) async {}"
      ]
    ),
  ]

  func testWhatRunsNoHooksOfCallsIsSaidAtItsPlace() {
    for (source, expected) in calledMembers {
      let expanded = ExpandedSource("@Messages(.calls) class A: Sendable {\n\(source)\n}")
      XCTAssertEqual(expanded.diagnostics, expected, source)
    }
    XCTAssertEqual(
      ExpandedSource("@Messages(.calls) actor A {\nfunc f() {}\n}").diagnostics,
      [
        "2:6 calls of `f` run no hooks: the actor cannot wait for hooks; write async, or mark it with @NotSent"
      ])
    XCTAssertEqual(
      ExpandedSource("@Messages(.calls) class A<T> {\nfunc f() {}\n}").diagnostics,
      [
        "1:26 a method table belongs to one class: a generic class has none; write @Hookable(.eachType) before its methods"
      ])
  }
}
#endif
