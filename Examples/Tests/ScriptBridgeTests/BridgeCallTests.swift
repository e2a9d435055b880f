import Dispatch
import ScriptBridge
import Synchronization
import XCTest

final class BridgeCallTests: XCTestCase {
  private let script = ScriptedBridge()

  private var bridge: ScriptBridge { script.bridge }

  /// The error of a call of the script's handler.
  private func error(of name: String) async -> ScriptBridgeError? {
    do {
      _ = try await bridge.result(of: name)
      return nil
    } catch {
      return error
    }
  }

  func testUnknownHandlersAnswerInBothDirections() async throws {
    let fromSwift = try await script.answer(to: "missing", "[]")
    XCTAssertEqual(fromSwift, "unknownHandler")
    let fromScript = await error(of: "missing")
    XCTAssertEqual(fromScript?.code, .unknownHandler)
    // A name that JavaScript's objects have is no handler.
    let inherited = await error(of: "toString")
    XCTAssertEqual(inherited?.code, .unknownHandler)
  }

  func testAHandlerThatThrowsAnswersItsError() async throws {
    struct Unlucky: Error {}
    bridge.handle("throw") { _, _ in throw Unlucky() }
    bridge.handle("fail") { try $1.fail(ScriptBridgeError(.timedOut, "\($0.count)")) }
    let thrown = try await script.answer(to: "throw", "[]")
    XCTAssertEqual(thrown, "handlerFailed")
    let failed = try await script.answer(to: "fail", "[]")
    XCTAssertEqual(failed, "timedOut")

    try await bridge.load(
      """
      bridge.handle("throw", function () { throw new RangeError("too far"); });
      bridge.handle("fail", function (values, answer) { answer("no"); });
      bridge.handle("hide", function () { throw { toString: function () { throw 1; } }; });
      bridge.handle("recurse", function recurse() { recurse(); });
      bridge.handle("half", function (v, answer) { answer("\\ud83d, \\ud83d\\ude00\\ude00"); });
      """)
    let expected = [
      "throw": "RangeError: too far", "fail": "no", "hide": "an error without a text",
      "recurse": "RangeError: callstack limit", "half": #"\ud83d, 😀\ude00"#,
    ]
    for (name, message) in expected {
      let error = await error(of: name)
      XCTAssertEqual(error, ScriptBridgeError(.handlerFailed, message))
    }
  }

  func testASecondAnswerIsRefusedWithAnError() async throws {
    let codes = Recorder<ScriptBridgeError.Code>()
    bridge.handle("twice") { _, answer in
      try answer.send(1)
      do throws(ScriptBridgeError) { try answer.send(2) } catch { codes.record(error.code) }
      do throws(ScriptBridgeError) {
        try answer.fail(ScriptBridgeError(.unanswered, ""))
      } catch { codes.record(error.code) }
    }
    let first = try await script.answer(to: "twice", "[]")
    XCTAssertEqual(first, 1)
    XCTAssertEqual(codes.entries, [.alreadyAnswered, .alreadyAnswered])

    let result = try await script.run(
      "done(1); try { done(2); } catch (error) { note(error.message); }")
    XCTAssertEqual(result, 1)
    // Notes come before what is called later.
    _ = try await script.run("bridge.call('note', [], function () { done(); });")
    XCTAssertEqual(script.notes.entries.count, 1)
    XCTAssert("\(script.notes.entries)".contains("alreadyAnswered"))
    XCTAssertEqual(bridge.droppedAnswers, 0)
  }

  func testAMissingCallbackIsNoError() async throws {
    bridge.handle("count") { [script] arguments, answer in
      script.notes.record(arguments[0])
      try answer.send("nobody listens")
    }
    _ = try await script.run(
      "bridge.call('count', [1]); bridge.call('count', [2], null);"
        + "bridge.call('note', [3], function () { done(); });")
    bridge.call("run")
    bridge.call("missing")
    _ = try await bridge.result(of: "run")
    XCTAssertEqual(script.notes.entries, [1, 2, 3, 1, 2, 3, 1, 2, 3])
    XCTAssertEqual(script.errors.entries, [])
    XCTAssertEqual(bridge.droppedAnswers, 0)
  }

