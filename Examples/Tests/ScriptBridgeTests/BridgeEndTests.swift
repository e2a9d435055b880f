import BlockRuntime
import ScriptBridge
import XCTest

/// Timeouts, resets, and what is freed.
final class BridgeEndTests: XCTestCase {
  /// Answers that handlers keep.
  private let answers = Recorder<ScriptAnswer>()

  private func keepAnswers(_ script: ScriptedBridge) {
    script.bridge.handle("keep") { [answers] in answers.record($1) }
  }

  func testACallOfSwiftsTimesOut() async throws {
    let script = ScriptedBridge()
    try await script.bridge.load(
      """
      var kept;
      bridge.handle("keep", function (values, answer) { kept = answer; });
      bridge.handle("late", function (values, answer) { kept(null, "late"); answer(); });
      """)
    let results = Recorder<String>()
    script.bridge.call("keep", timeout: .seconds(5)) { results.record("\($0)") }
    _ = try? await script.bridge.result(of: "missing")
    script.clock.advance(by: .seconds(4))
    _ = try? await script.bridge.result(of: "missing")
    XCTAssertEqual(results.entries, [])
    script.clock.advance(by: .seconds(1))
    _ = try await script.bridge.result(of: "late")
    XCTAssertEqual(results.entries.count, 1)
    XCTAssert(results.entries[0].contains("timedOut"))
    // The late answer was dropped, and counted.
    XCTAssertEqual(script.bridge.droppedAnswers, 1)
  }

  func testACallThatTimesOutBeforeTheScriptIsLoadedIsNotMade() async throws {
    let script = ScriptedBridge(timeout: .seconds(5))
    let results = Recorder<String>()
    let failed = expectation(description: "the call times out")
    script.bridge.call("count") { result in
      results.record("\(result)")
      failed.fulfill()
    }
    // Once it has begun, which a script that does not compile waits for.
    try? await script.bridge.load("(")
    script.clock.advance(by: .seconds(5))
    await fulfillment(of: [failed], timeout: 60)
    XCTAssert(results.entries[0].contains("timedOut"))
    try await script.bridge.load(
      """
      var count = 0;
      bridge.handle("count", function (values, answer) { answer(null, ++count); });
      """)
    let count = try await script.run("bridge.call('note', [], function () { done(count); });")
    XCTAssertEqual(count, 0)
  }

  func testACallOfTheScriptsTimesOut() async throws {
    let script = ScriptedBridge(timeout: .seconds(5))
    keepAnswers(script)
    try await script.bridge.load(
      """
      bridge.call("keep", [], function (error) { bridge.call("note", [error.code]); });
      """)
    _ = try? await script.bridge.result(of: "missing")
    script.clock.advance(by: .seconds(5))
    for _ in 0..<3 { _ = try? await script.bridge.result(of: "missing") }
    XCTAssertEqual(script.notes.entries, ["timedOut"])
    try answers.entries[0].send("late")
    for _ in 0..<3 { _ = try? await script.bridge.result(of: "missing") }
    XCTAssertEqual(script.notes.entries, ["timedOut"])
    XCTAssertEqual(script.bridge.droppedAnswers, 1)
  }

  func testAnswersFromBeforeAResetAreDroppedAndCounted() async throws {
    let script = ScriptedBridge()
    keepAnswers(script)
    let call =
      "bridge.call('keep', [], function (error, result) { bridge.call('note', [result]); });"
    try await script.bridge.load(call)
    _ = try? await script.bridge.result(of: "missing")
    script.bridge.reset()
    // The script that follows begins anew, but its call does not get the id of the old one.
    try await script.bridge.load(call)
    _ = try? await script.bridge.result(of: "missing")
    XCTAssertEqual(answers.entries.count, 2)
    try answers.entries[0].send("old")
    try answers.entries[1].send("new")
    for _ in 0..<3 { _ = try? await script.bridge.result(of: "missing") }
    XCTAssertEqual(script.notes.entries, ["new"])
    XCTAssertEqual(script.bridge.droppedAnswers, 1)
  }

  func testAResetFailsCallsInTheirOrderAndForgetsTheScript() async throws {
    let script = ScriptedBridge(timeout: .seconds(5))
    let results = Recorder<String>()
    try await script.bridge.load(
      "var old = 1; bridge.handle('keep', function () {}); bridge.handle('old', function () {});")
    for number in 0..<10 {
      script.bridge.call("keep") { result in
        if case .failure(let error) = result { results.record("\(number) \(error.code)") }
      }
    }
    script.bridge.reset()
    let old = try await script.run("done(typeof old);")
    XCTAssertEqual(old, "undefined")
    XCTAssertEqual(results.entries, (0..<10).map { "\($0) closed" })
    script.clock.advance(by: .seconds(5))
    XCTAssertEqual(results.entries.count, 10)
    XCTAssertEqual(script.bridge.droppedAnswers, 0)
  }

  /// Whatever handlers, completions and blocks keep goes with the bridge, whose calls fail.
  func testEverythingIsFreedWithTheBridge() async throws {
    let freed = expectation(description: "the last of all closures is freed")
    let results = Recorder<String>()
    try await useBridge(Finaliser { freed.fulfill() }, results)
    await fulfillment(of: [freed], timeout: 60)
    XCTAssertEqual(results.entries.sorted(), ["loaded closed", "unloaded closed"])
    // An answer may outlive its bridge.
    XCTAssertThrowsError(try answers.entries[0].send(1)) { error in
      XCTAssertEqual((error as? ScriptBridgeError)?.code, .closed)
    }
  }

