#if Macros
import XCTest

/// What `@Messages` refuses, and what it says of members that are no messages: the place, the text, and
/// what the fix-it writes.
final class MessageDiagnosticTests: XCTestCase {
  /// Members of a class, which stand in its second line.
  private let members: [(source: String, diagnostics: [String])] = [
    (
      "var list = [1]",
      [
        "2:5 `list` is no message: a macro does not know its type; write it => @NotSent var list = [1]"
      ]
    ),
    ("var a, b: Int", []),
    (
      "var (a, b) = (1, 2)",
      [
        "2:5 `(a, b)` is no message: declare each property by itself => @NotSent var (a, b) = (1, 2)"
      ]
    ),
    (
      "#if DEBUG\nfunc f() {}\n#endif",
      [
        "2:1 a macro does not know which members are compiled: those of #if are no messages"
      ]
    ),
    (
      "func pair(_ pair: (Int, Int)) {}",
      [
        "2:6 `pair` is no message: its argument `pair` is a tuple; take a structure => @NotSent func pair(_ pair: (Int, Int)) {}"
      ]
    ),
    (
      "@MainActor static func isolated() {}",
      [
        "2:24 `isolated` is no message: it is a class method of a global actor; write nonisolated => @MainActor @NotSent"
      ]
    ),
    (
      "func generic<T>(_ value: T) {}",
      [
        "2:6 `generic` is no message: it is generic; let it call a method of certain types => @NotSent func generic<T>(_ value: T) {}"
      ]
    ),
    (
      "func some(_ value: some Equatable) {}",
      [
        "2:6 `some` is no message: its argument `value` is of an opaque type; write `any` => @NotSent func some(_ value: some Equatable) {}"
      ]
    ),
    (
      "func change(_ number: inout Int) {}",
      [
        "2:6 `change` is no message: its argument `number` is inout => @NotSent func change(_ number: inout Int) {}"
      ]
    ),
    (
      "func take(_ page: sending Page) {}",
      [
        "2:6 `take` is no message: its argument `page` is sending, and a hook could keep it; write a Sendable type without that => @NotSent func take(_ page: sending Page) {}"
      ]
    ),
    (
      "func each(_ body: (Int) -> Void) {}",
      [
        "2:6 `each` is no message: its argument `body` is a function that does not escape; write @escaping => @NotSent func each(_ body: (Int) -> Void) {}"
      ]
    ),
    (
      "func nine(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ g: Int, _ h: Int, _ i: Int) {}",
      [
        "2:6 `nine` is no message: it has more than 8 arguments; take a structure => @NotSent func nine(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ g: Int, _ h: Int, _ i: Int) {}"
      ]
    ),
    (
      "func five(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int) async {}",
      [
        "2:6 `five` is no message: it has more than 4 arguments; take a structure => @NotSent func five(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int) async {}"
      ]
    ),
    (
      "func later(_ done: @escaping (Int) -> Void) async {}",
      [
        "2:6 `later` is no message: its argument `done` is a function that is not Sendable; write @Sendable => @NotSent func later(_ done: @escaping (Int) -> Void) async {}"
      ]
    ),
    ("func later(_ done: (@Sendable (Int) -> Void)?) async {}", []),
    (
      "func new() -> some P { 3 }",
      [
        "2:6 `new` is no message: its result is of an opaque type; write `any` => @NotSent func new() -> some P { 3 }"
      ]
    ),
    ("func itself() -> Self { self }", []),
    (
      "func opaque() -> some Equatable { 3 }",
      [
        "2:6 `opaque` is no message: its result is of an opaque type; write `any` => @NotSent func opaque() -> some Equatable { 3 }"
      ]
    ),
    (
      "func block(_ body: @convention(block) () -> Void) {}",
      [
        "2:6 `block` is no message: its argument `body` is a C function or a block; take a Block => @NotSent func block(_ body: @convention(block) () -> Void) {}"
      ]
    ),
    (
      "var effect: Int { get throws { 3 } }",
      [
        "2:5 `effect` is no message: its getter has effects; write a method => @NotSent var effect: Int { get throws { 3 } }"
      ]
    ),
    (
      "func list(_ numbers: Int...) {}",
      [
        "2:6 `list` is no message: its arguments are variadic; take an array => @NotSent func list(_ numbers: Int...) {}"
      ]
    ),
    (
      "func lazily(_ number: @autoclosure () -> Int) {}",
      [
        "2:6 `lazily` is no message: its argument `number` is an autoclosure => @NotSent func lazily(_ number: @autoclosure () -> Int) {}"
      ]
    ),
    (
      "static func == (left: A, right: A) -> Bool { true }",
      [
        "2:13 `==` is no message: it is an operator; let it call a method => @NotSent static func == (left: A, right: A) -> Bool { true }"
      ]
    ),
    (
      "@SentAs(\"gen:\") func generic<T>(_ value: T) {}",
      ["2:22 `generic` is no message: it is generic; let it call a method of certain types"]
    ),
    ("@NotSent func generic<T>(_ value: T) {}", []),
    ("private func generic<T>(_ value: T) {}", []),
    (
      "@SentAs(\"x\") func load(_ count: Int) {}",
      ["2:1 the selector `x` needs one colon for each argument"]
    ),
    (
      "func load(_ count: Int) {}; func load(_ name: String) {}",
      [
        "2:29 two methods have typed selectors of the name `load`; name one with @Named => @Named(\"<#name#>\") func load(_ name: String) {}",
        "2:29 two methods are sent as `load:`; choose another selector for one with @SentAs => @SentAs(\"<#selector#>\") func load(_ name: String) {}",
      ]
    ),
    (
      "func load(count: Int) {}; @Named(\"other\") func loadWithCount(_ count: Int) {}",
      [
        "2:27 two methods are sent as `loadWithCount:`; choose another selector for one with @SentAs => @Named(\"other\") @SentAs(\"<#selector#>\")"
      ]
    ),
    (
      "@Optional func load() {}",
      ["2:1 @Optional marks a requirement of a protocol that has the attribute @Forwarding"]
    ),
  ]

