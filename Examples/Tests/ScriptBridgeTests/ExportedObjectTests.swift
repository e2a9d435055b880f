import BlockRuntime
import Dispatch
import ScriptBridge
import XCTest

/// A page that scripts use; of one thread at a time.
class Page: MessageReceiver, KeyValueCoding, @unchecked Sendable {
  struct Unreadable: Error {}

  @Observed var title = "untitled"
  @Observed var count: Int?
  @Observed var numbers = [1, 2]
  let calls = Recorder<String>()
  private let ended: Finaliser?

  init(ended: Finaliser? = nil) { self.ended = ended }

  func load(_ text: String, _ times: Int32) -> String { String(repeating: text, count: Int(times)) }
  func find(_ word: String?) throws -> Double? {
    guard let word else { throw Unreadable() }
    return Double(word)
  }
  func reload() { calls.record("reload") }
  func parent() -> Page { self }

  class var methods: MethodTable {
    MethodTable(Page.self) {
      Method("load:times:", Page.load)
      Method("find:", Page.find)
      Method("reload", Page.reload)
      Method("parent", Page.parent)
    }
  }
  class var keys: KeyTable {
    ["title": \Page.title, "count": \Page.count, "numbers": \Page.numbers]
  }
}

final class Book: Page, @unchecked Sendable {
  func turn(_ pages: Int) -> Int { pages + 1 }

  override class var methods: MethodTable { MethodTable(Book.self) { Method("turn:", Book.turn) } }
}

final class ExportedObjectTests: XCTestCase {
  private let script = ScriptedBridge()
  private var bridge: ScriptBridge { script.bridge }

  /// The result of a script's expression: its value, or the code of its error.
  private func value(of expression: String) async throws -> ScriptValue {
    try await script.run(
      """
      var page;
      try { page = bridge.object("page"); done(\(expression)); }
      catch (error) { done(error.code || String(error)); }
      """)
  }

  func testAScriptSendsMessagesAndUsesKeys() async throws {
    let book = Book()
    bridge.export(book, as: "page")
    for (expression, expected) in [
      ("page.loadTimes('ab', 2)", "abab"), ("page.turn(3)", 4), ("page.find('2.5')", 2.5),
      ("page.find('x')", nil), ("typeof page.reload()", "undefined"),
      ("page.title", "untitled"), ("page.count", nil), ("page.numbers", [1, 2]),
      ("[page.title = 'é\\u2028', page.title][1]", "é\u{2028}"),
      ("[page.count = 7, page.count][1]", 7), ("[page.count = null, page.count][1]", nil),
      ("[page.numbers = [3], page.numbers][1]", [3]),
      ("Object.keys(page)", ["count", "numbers", "title"]),
    ] as [(String, ScriptValue)] {
      let value = try await value(of: expression)
      XCTAssertEqual(value, expected, expression)
    }
    XCTAssertEqual(book.title, "é\u{2028}")
    XCTAssertEqual(book.calls.entries, ["reload"])
  }

  func testWhatAScriptDoesWrongIsAnErrorWithACode() async throws {
    let page = Page()
    bridge.export(page, as: "page")
    for (expression, code) in [
      ("page.loadTimes('a')", "invalidArguments"), ("page.loadTimes()", "invalidArguments"),
      ("page.loadTimes('a', 1, 2)", "invalidArguments"),
      ("page.loadTimes(1, 'a')", "invalidArguments"),
      ("page.loadTimes('a', 1.5)", "invalidArguments"),
      ("page.loadTimes('a', 1e300)", "invalidArguments"),
      ("page.loadTimes(null, null)", "invalidArguments"),
      ("page.loadTimes({}, [])", "invalidArguments"),
      ("page.loadTimes('a', NaN)", "TypeError: a number (NaN) is no JSON"),
      ("page.find(null)", "handlerFailed"), ("page.parent()", "invalidValue"),
      ("page.title = 1", "invalidArguments"), ("page.title = null", "invalidArguments"),
      ("page.count = 'x'", "invalidArguments"),
      ("page.turn(1)", "TypeError: undefined not callable (property 'turn' of [object Object])"),
      ("bridge.object('missing')", "gone"), ("bridge.object()", "gone"),
      ("bridge.object({ toString: function () { throw { code: 'own' }; } })", "own"),
    ] as [(String, ScriptValue)] {
      let value = try await value(of: expression)
      XCTAssertEqual(value, code, expression)
    }
    XCTAssertEqual(page.title, "untitled")
  }

  func testAnObjectIsNotKeptAndItsMessagesFailAfterItsEnd() async throws {
    let ended = Recorder<Bool>()
    bridge.export(Page(), as: "page")
    let before = try await value(of: "page")
    XCTAssertEqual(before, "gone")
    var page: Page? = Page(ended: Finaliser { ended.record(true) })
    if let page { bridge.export(page, as: "page") }
    let kept = try await script.run(
      "kept = bridge.object('page'); load = kept.loadTimes; done(kept.title);")
    XCTAssertEqual(kept, "untitled")
    page = nil
    XCTAssertEqual(ended.entries, [true])
    for expression in ["kept.title", "kept.title = 'x'", "kept.reload()", "load('a', 1)"] {
      let value = try await value(of: expression)
      XCTAssertEqual(value, "gone", expression)
    }
  }