  /// Uses a bridge whose closures all keep one object.
  private func useBridge(_ kept: Finaliser, _ results: Recorder<String>) async throws {
    let script = ScriptedBridge(timeout: .seconds(5))
    keepAnswers(script)
    let block: @convention(block) @Sendable () -> Int = { withExtendedLifetime(kept) { 1 } }
    try script.bridge.handle("block", with: Block(block))
    script.bridge.handle("closure") { _, _ in withExtendedLifetime(kept) {} }
    for (name, isLoaded) in [("unloaded", false), ("loaded", true)] {
      if isLoaded {
        try await script.bridge.load(
          "bridge.handle('never', function () {}); bridge.call('keep', [], function () {});"
            + "Duktape.fin(bridge, function (bridge) { bridge.call('note', [1]); });")
      }
      script.bridge.call("never") { result in
        withExtendedLifetime(kept) {
          if case .failure(let error) = result { results.record("\(name) \(error.code)") }
        }
      }
    }
    _ = try await script.answer(to: "block", "[]")
  }

  func testABridgeThatGoesCompletesItsCallsOnItsQueue() async throws {
    let queues = Recorder<String>()
    let completed = expectation(description: "both calls are completed")
    completed.expectedFulfillmentCount = 2
    // SAFETY: the signature is that of libdispatch's header; the label lives while its queue runs.
    let label = try unsafe CFunction(
      symbol: "dispatch_queue_get_label", library: "libdispatch.so", signature: "*^v")
    let currentQueue: @Sendable () -> String? = {
      unsafe try? label(nil as UnsafeRawPointer?, returning: String.self)
    }
    var bridge = ScriptBridge()
    for _ in 0..<2 {
      bridge.call("never") { _ in
        queues.record(currentQueue() ?? "none")
        completed.fulfill()
      }
    }
    try await bridge.load("bridge.handle('never', function () {});")
    // The queue lets go of the bridge a little later than the calls have begun.
    while !isKnownUniquelyReferenced(&bridge) { await Task.yield() }
    bridge = ScriptBridge()
    await fulfillment(of: [completed], timeout: 60)
    XCTAssertEqual(queues.entries, ["ScriptBridge", "ScriptBridge"])
  }

  /// The error of a task that waits for the script's handler, and is cancelled.
  private func cancelledCall(
    of name: String, _ bridge: ScriptBridge, _ whenBegun: () async throws -> Void
  ) async throws -> ScriptBridgeError.Code? {
    let task = Task { () -> ScriptBridgeError.Code? in
      do throws(ScriptBridgeError) { _ = try await bridge.result(of: name) } catch {
        return error.code
      }
      return nil
    }
    try await whenBegun()
    task.cancel()
    return await task.value
  }

  func testACancelledTaskEndsItsCall() async throws {
    let script = ScriptedBridge()
    let begun = expectation(description: "the script has the call")
    script.bridge.handle("begun") { _, _ in begun.fulfill() }
    try await script.bridge.load(
      """
      var kept;
      bridge.handle("keep", function (v, answer) { kept = answer; bridge.call("begun"); });
      bridge.handle("late", function (v, answer) { kept(null, "late"); answer(); });
      """)
    let code = try await cancelledCall(of: "keep", script.bridge) {
      await fulfillment(of: [begun], timeout: 60)
    }
    XCTAssertEqual(code, .cancelled)
    _ = try await script.bridge.result(of: "late")
    XCTAssertEqual(script.bridge.droppedAnswers, 1)
  }

  func testACallThatIsCancelledBeforeTheScriptIsLoadedIsNotMade() async throws {
    let script = ScriptedBridge()
    // Cancelled before the call or after it: both happen.
    for _ in 0..<50 {
      let code = try await cancelledCall(of: "count", script.bridge) { await Task.yield() }
      XCTAssertEqual(code, .cancelled)
    }
    try await script.bridge.load(
      """
      var count = 0;
      bridge.handle("count", function (values, answer) { answer(null, ++count); });
      """)
    let count = try await script.run("bridge.call('note', [], function () { done(count); });")
    XCTAssertEqual(count, 0)
  }

  func testHandlersAndCompletionsAreFreedWhenTheyAreDone() async throws {
    let freed = Recorder<String>()
    let script = ScriptedBridge()
    func handle(_ name: String) {
      let kept = Finaliser { freed.record("handler \(name)") }
      script.bridge.handle(name) { _, answer in
        try withExtendedLifetime(kept) { try answer.send(nil) }
      }
    }
    handle("replaced")
    handle("replaced")
    XCTAssertEqual(freed.entries, ["handler replaced"])
    script.bridge.removeHandler("replaced")
    XCTAssertEqual(freed.entries, ["handler replaced", "handler replaced"])

    func call(_ name: String) {
      let kept = Finaliser { freed.record("completion \(name)") }
      script.bridge.call(name, timeout: .seconds(60)) { _ in withExtendedLifetime(kept) {} }
    }
    try await script.bridge.load("bridge.handle('answer', function (v, answer) { answer(); });")
    call("answer")
    call("missing")
    _ = try await script.bridge.result(of: "answer")
    _ = try await script.bridge.result(of: "answer")
    XCTAssertEqual(
      freed.entries.dropFirst(2).sorted(), ["completion answer", "completion missing"])
  }
}