  /// Expressions, and the types of the properties that they initialise.
  private let initialisers: [(expression: String, type: String?)] = [
    ("3", "Int"), ("[Int]()", "[Int]"), ("[Int](repeating: 3, count: n)", "[Int]"),
    ("[String: [Int]]()", "[String: [Int]]"), ("[A.B]()", "[A.B]"), ("Date()", "Date"),
    ("Date.init()", "Date"), ("A.B()", "A.B"), ("a.B()", "a.B"), ("Set<Int>()", "Set<Int>"),
    ("A.Box<Int, B?>()", "A.Box<Int, B?>"), ("make()", nil), ("A.make()", nil), ("A.shared", nil),
    (".init()", nil), ("Set([3])", nil), ("URL(string: s)", nil), ("Int(s)!", nil), ("[3]", nil),
    ("A { 3 }", nil), ("(A)()", nil), ("A().b()", nil), ("\"\"", "String"),
  ]

  func testTheTypeOfAPropertyIsThatOfWhatInitialisesIt() {
    for (expression, type) in initialisers {
      let expanded = ExpandedSource("@Messages\nclass A {\nvar f = \(expression)\n}")
      let selector = "var f: MessageForwarding.TypedSelector0<A, \(type ?? "")>"
      XCTAssertEqual(
        expanded.text.contains(selector), type != nil, "\(expression): \(expanded.text)")
      XCTAssertEqual(expanded.diagnostics.count, type == nil ? 1 : 0, expression)
    }
  }

  func testPropertiesWithinConditionsHaveNoKeys() {
    for (members, warns) in [
      ("#if DEBUG\nvar a = 3\n#endif", true), ("#if DEBUG\nfunc a() {}\n#endif", false),
      ("#if DEBUG\n#if A\nvar a: Int\n#endif\n#endif", true),
      ("#if DEBUG\nprivate var a = 3\n#else\nstatic var b = 3\n#endif", false),
    ] {
      XCTAssertEqual(
        ExpandedSource("@Keys class A {\n\(members)\n}").diagnostics,
        warns
          ? [
            "2:1 a macro does not know which members are compiled: properties of #if have no keys; write `keys` by hand"
          ] : [], members)
    }
  }

  func testWhatCannotBeAMessageIsSaidAtItsPlace() {
    for (source, expected) in members {
      XCTAssertEqual(
        ExpandedSource("@Messages class A: Sendable {\n\(source)\n}").diagnostics, expected, source)
    }
  }

  private let declarations: [(source: String, diagnostics: [String])] = [
    (
      "@Messages distributed actor A {}",
      [
        "1:1 the methods of a distributed actor are no messages: it may be elsewhere"
      ]
    ),
    (
      "@Messages struct A {}",
      [
        "1:1 @Messages makes messages of the methods of a class or an actor; write @Hookable before functions"
      ]
    ),
    (
      "@Messages actor A {\nfunc add(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int) {}\n}",
      [
        "2:6 `add` is no message: it has more than 4 arguments; take a structure => @NotSent func add(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int) {}"
      ]
    ),
    (
      "@Messages class A<T> {}",
      [
        "1:18 a method table belongs to one class: a generic class has none; declare a subclass of a certain type"
      ]
    ),
    (
      "@Messages class A {\nfunc f() async {}\n}",
      [
        "2:6 `f` is no message: it is async, and its class not Sendable; write Sendable after the class's name => @NotSent func f() async {}"
      ]
    ),
    ("@Messages class A: B {\nfunc f() async {}\n}", []),
    ("@MainActor @Messages class A {\nfunc f() async {}\n}", []),
    (
      "class A { @NotSent func f() {} }",
      ["1:11 @NotSent marks a member of a class or an actor that has the attribute @Messages"]
    ),
    (
      "@MainActor @Messages class A {\nvar count = 3\n}",
      [
        "2:5 `count` is no message: a key path to it is isolated; write a method => @NotSent var count = 3"
      ]
    ),
  ]

  func testWhatHasNoMessagesIsRefusedAtItsPlace() {
    for (source, expected) in declarations {
      XCTAssertEqual(ExpandedSource(source).diagnostics, expected, source)
    }
  }
}
#endif
