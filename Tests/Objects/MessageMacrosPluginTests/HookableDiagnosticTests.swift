#if Macros
import XCTest

/// What `@Hookable` refuses: the place, the text, and the way round.
final class HookableDiagnosticTests: XCTestCase {
  /// Members of a structure, which stand in its second line, and why they are not hookable.
  private let members: [(source: String, reason: String?)] = [
    ("@Hookable func f(_ a: inout Int, _ b: Int...) throws {}", nil),
    ("@Hookable mutating func f() {}", nil),
    (
      "@Hookable func f(_ a: Void) {}",
      "its argument `a` is Void, which passes nothing; leave it out"
    ),
    ("@Hookable func f(_ a: Void?) {}", "its argument `a` is a tuple; take a structure"),
    ("@Hookable func f<T: P>(_ a: T, _ b: some P) where T.A == Int {}", nil),
    (
      "@Hookable func f<each T>(_ a: repeat each T) {}",
      "it is generic in a list of types, a value, or what cannot be copied; let it call a function of certain types"
    ),
    (
      "@Hookable func f<T: ~Copyable>(_ a: borrowing T) {}",
      "it is generic in a list of types, a value, or what cannot be copied; let it call a function of certain types"
    ),
    (
      "@Hookable func f(_ a: some P) -> some P { a }",
      "its result and an argument are of opaque types; write <T: P> for the argument's"
    ),
    ("@Hookable static func + (a: A, b: A) -> A { a }", nil),
    ("@Hookable consuming func f(_ a: consuming A, _ b: borrowing A) {}", nil),
    (
      "@Hookable func f(_ a: sending A) {}",
      "its argument `a` is sending, and a hook could keep it; write a Sendable type without that"
    ),
    (
      "@Hookable func f() -> sending A { A() }",
      "its result is sending, and a hook could keep it; write a Sendable type without that"
    ),
    (
      "@Hookable borrowing func f() -> some P { 3 }",
      "it consumes or borrows a value, and its result is of an opaque type; write `any`"
    ),
    ("@Hookable func f(_ body: (inout Int) throws -> Void) rethrows {}", nil),
    (
      "@Hookable func f(_ body: (Int...) -> Void) {}",
      "its argument `body` is a function that does not escape; write @escaping"
    ),
    (
      "@Hookable func f(_ body: @escaping () throws -> Void) rethrows {}",
      "it rethrows, and one of its arguments escapes; write throws"
    ),
    (
      "@Hookable func f(_ body: () throws(A) -> Void) throws(A) {}",
      "it takes a function that does not escape, and throws errors of one type; write @escaping"
    ),
    ("@Hookable func f(_ a: Self) -> some P { 3 }", nil),
    ("@Hookable func f() -> Self { self }", nil),
    ("@Hookable func f(_: Int) {}", "one of its parameters has no name; name it"),
    (
      "@Hookable func f() { struct B {} }",
      "it declares a type in its body; declare it outside"
    ),
    (
      "@Hookable @inlinable func f() {}",
      "a macro does not know what @inlinable makes of its body; call a method without it"
    ),
    (
      "@Hookable mutating func f() async {}",
      "it is mutating: it cannot wait for hooks; return the value"
    ),
    (
      "@Hookable func f(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ g: Int, _ h: Int) {}",
      "it has more than 7 arguments; take a structure"
    ),
  ]

  func testWhatIsNotHookableIsSaidAtItsPlace() {
    for (source, reason) in members {
      let diagnostics = ExpandedSource("struct A {\n\(source)\n}").diagnostics
      let texts = diagnostics.map { $0.drop { $0 != " " }.dropFirst() }
      XCTAssertEqual(texts, reason.map { ["`f` is not hookable: \($0)"] } ?? [], source)
    }
  }

  private let declarations: [(source: String, diagnostics: [String])] = [
    ("@Hookable func f() {}", []),
    ("struct A<T> {\n@Hookable(.eachType) func f() {}\n}", []),
    (
      "@Hookable(.eachType) func f() {}",
      ["1:27 `f` is not hookable: it is a method of no type; write @Hookable"]
    ),
    ("extension A.B {\n@Hookable func f() {}\n}", []),
    ("struct A {\n@HookableAs(\"g\") func f() {}\n}", []),
    (
      "struct A {\n@HookableAs(\"3\") func f() {}\n}",
      ["2:23 `f` is not hookable: its target's name is no identifier in quotation marks"]
    ),
    ("actor A {\n@Hookable func f() async {}\n}", []),
    (
      "class A {\n@Hookable init() {}\n}",
      [
        "2:1 @Hookable makes functions and methods hookable; let this call one, or write @Hookable(.stored) before a stored property"
      ]
    ),
    (
      "actor A {\n@Hookable func f() {}\n}",
      ["2:16 `f` is not hookable: the actor cannot wait for hooks; write async"]
    ),
    (
      "struct A<T> {\n@Hookable func f() {}\n}",
      ["2:16 `f` is not hookable: its type is generic; write @Hookable(.eachType)"]
    ),
    (
      "extension A where B: C {\n@Hookable func f() {}\n}",
      ["2:16 `f` is not hookable: its type is generic; write @Hookable(.eachType)"]
    ),
    (
      "struct A: ~Copyable {\n@Hookable func f() {}\n}",
      ["2:16 `f` is not hookable: its values cannot be copied; let it call a function outside"]
    ),
    (
      "protocol A {\n@Hookable func f()\n}",
      [
        "2:16 `f` is not hookable: it is a requirement; write the attribute before the methods of the types"
      ]
    ),
    (
      "func g() {\n@Hookable func f() {}\n}",
      ["2:16 `f` is not hookable: it stands in a function; declare it outside"]
    ),
    (
      "class A: B {\n@Hookable override func f() {}\n}",
      [
        "2:25 `f` is not hookable: it overrides a method; write @Messages(.calls) before the class"
      ]
    ),
    (
      "@Messages(.calls) class A {\n@Hookable func f() {}\n}",
      [
        "2:16 calls of `f` run no hooks: it is hooked by its own attribute @Hookable; remove that, or mark it with @NotSent"
      ]
    ),
  ]

  func testWhereAFunctionIsNotHookableIsSaid() {
    for (source, expected) in declarations {
      XCTAssertEqual(ExpandedSource(source).diagnostics, expected, source)
    }
  }
}
#endif
