import BlockRuntime
import Dispatch
import ScriptBridge
import XCTest

final class ReplacedMethodTests: XCTestCase {
  private let script = ScriptedBridge()
  private var bridge: ScriptBridge { script.bridge }

  /// The code of an error of the bridge's that a message throws.
  private func code(_ body: () throws -> Void) -> ScriptBridgeError.Code? {
    do { try body() } catch {
      return ((error as? MessageError)?.underlyingError as? ScriptBridgeError)?.code
    }
    return nil
  }

  func testAFunctionAnswersWithTheOriginalAtHand() async throws {
    let page = Page()
    func load(_ text: String, _ times: Int32) throws -> String {
      try page.send("load:times:", text, times)
    }
    for (function, expected) in [
      ("function () { return 'instead'; }", "instead"),
      ("function (original) { return original(); }", "abab"),
      ("function (original) { original(); }", "abab"),
      (
        "function (original) { return original('c', 1) + original() + original('d', 3); }",
        "ccddd"
      ),
      (
        "function (original, page, text, times) { return page.title + text + times; }",
        "untitledab2"
      ),
      (
        "function (original, page) { page.title = 'set'; return page.find('4') + page.title; }",
        "4set"
      ),
      (
        "function (original, page) { return page.loadTimes === undefined ? '' : 'has'; } // the end",
        "has"
      ),
    ] {
      page.title = "untitled"
      let hook = try await bridge.replaceMethod(page.target("load:times:"), by: function)
      XCTAssertEqual(try load("ab", 2), expected, function)
      hook.remove()
      XCTAssertEqual(try load("ab", 2), "abab", function)
    }
    // Values that scripts have none for pass by them.
    try await bridge.replaceMethod(
      page.target("parent"), by: "function (original) { return original(); }")
    XCTAssertTrue(try page.send("parent", returning: Page.self) === page)
    try await bridge.replaceMethod(page.target("find:"), by: "function () { return null; }")
    XCTAssertNil(try page.send("find:", String?.some("1"), returning: Double?.self))
    try await bridge.replaceMethod(page.target("reload"), by: "function () { return {}; }")
    try page.send("reload")
    XCTAssertEqual(page.calls.entries, [])
  }

  func testWhatHostileFunctionsDoIsThrownToTheSender() async throws {
    let page = Page()
    for (function, expected) in [
      ("function () { throw new RangeError('no'); }", .handlerFailed),
      ("function () { throw { toString: function () { throw 1; } }; }", .handlerFailed),
      ("function () { throw null; }", .handlerFailed),
      (
        "function () { var e = new Error(); Object.defineProperty(e, 'code', { get: function () { throw 1; } }); throw e; }",
        .handlerFailed
      ),
      ("function f() { return f() + f(); }", .handlerFailed),
      ("function (original, page) { return page.loadTimes('again', 1); }", .scriptFailed),
      ("function (original) { return original('a'); }", .invalidArguments),
      ("function (original) { return original({}, []); }", .invalidArguments),
      ("function (original, page) { return page.loadTimes(); }", .invalidArguments),
      ("function () { return {}; }", .invalidArguments),
      ("function () { return null; }", .invalidArguments),
      ("function () { return function () {}; }", .invalidValue),
      ("function () { return { toJSON: function () { throw 1; } }; }", .invalidValue),
      ("function () { var a = []; a[0] = a; return a; }", .invalidValue),
      (
        "function () { for (var a = 1, i = 0; i < 300; i++) a = [a]; return a; }", .invalidArguments
      ),
      (
        "function (original, page) { keptPage = page; keptOriginal = original; return 'kept'; }",
        nil
      ),
      ("function () { return keptPage.title; }", .gone),
      ("function () { return keptOriginal(); }", .gone),
      (
        "function (original) { return Duktape.Thread.resume(new Duktape.Thread(function () { return original(); })); }",
        nil
      ),
      (
        "function (original, page, text) { return text !== 'a' ? text : Duktape.Thread.resume("
          + "new Duktape.Thread(function () { return page.loadTimes('nested', 1); })); }", nil
      ),
      ("function () { return new Array(1 << 22).join('x'); }", nil),
    ] as [(String, ScriptBridgeError.Code?)] {
      let hook = try await bridge.replaceMethod(Page.target("load:times:"), by: function)
      XCTAssertEqual(
        code { try page.send("load:times:", "a", 1 as Int32, returning: String.self) }, expected,
        function)
      hook.remove()
    }
    for source in ["1", "(", "function () {}); bridge.call('note', [1]); (1", "undefined"] {
      do {
        try await bridge.replaceMethod(Page.target("reload"), by: source)
        XCTFail("\(source) replaced a method")
      } catch {
        XCTAssertEqual(error.code, .scriptFailed)
      }
    }
    do {
      try await bridge.replaceMethod(Page.target("missing"), by: "function () {}")
      XCTFail("a missing method was replaced")
    } catch {
      XCTAssertEqual(error.code, .handlerFailed)
    }
    XCTAssertEqual(script.errors.entries, [])
  }

