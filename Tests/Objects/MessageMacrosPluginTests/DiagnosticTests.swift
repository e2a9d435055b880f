#if Macros
import XCTest

/// What the macros refuse: the place, the text, and what the fix-it writes.
final class DiagnosticTests: XCTestCase {
  private let rows: [(source: String, diagnostics: [String])] = [
    (
      "@Forwarding class A {}",
      [
        "1:1 @Forwarding makes forwarders of protocols only"
      ]
    ),
    (
      "@Forwarding protocol P {}",
      [
        "1:22 targets are objects: P must inherit from AnyObject => @Forwarding protocol P: AnyObject {}"
      ]
    ),
    (
      "@Forwarding protocol P: Sendable {}",
      [
        "1:22 targets are objects: P must inherit from AnyObject => @Forwarding protocol P: AnyObject, Sendable {}"
      ]
    ),
    (
      "@Forwarding protocol P<Item>: AnyObject { associatedtype Item }",
      [
        "1:23 a forwarder has targets of many types: a protocol with associated types has none",
        "1:43 a forwarder has targets of many types: a protocol with associated types has none",
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f() -> Self? }",
      [
        "1:49 a forwarder's targets have many types: write the protocol, `any P`, instead of Self"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f<T>(_ value: T) }",
      [
        "1:43 a closure cannot be generic: take an existential type such as `any P` instead"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f(_ value: some Q) }",
      [
        "1:53 a closure cannot be generic: take an existential type such as `any P` instead"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { static func f() }",
      [
        "1:37 a forwarder forwards to objects: declare static requirements in another protocol"
      ]
    ),
    (
      "@MainActor @Forwarding protocol P: AnyObject { nonisolated func f() }",
      [
        "1:48 the forwarder's targets belong to @MainActor: remove nonisolated, or declare the requirement in a protocol that is isolated to no actor"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { static var f: Int { get } }",
      [
        "1:37 a forwarder forwards to objects: declare static requirements in another protocol"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { init(name: String) }",
      [
        "1:37 a forwarder makes no targets: declare initialisers in another protocol"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { subscript(index: Int) -> Int { get } }",
      [
        "1:37 a subscript cannot be forwarded; declare a method instead"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { typealias Text = String; func f(_ text: Text) }",
      [
        "1:37 a forwarder's closures do not see type aliases of the protocol: declare them outside of it"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f(_ numbers: Int...) }",
      [
        "1:58 variadic arguments cannot be passed on: take an array"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f(_ body: () throws -> Void) rethrows }",
      [
        "1:71 the forwarder does not know whether a target throws: write throws instead of rethrows"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f(_ page: consuming Page) }",
      [
        "1:52 an argument for several targets belongs to none: remove consuming"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f(_ text: @autoclosure () throws -> String) }",
      [
        "1:68 an argument that is an expression is passed on without effects: remove @autoclosure, or throws"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func f(_ page: sending Page) }",
      [
        "1:52 an argument for several targets belongs to none: remove sending"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func removeAll(); func contains(_ object: AnyObject) -> Bool }",
      [
        "1:42 a forwarder has its own `removeAll`: name the requirement otherwise",
        "1:60 a forwarder has its own `contains`: name the requirement otherwise",
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject { func removeAll(_ kind: Int); func contains(_ word: String) -> Bool }",
      []
    ),
    (
      "class A { @Forwarding private protocol P: AnyObject { func f() } }",
      [
        "1:40 extensions do not see what is private in a type: write fileprivate"
      ]
    ),
    ("@Forwarding protocol P: AnyObject { func f() -> (Void) }", []),
    (
      "@Forwarding protocol P: AnyObject { var targets: [Int] { get } }",
      [
        "1:41 a forwarder has its own `targets`: name the requirement otherwise"
      ]
    ),
    (
      "@Forwarding protocol P: Actor {}",
      [
        "1:25 a forwarder is no actor: its targets would be isolated to themselves; isolate the protocol to a global actor, or make it Sendable"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject, Other.Q {}",
      [
        "1:36 a protocol that is declared with @Forwarding is inherited by its plain name; if Other.Q is not, declare a protocol of your own with its requirements"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject, Hashable {}",
      [
        "1:36 Hashable has no forwarder, because it is not declared with @Forwarding; remove it, or declare a protocol of your own with its requirements"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  func page() -> Page\n}",
      [
        "2:3 what `page` answers if no target responds is not known: Page has no zero; add @Optional(default: …) => @Optional(default: <#value#>) func page() -> Page"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  @discardableResult func page() throws(E) -> Page\n}",
      [
        "2:3 what `page` answers if no target responds is not known: Page has no zero; add @Optional(default: …) => @discardableResult @Optional(default: <#value#>)"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  var page: Page { get }\n}",
      [
        "2:3 what `page` answers if no target responds is not known: Page has no zero; add @Optional(default: …) => @Optional(default: <#value#>) var page: Page { get }"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  @Optional func page() -> Page\n}",
      [
        "2:3 what `page` answers if no target responds is not known: Page has no zero; add @Optional(default: …) => @Optional(default: <#value#>)"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  func move(to: Int)\n  func moveTo(_ place: Int)\n}",
      [
        "3:3 two requirements have closures of the name `moveTo`; name one with @Named => @Named(\"<#name#>\") func moveTo(_ place: Int)",
        "3:3 two requirements are sent as `moveTo:`; choose another selector for one with @SentAs => @SentAs(\"<#selector#>\") func moveTo(_ place: Int)",
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  func load(count: Int)\n  @Named(\"other\") func loadWithCount(_ count: Int)\n}",
      [
        "3:3 two requirements are sent as `loadWithCount:`; choose another selector for one with @SentAs => @Named(\"other\") @SentAs(\"<#selector#>\")"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  @SentAs(\"load\") func load(_ count: Int)\n}",
      [
        "2:3 the selector `load` needs one colon for each argument"
      ]
    ),
    (
      "@Forwarding protocol P: AnyObject {\n  #if DEBUG\n  func f()\n  #endif\n}",
      [
        "2:3 a macro does not know which requirements are compiled: declare them in a protocol of their own, inside of #if"
      ]
    ),
    (
      "protocol P: AnyObject { @Optional func f() }",
      [
        "1:25 @Optional marks a requirement of a protocol that has the attribute @Forwarding"
      ]
    ),
    (
      "class P { @Named(\"a\") func f() {} }",
      [
        "1:11 @Named marks a requirement of a protocol that has the attribute @Forwarding, or a member of a class or an actor that has the attribute @Messages"
      ]
    ),
  ]

  func testWhatCannotBeForwardedIsRefusedAtItsPlace() {
    for (source, expected) in rows {
      XCTAssertEqual(ExpandedSource(source).diagnostics, expected, source)
    }
  }
}
#endif