  func testHostileScriptsHarmThemselvesOnly() async throws {
    let page = Page()
    bridge.export(page, as: "page")
    for (source, expected) in [
      // Endless recursion, and a message in the middle of it.
      ("(function f() { page.reload(); f(); })()", "RangeError: callstack limit"),
      ("page.loadTimes(new Array(1 << 22).join('x'), 2).length", .number(Double((1 << 23) - 2))),
      ("(function () { for (var a = []; ; a = [a]) page.loadTimes(a, 1); })()", "invalidArguments"),
      // Coroutines are stacks of their own, and no message can be left in the middle.
      (
        "Duktape.Thread.resume(new Duktape.Thread(function () { return page.loadTimes('c', 3); }))",
        "ccc"
      ),
      (
        "page.loadTimes({ toJSON: function () { page.reload(); return 'j'; } }, 2)", "jj"
      ),
      ("page.loadTimes({ get x() { throw { code: 'own' }; } }, 2)", "own"),
      ("Object.getOwnPropertyDescriptor(page, 'title').set.call(null, 'called')", nil),
      ("new page.reload()", .object([:])),
    ] as [(String, ScriptValue)] {
      let value = try await value(of: source)
      XCTAssertEqual(value, expected, source)
    }
    XCTAssertEqual(page.title, "called")
    // Nothing of the language is as it was.
    let tampered = try await script.run(
      """
      JSON.parse = JSON.stringify = Object.defineProperty = Object.create = null;
      Function.prototype.apply = Function.prototype.call = null;
      Object.prototype.messages = Object.prototype.keys = [1];
      Array.prototype.toJSON = undefined; Error = String = null;
      bridge.object("page").title = "tampered"; done(bridge.object("page").loadTimes("t", 2));
      """)
    XCTAssertEqual(tampered, "tt")
    XCTAssertEqual(page.title, "tampered")
    let hook = try await bridge.replaceMethod(
      page.target("load:times:"),
      by: "function (original, page) { return original() + page.title; }")
    XCTAssertEqual(try page.send("load:times:", "t", 2, returning: String.self), "tttampered")
    hook.remove()
    bridge.reset()
    let again = try await value(of: "page.title")
    XCTAssertEqual(again, "tampered")
  }

  func testACallHasSeveralResults() async throws {
    try await bridge.load(
      """
      bridge.handle("download", function (values, answer) {
        for (var part = 0; part < values[0]; part++) answer.part(part);
        if (values[1] === "fail") throw new Error("broken");
        answer(null, values[1]);
        try { answer.part(9); } catch (error) { bridge.call("note", [error.message]); }
      });
      """)
    func parts(_ arguments: [ScriptValue]) async throws -> [ScriptValue] {
      var parts: [ScriptValue] = []
      do {
        for try await part in bridge.results(of: "download", arguments) { parts.append(part) }
      } catch let error as ScriptBridgeError {
        parts.append(.string(error.code.rawValue))
      }
      return parts
    }
    for (arguments, expected) in [
      ([3], [0, 1, 2]), ([2, "end"], [0, 1, "end"]), ([0, nil], []),
      ([1, "fail"], [0, "handlerFailed"]),
    ] as [([ScriptValue], [ScriptValue])] {
      let parts = try await parts(arguments)
      XCTAssertEqual(parts, expected)
    }
    let last = try await bridge.result(of: "download", [3, "end"])
    XCTAssertEqual(last, "end")
    // An iteration that is given up ends the call.
    for try await part in bridge.results(of: "download", [3]) where part == 0 { break }
    XCTAssertTrue(script.notes.entries.contains("alreadyAnswered: call 1 has its answer"))
  }

  func testSwiftAnswersInPartsToo() async throws {
    let codes = Recorder<ScriptBridgeError.Code>()
    bridge.handle("download") { arguments, answer in
      for argument in arguments { try answer.sendPart(argument) }
      do throws(ScriptBridgeError) { try answer.sendPart(.number(.nan)) } catch {
        codes.record(error.code)
      }
      try answer.send("end")
      do throws(ScriptBridgeError) { try answer.sendPart(1) } catch { codes.record(error.code) }
    }
    let all = try await script.run(
      """
      var all = [];
      bridge.call("download", [1, [2]], function (error, result) { done([all, result]); },
        function (part) { all.push(part); });
      bridge.call("download", [1], null, function () { throw new Error("of a part"); });
      """)
    XCTAssertEqual(all, [[1, [2]], "end"])
    _ = try await script.run("done();")
    XCTAssertEqual(
      codes.entries, [.invalidValue, .alreadyAnswered, .invalidValue, .alreadyAnswered])
    XCTAssertEqual(script.errors.entries, ["scriptFailed: Error: of a part"])
  }
}