  func testCallsBeforeTheScriptWaitAndGoInOrder() async throws {
    let answers = Recorder<ScriptValue>()
    for number in 0..<20 {
      bridge.call("count", [.number(Double(number))]) { answers.record((try? $0.get()) ?? "error") }
    }
    do {
      try await bridge.load("this is no script")
      XCTFail("a script without syntax was loaded")
    } catch {
      XCTAssertEqual(error.code, .scriptFailed)
      XCTAssert(error.message.hasPrefix("SyntaxError"), error.message)
    }
    XCTAssertEqual(answers.entries, [])
    try await bridge.load(
      """
      var calls = 0;
      bridge.handle("count", function (values, answer) { answer(null, [calls++, values[0]]); });
      """)
    _ = try await bridge.result(of: "count", [20])
    XCTAssertEqual(
      answers.entries, (0..<20).map { [.number(Double($0)), .number(Double($0))] })
  }

  func testCallsNestInEachOther() async throws {
    bridge.handle("outer") { [weak bridge] arguments, answer in
      bridge?.call("double", arguments) { result in
        guard case .success(.number(let number)) = result else { return }
        try? answer.send(.number(number + 1))
      }
    }
    bridge.handle("inner") { try $1.send($0[0]) }
    let answer = try await script.run(
      """
      bridge.handle("double", function (values, answer) {
        bridge.call("inner", values, function (error, result) { answer(error, result * 2); });
      });
      bridge.call("outer", [20], function (error, result) { done([error, result]); });
      """)
    XCTAssertEqual(answer, [nil, 41])
  }

  func testAnyThreadCallsWithoutADeadlock() async throws {
    try await bridge.load(
      """
      var sum = 0;
      bridge.handle("add", function (values, answer) {
        bridge.call("own", values, function (error, result) { answer(error, sum += result); });
      });
      """)
    bridge.handle("own") { [weak bridge] arguments, answer in
      // A handler may use the bridge, on the bridge's own queue.
      bridge?.handle("replaced") { _, _ in }
      bridge?.removeHandler("replaced")
      bridge?.call("missing") { _ in try? answer.send(arguments[0]) }
    }
    let answered = expectation(description: "every call is answered")
    answered.expectedFulfillmentCount = 8 * 50
    let largest = Mutex(0.0)
    DispatchQueue.concurrentPerform(iterations: 8) { [bridge] _ in
      for _ in 0..<50 {
        bridge.call("add", [1]) { result in
          if case .success(.number(let sum)) = result {
            largest.withLock { $0 = max($0, sum) }
          }
          answered.fulfill()
        }
      }
    }
    await fulfillment(of: [answered], timeout: 60)
    XCTAssertEqual(largest.withLock { $0 }, 400)
  }

  func testRemovedHandlersAreUnknown() async throws {
    bridge.handle("here") { try $1.send("first") }
    bridge.handle("here") { try $1.send("second") }
    let replaced = try await script.answer(to: "here", "[]")
    XCTAssertEqual(replaced, "second")
    XCTAssertTrue(bridge.removeHandler("here"))
    XCTAssertFalse(bridge.removeHandler("here"))
    let removed = try await script.answer(to: "here", "[]")
    XCTAssertEqual(removed, "unknownHandler")

    let gone = try await script.run(
      "bridge.handle('here', done); done([bridge.remove('here')]);")
    XCTAssertEqual(gone, [true])
    let error = await error(of: "here")
    XCTAssertEqual(error?.code, .unknownHandler)
  }

  func testErrorsOfCallbacksAreReported() async throws {
    _ = try await script.run(
      """
      bridge.call("note", [], function () { throw new Error("nobody catches this"); });
      bridge.call("note", [], function () { done(); });
      """)
    XCTAssertEqual(script.errors.entries, ["scriptFailed: Error: nobody catches this"])
  }

  func testAScriptThatBreaksJavaScriptBreaksItselfOnly() async throws {
    let echoed = try await script.run(
      """
      JSON.stringify = JSON.parse = null;
      String.prototype.replace = String.prototype.slice = String.prototype.charCodeAt = null;
      Number.prototype.toString = Function.prototype.call = Function.prototype.bind = null;
      String = Error = TypeError = null;
      Object.prototype.handlers = 1;
      bridge.call("note", ["é"], function (error, result) {
        bridge.call("missing", [], function (error) { done([result, error.code]); });
      });
      """)
    XCTAssertEqual(echoed, [nil, "unknownHandler"])
    XCTAssertEqual(script.notes.entries, ["é"])
    try? await bridge.load("Array.isArray = bridge = undefined; this.bridge = 1;")
    bridge.reset()
    let again = try await script.run("done(2);")
    XCTAssertEqual(again, 2)
  }
}
