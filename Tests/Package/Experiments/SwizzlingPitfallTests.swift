import BlockRuntime
import TestSupport
import XCTest

/// What goes wrong with exchanged methods, and what hooks do instead.
///
/// Each test declares classes of its own: methods are exchanged for the whole process.
final class SwizzlingPitfallTests: XCTestCase {
  /// The subclass inherits the method, so it is the superclass's that is exchanged, for everybody.
  func testExchangingAnInheritedMethodChangesTheSuperclass() throws {
    class View: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(View.self) { Method("draw") { (_: View) -> String in "view" } }
      }
    }
    final class Button: View {
      override class var methods: MethodTable { MethodTable(Button.self) }
    }
    let fancy: @Sendable (inout CallFrame) throws -> Void = { try $0.setResult(Int64(1)) }
    Button.addMethod(Method("fancyDraw", signature: "q@:", frame: fancy))
    View.addMethod(Method("size", signature: "q@:", frame: { try $0.setResult(Int64(0)) }))
    try Button.exchangeMethods("size", "fancyDraw")
    // Meant for buttons, and plain views have it too.
    XCTAssertEqual(try View().send("size", returning: Int64.self), 1)

    // Cure one: give the subclass a method of its own first.
    View.addMethod(Method("width", signature: "q@:", frame: { try $0.setResult(Int64(0)) }))
    Button.addMethod(Method("width", signature: "q@:", frame: { try $0.setResult(Int64(0)) }))
    Button.addMethod(Method("fancyWidth", signature: "q@:", frame: fancy))
    try Button.exchangeMethods("width", "fancyWidth")
    XCTAssertEqual(try View().send("width", returning: Int64.self), 0)
    XCTAssertEqual(try Button().send("width", returning: Int64.self), 1)

    // Cure two: a hook of the subclass is the subclass's, wherever the method stands.
    let hook = try Button.target("draw").hook(.after) { call in try call.setResult("button") }
    XCTAssertEqual(try View().send("draw"), "view")
    XCTAssertEqual(try Button().send("draw"), "button")
    hook.remove()
    XCTAssertEqual(try Button().send("draw"), "view")

    // And where the new method needs a button, Objective-C would run it on a plain view. Refused:
    Button.addMethod(Method("buttonDraw") { (_: Button) -> String in "button" })
    expectError(.typeMismatch) { _ = try Button.exchangeMethods("draw", "buttonDraw") }
  }

  /// The root of the classes below.
  private class Root: MessageReceiver {
    class var methods: MethodTable { MethodTable(Root.self) }
  }

  /// Exchanging twice is exchanging not at all: two libraries that do the same undo each other.
  func testExchangingTwiceIsNothing() throws {
    final class Page: Root {
      override class var methods: MethodTable {
        MethodTable(Page.self) {
          Method("load") { (_: Page) -> String in "load" }
          Method("traced") { (page: Page) -> String in
            // What was `load` is called `traced` now.
            try "traced " + page.send("traced", returning: String.self)
          }
        }
      }
    }
    // As in `+load`, which runs again for a category in a second image.
    func load() throws { try Page.exchangeMethods("load", "traced") }
    try load()
    XCTAssertEqual(try Page().send("load"), "traced load")
    try load()
    XCTAssertEqual(try Page().send("load"), "load")

    // Hooks add up instead: the second is around the first, and each goes by itself.
    let hooks = try (1...2).map { number in
      try Page.target("load").hook(.after) { call in
        try call.setResult("\(number) " + call.result(as: String.self))
      }
    }
    XCTAssertEqual(try Page().send("load"), "2 1 load")
    hooks[0].remove()
    XCTAssertEqual(try Page().send("load"), "2 load")
    hooks[1].remove()
  }

  /// An exchanged original runs under the other's name: whoever looks at `_cmd` is misled.
  func testAnExchangedMethodSeesTheWrongSelector() throws {
    final class Page: Root {
      override class var methods: MethodTable {
        let string = "@\"Swift.String\"@:"
        return MethodTable(Page.self) {
          // It says by which name it was called, as undo managers and KVO's setters look at theirs.
          Method(
            "load", signature: string,
            frame: { call in try call.setResult(call.argument(1, as: Selector.self).name) })
          Method("traced") { (page: Page) -> String in
            try page.send("traced", returning: String.self)
          }
        }
      }
    }
    XCTAssertEqual(try Page().send("load"), "load")
    try Page.exchangeMethods("load", "traced")
    XCTAssertEqual(try Page().send("load"), "traced")
    try Page.exchangeMethods("load", "traced")
    // A hook proceeds to the original with the arguments of the call, the selector among them.
    let hook = try Page.target("load").hook { call in try call.proceed() }
    XCTAssertEqual(try Page().send("load"), "load")
    hook.remove()
  }

  /// Several exchanges nest like an onion: undone in another order, they lose what lies between.
  func testRemovingOutOfOrder() throws {
    final class Page: Root {
      override class var methods: MethodTable {
        MethodTable(Page.self) { Method("load") { (_: Page) -> String in "load" } }
      }
    }
    // By hand: each keeps the implementation it found, and puts it back when it is done.
    func replace(_ name: String) throws -> Method {
      let found = try XCTUnwrap(Page.classObject.method("load"))
      _ = Page.replaceMethod(Method("load") { (_: Page) -> String in name })
      return found
    }
    let foundByFirst = try replace("first")
    let foundBySecond = try replace("second")
    // The first is done, and has thrown out the second; then the second is, and the first is back.
    Page.replaceMethod(foundByFirst)
    XCTAssertEqual(try Page().send("load"), "load")
    Page.replaceMethod(foundBySecond)
    XCTAssertEqual(try Page().send("load"), "first")
    Page.replaceMethod(foundByFirst)

    // Hooks are links of a chain, the last outermost; a link is taken out wherever it is.
    let hooks = try ["first", "second", "third"].map { name in
      try Page.target("load").hook { call in
        try call.proceed()
        try call.setResult("\(name)(\(call.result(as: String.self)))")
      }
    }
    XCTAssertEqual(try Page().send("load"), "third(second(first(load)))")
    hooks[1].remove()
    XCTAssertEqual(try Page().send("load"), "third(first(load))")
    hooks[0].remove()
    XCTAssertEqual(try Page().send("load"), "third(load)")
    hooks[2].remove()
    XCTAssertEqual(try Page().send("load"), "load")
  }
}
