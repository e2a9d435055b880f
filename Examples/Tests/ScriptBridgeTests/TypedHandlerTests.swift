import BlockRuntime
import ScriptBridge
import XCTest

// SAFETY, for the whole file: C strings are read while the blocks run that they are passed to.

final class TypedHandlerTests: XCTestCase {
  private let script = ScriptedBridge()

  private func handle(
    _ name: String, _ signature: String,
    _ body: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws {
    try script.bridge.handle(name, with: Block(signature: signature, body))
  }

  func testArgumentsAndResultsAreConvertedByTheSignature() async throws {
    let join: @convention(block) @Sendable (Bool, Int8, UInt64, Float, Double) -> Double = {
      ($0 ? 1 : 0) + Double($1) + Double($2) + Double($3) + $4
    }
    try script.bridge.handle("join", with: Block(join))
    let join1 = try await script.answer(to: "join", "[true, -128, 9007199254740991, 0.5, 0.25]")
    XCTAssertEqual(join1, .number(1 - 128 + 9_007_199_254_740_991 + 0.5 + 0.25))

    let count: @convention(block) @Sendable (UnsafePointer<CChar>) -> Int32 = { text in
      Int32(unsafe String(cString: text).count)
    }
    try unsafe script.bridge.handle("count", with: Block(count))
    let characters = try await script.answer(to: "count", #"["a\ud83d\ude00\u2028é"]"#)
    XCTAssertEqual(characters, 4)

    let isEven: @convention(block) @Sendable (Int) -> Bool = { $0.isMultiple(of: 2) }
    try script.bridge.handle("isEven", with: Block(isEven))
    let even = try await script.answer(to: "isEven", "[4]")
    XCTAssertEqual(even, true)
  }

  func testAStructureIsAnArrayOfItsMembers() async throws {
    try handle("scale", "{P=d{Q=iB}}@?{P=d{Q=iB}}d") { call in
      guard case .structure(let members) = try call.argumentValue(1),
        case .double(let first) = members[0]
      else { return XCTFail("no structure") }
      let factor = try call.argument(2, as: Double.self)
      try call.setResultValue(.structure([.double(first * factor), members[1]]))
    }
    let scaled = try await script.answer(to: "scale", "[[1.5, [7, true]], 2]")
    XCTAssertEqual(scaled, [3, [7, true]])
    let short = try await script.answer(to: "scale", "[[1.5, [7]], 2]")
    XCTAssertEqual(short, "invalidArguments")
  }

  func testWrongArgumentsAreTheCallersError() async throws {
    let calls = Recorder<Int>()
    try handle("take", "v@?cB*d") { _ in calls.record(0) }
    for arguments in [
      "[]", "[1, true, 'a']", "[1, true, 'a', 1, 1]", "[128, true, 'a', 1]", "[1.5, true, 'a', 1]",
      "['1', true, 'a', 1]", "[1, 1, 'a', 1]", "[1, true, 1, 1]", "[1, true, null, 1]",
      "[1, true, 'a\\u0000b', 1]", "[1, true, 'a', '1']", "[1, true, 'a', null]",
      "[1, true, 'a', [1]]", "[1, true, 'a', {}]", "[1, true, ['a'], 1]",
    ] {
      let answer = try await script.answer(to: "take", arguments)
      XCTAssertEqual(answer, "invalidArguments", arguments)
    }
    XCTAssertEqual(calls.entries, [])
    let right = try await script.answer(to: "take", "[127, true, 'a', 1]")
    XCTAssertEqual(right, nil)
    XCTAssertEqual(calls.entries, [0])
  }

  func testWhatTheCallerCannotMendIsTheHandlersError() async throws {
    let block: @convention(block) @Sendable () -> Void = {}
    // Atomic arguments cannot be passed by value, whatever the script says.
    try unsafe script.bridge.handle("atomic", with: Block(block).assuming(signature: "v@?Ai"))
    let answer = try await script.answer(to: "atomic", "[1]")
    XCTAssertEqual(answer, "handlerFailed")
  }

  func testResultsThatAreNoJSONAreTheCallersError() async throws {
    try handle("large", "q@?") { try $0.setResult(Int64.max) }
    try handle("infinite", "d@?") { try $0.setResult(Double.infinity) }
    try handle("none", "*@?") { try $0.setResultValue(.cString(nil)) }
    for (name, answer) in [("large", "invalidValue"), ("infinite", "invalidValue")] {
      let result = try await script.answer(to: name, "[]")
      XCTAssertEqual(result, .string(answer), name)
    }
    let none = try await script.answer(to: "none", "[]")
    XCTAssertEqual(none, nil)
  }

  func testABlockAnswersByItsLastParameterAtOnceOrLater() async throws {
    typealias Answer = @convention(block) (Int32) -> Void
    let atOnce: @convention(block) @Sendable (Int32, Answer) -> Void = { $1($0 * 2) }
    try script.bridge.handle("atOnce", with: Block(atOnce))
    let doubled = try await script.answer(to: "atOnce", "[21]")
    XCTAssertEqual(doubled, 42)

    let kept = Recorder<Block>()
    try handle("later", "v@?@?<v@?i>") { kept.record(try $0.argument(1, as: Block.self)) }
    try handle("answerNow", "v@?") { _ in try kept.entries[0].call(42) }
    let later = try await script.run(
      "bridge.call('later', [], function (error, result) { done(result); });"
        + "bridge.call('answerNow');")
    XCTAssertEqual(later, 42)
    XCTAssertEqual(script.errors.entries, [])

    // The second answer is refused; its caller is a block, so that the bridge's owner is told.
    try kept.entries[0].call(43)
    XCTAssertEqual(script.errors.entries.count, 1)
    XCTAssert(script.errors.entries.first?.hasPrefix("alreadyAnswered") ?? false)
  }

  func testABlockThatForgetsItsAnswerIsNotSilent() async throws {
    try handle("forget", "v@?@?<v@?>") { _ in }
    let answer = try await script.answer(to: "forget", "[]")
    XCTAssertEqual(answer, "unanswered")
  }

  func testBlocksOfOtherTypesAreRefused() throws {
    for signature in [
      "v@?^v", "v@?@", "@@?", "^v@?", "v@?^?", "v@?:", "v@?#", "v@?{P=^v}", "v@?@?", "v@?@?<v@?@>",
      "v@?@?<v@?ii>", "v@?@?<i@?>", "i@?@?<v@?i>", "v@?@?<v@?>i",
    ] {
      XCTAssertThrowsError(try handle("refused", signature) { _ in }, signature) { error in
        XCTAssertEqual((error as? ScriptBridgeError)?.code, .unsupportedHandler, signature)
      }
    }
  }
}
