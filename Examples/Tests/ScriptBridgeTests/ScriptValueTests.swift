import ScriptBridge
import XCTest

final class ScriptValueTests: XCTestCase {
  private static let values: [ScriptValue] = [
    nil, true, false, 0, -1, 1.5, .number(-0.0), .number(.greatestFiniteMagnitude),
    .number(.leastNonzeroMagnitude), .number(.ulpOfOne), 9_007_199_254_740_993, "", "plain",
    "\"quoted\" and 'quoted'", "\\ \\n \\\\ /", "\n\r\t\u{8}\u{C}\u{1B}\u{7F}", "\0 and \0",
    "\u{2028}\u{2029}\u{FEFF}\u{FFFE}\u{FFFF}", "é e\u{301} ß 日本", "😀👨‍👩‍👧‍👦\u{10FFFF}",
    "</script>$&${}`", [], [[], [nil], [[1]]], [1, "two", [3, false], ["four": nil]], [:],
    ["": 1, "__proto__": [1], "constructor": "x", "a\"b": ["\u{2028}": "\0"], "toJSON": 1],
  ]

  private let script = ScriptedBridge()

  func testTheScriptEchoesWhatSwiftSends() async throws {
    try await script.bridge.load(
      "bridge.handle('echo', function (values, answer) { answer(null, values[0]); })")
    for value in Self.values {
      let echo = try await script.bridge.result(of: "echo", [value])
      XCTAssertEqual(echo, value)
    }
    let all = try await script.bridge.result(of: "echo", [.array(Self.values)])
    XCTAssertEqual(all, .array(Self.values))
  }

  func testSwiftEchoesWhatTheScriptSends() async throws {
    script.bridge.handle("echo") { try $1.send($0[0]) }
    // Every unit, compared by the script itself, which knows nothing of JSON here.
    let differences = try await script.run(
      #"""
      var texts = ["\"'\\\n\r\u2028\u2029\u0000\ud83d\ude00"], left = 0, wrong = [];
      for (var start = 0; start < 0x10000; start += 0x1000) {
        if (start >= 0xd000 && start < 0xe000) continue;
        var text = "";
        for (var unit = start; unit < start + 0x1000; unit++) text += String.fromCharCode(unit);
        texts.push(text);
      }
      texts.forEach(function (text) {
        left++;
        bridge.call("echo", [text], function (error, result) {
          if (error || result !== text) wrong.push(text.charCodeAt(0));
          if (--left === 0) done(wrong);
        });
      });
      """#)
    XCTAssertEqual(differences, [])
  }

  func testUndefinedIsNull() async throws {
    script.bridge.handle("echo") { try $1.send(.array($0)) }
    let echo = try await script.answer(to: "echo", "[undefined, {a: undefined}, [undefined], null]")
    XCTAssertEqual(echo, [nil, ["a": nil], [nil], nil])
    let nothing = try await script.run("answer();")
    XCTAssertEqual(nothing, nil)
  }

  func testACharactersHalfIsAnError() async throws {
    script.bridge.handle("echo") { try $1.send($0[0]) }
    for text in [#""\ud83d""#, #""\ude00x""#, #""\ude00\ud83d""#] {
      let answer = try await script.answer(to: "echo", "[\(text)]")
      XCTAssertEqual(answer, "invalidValue", text)
    }
    do {
      _ = try await script.run(#"done("\ud83d");"#)
      XCTFail("half a character came across")
    } catch {
      XCTAssertEqual((error as? ScriptBridgeError)?.code, .invalidValue)
    }
  }

  private static let noJSON = [
    "NaN", "Infinity", "function () {}", "Symbol('x')", "[1, [-Infinity]]", "{a: {b: isNaN}}",
    "(function () { var cycle = []; cycle.push(cycle); return cycle; })()",
  ]

  func testAScriptThatPassesNoJSONIsTold() async throws {
    script.bridge.handle("echo") { try $1.send($0[0]) }
    for value in Self.noJSON {
      let message = try await script.run(
        "try { bridge.call('echo', [\(value)]); done('no error'); }"
          + "catch (error) { done(error instanceof TypeError); }")
      XCTAssertEqual(message, true, value)
    }
    let noArray = try await script.run(
      "try { bridge.call('echo', 1); } catch (error) { done(error.message); }")
    XCTAssertEqual(noArray, "the arguments must be an array")
  }

  func testSwiftIsToldOfAScriptThatAnswersNoJSON() async throws {
    for value in Self.noJSON {
      do {
        _ = try await script.run("done(\(value));")
        XCTFail("\(value) came across")
      } catch {
        XCTAssertEqual((error as? ScriptBridgeError)?.code, .invalidValue, value)
      }
    }
  }

  func testSwiftIsToldThatItPassesNoJSON() async throws {
    var deep: ScriptValue = nil
    for _ in 0..<300 { deep = [deep] }
    try await script.bridge.load("")
    for value in [.number(.nan), [.number(.infinity)], deep] as [ScriptValue] {
      do {
        _ = try await script.bridge.result(of: "echo", [value])
        XCTFail("\(value) came across")
      } catch {
        XCTAssertEqual(error.code, .invalidValue)
      }
    }
  }

  func testAnAnswerThatIsNoJSONIsRefusedAndAnotherMayFollow() async throws {
    script.bridge.handle("mend") { _, answer in
      XCTAssertThrowsError(try answer.send(.number(.nan))) { error in
        XCTAssertEqual((error as? ScriptBridgeError)?.code, .invalidValue)
      }
      try answer.send("mended")
    }
    let mended = try await script.answer(to: "mend", "[]")
    XCTAssertEqual(mended, "mended")
  }

  func testDeepValuesOfScriptsAreErrors() async throws {
    script.bridge.handle("echo") { try $1.send($0[0]) }
    for levels in [400, 900, 5000] {
      let code = try await script.run(
        """
        var deep = [];
        for (var level = 0; level < \(levels); level++) deep = [deep];
        try {
          bridge.call("echo", [deep], function (error) { done(error ? error.code : "echoed"); });
        } catch (error) { done("thrown"); }
        """)
      XCTAssert(["thrown", "invalidValue"].contains(code), "\(levels): \(code)")
    }
  }
}