  func testTheMethodsOwnErrorGoesThroughTheScript() async throws {
    let page = Page()
    func find() throws -> Double? { try page.send("find:", String?.none) }
    for (function, isCaught) in [
      ("function (original) { return original(); }", false),
      ("function (original) { try { original(); } catch (error) { return 0; } }", true),
    ] {
      let hook = try await bridge.replaceMethod(page.target("find:"), by: function)
      if isCaught {
        XCTAssertEqual(try find(), 0)
      } else {
        XCTAssertThrowsError(try find()) { error in
          XCTAssertTrue((error as? MessageError)?.underlyingError is Page.Unreadable, "\(error)")
        }
      }
      hook.remove()
    }
  }

  func testFunctionsRunOnTheSendersThreadsOneAfterTheOther() async throws {
    try await bridge.load("var count = 0;")
    let hook = try await bridge.replaceMethod(
      Book.target("turn:"),
      by:
        "function (original, page, by) { bridge.call('note', []); count += by; return original(); }"
    )
    DispatchQueue.concurrentPerform(iterations: 8) { [bridge] _ in
      let book = Book()
      for _ in 0..<50 {
        XCTAssertEqual(try? book.send("turn:", 1, returning: Int.self), 2)
        bridge.call("missing")
      }
    }
    let count = try await script.run("done(count);")
    XCTAssertEqual(count, 400)
    hook.remove()

    // A handler, a completion and a timeout may send, and so may an exported object's method.
    let book = Book()
    bridge.export(book, as: "page")
    bridge.handle("turn") { [book] _, answer in
      try answer.send(.number(Double(try book.send("turn:", 1, returning: Int.self))))
    }
    try await bridge.replaceMethod(
      book.target("turn:"), by: "function (original) { return 10 * original(); }")
    let answers = try await script.run(
      """
      bridge.call("turn", [], function (error, result) {
        done([result, bridge.object("page").turn(3)]);
      });
      """)
    XCTAssertEqual(answers, [20, 40])
    let ended = expectation(description: "the call times out")
    bridge.call("never", timeout: .seconds(1)) { _ in
      XCTAssertEqual(try? book.send("turn:", 1, returning: Int.self), 20)
      ended.fulfill()
    }
    try? await bridge.load("bridge.handle('never', function () {});")
    _ = try? await bridge.result(of: "missing")
    script.clock.advance(by: .seconds(1))
    await fulfillment(of: [ended], timeout: 60)
  }

  func testTwoBridgesCallEachOther() async throws {
    let (other, page) = (ScriptedBridge(), Book())
    other.bridge.export(page, as: "page")
    bridge.export(page, as: "page")
    try await bridge.replaceMethod(
      page.target("turn:"),
      by: "function (original, page) { return page.loadTimes('x', 1).length; }")
    try await other.bridge.replaceMethod(
      page.target("load:times:"), by: "function (original, page) { return page.find('1'); }")
    try await bridge.replaceMethod(page.target("find:"), by: "function () { return 5; }")
    XCTAssertEqual(code { try page.send("turn:", 1, returning: Int.self) }, .invalidArguments)
  }

  func testNothingIsKeptAndAScriptThatIsGoneIsAnError() async throws {
    let ended = Recorder<String>()
    let page = Page(ended: Finaliser { ended.record("page") })
    var bridge: ScriptBridge? = ScriptBridge()
    let hook = try await bridge?.replaceMethod(
      Page.target("reload"),
      by: "function (original, page) { kept = [original, page]; original(); }")
    try page.send("reload")
    bridge?.reset()
    XCTAssertEqual(code { try page.send("reload") }, .closed)
    try await bridge?.load("Duktape.fin({}, function () { kept[0](); });")
    XCTAssertEqual(code { try page.send("reload") }, .closed)
    bridge = nil
    XCTAssertEqual(code { try page.send("reload") }, .closed)
    hook?.remove()
    try page.send("reload")
    XCTAssertEqual(page.calls.entries, ["reload", "reload"])
  }

  func testAFunctionIsForgottenWithItsHook() async throws {
    try await bridge.load("var freed = 0;")
    let page = Page()
    for _ in 0..<3 {
      let hook = try await bridge.replaceMethod(
        page.target("reload"),
        by: "Duktape.fin(function () {}, function () { freed++; }) || (function () {"
          + "var f = function () {}; Duktape.fin(f, function () { freed++; }); return f; })()")
      try page.send("reload")
      hook.remove()
    }
    _ = try? await bridge.result(of: "missing")
    let freed = try await script.run("Duktape.gc(); done(freed);")
    XCTAssertEqual(freed, 6)
  }
}
