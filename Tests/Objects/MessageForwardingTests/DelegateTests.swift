import BlockABI
import BlockHooks
import CFixtures
import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

final class DelegateTests: XCTestCase {
  private func makeDelegate() throws -> DynamicDelegate {
    DynamicDelegate(
      try MessageProtocol(
        "Loads",
        [
          .required("page:didLoad:", signature: "v@:@i"),
          .optional("weigh:", taking: Double.self, returning: Int64.self),
          .optional("name", returning: String.self),
        ]))
  }

  private func error(
    _ body: () throws -> Void, file: StaticString = #filePath, line: UInt = #line
  ) throws -> MessageError {
    do { try body() } catch { return try XCTUnwrap(error as? MessageError, file: file, line: line) }
    return try XCTUnwrap(nil, "nothing was thrown", file: file, line: line)
  }

  // MARK: - Implementing

  func testAClosureAnswersTheMessage() throws {
    let delegate = try makeDelegate()
    let loads = Recorder<Int32>()
    try delegate.implement("page:didLoad:") { (_: Page, count: Int32) in loads.record(count) }
    try delegate.implement("weigh:") { (weight: Double) in Int64(weight) }
    try delegate.implement("name") { "delegate" }
    try delegate.send("page:didLoad:", Page(), Int32(3))
    try delegate.send("page:didLoad:", Page(), 4)
    XCTAssertEqual(loads.entries, [3, 4])
    XCTAssertEqual(try delegate.send("weigh:", 2.5, returning: Int64.self), 2)
    XCTAssertEqual(try delegate.send("weigh:", values: [3.5]), 3)
    XCTAssertEqual(try delegate.send("name", returning: String.self), "delegate")
    XCTAssertEqual(
      delegate.implementedSelectors.map(\.name), ["name", "page:didLoad:", "weigh:"])
  }

  func testABlockValueAnswersTheMessage() throws {
    let delegate = try makeDelegate()
    let block: @convention(block) (Double) -> Int64 = { Int64($0 * 2) }
    let method = try delegate.implement("weigh:", with: block)
    XCTAssertEqual(method.block, try Block(block))
    XCTAssertEqual(delegate.implementation(for: "weigh:")?.block, try Block(block))
    XCTAssertNil(delegate.implementation(for: "name"))
    XCTAssertEqual(try delegate.send("weigh:", 2.5, returning: Int64.self), 5)
  }

  func testAClosureThatThrowsThrowsToTheSender() throws {
    struct Full: Error {}
    let delegate = try makeDelegate()
    try delegate.implement("weigh:") { (_: Double) -> Int64 in throw Full() }
    for send in [
      { try delegate.send("weigh:", 1.0, returning: Int64.self) as Int64 },
      {
        _ = try delegate.send("weigh:", values: [1.0]); return 0
      },
    ] {
      let error = try error { _ = try send() }
      XCTAssertEqual(error.code, .thrown)
      XCTAssertTrue(error.underlyingError is Full)
    }
  }

  func testAClosureMayHaveAnyNumberOfArguments() throws {
    let delegate = DynamicDelegate(
      try MessageProtocol(
        "Sums",
        [
          .required("a:b:c:d:", signature: "i@:iiii"),
          .required("a:b:c:d:e:", signature: "i@:iiiii"),
          .required("a:b:c:d:e:f:", signature: "i@:iiiiii"),
        ]))
    let (a, b, c, d, e, f) = (Int32(1), Int32(2), Int32(4), Int32(8), Int32(16), Int32(32))
    try delegate.implement("a:b:c:d:") { (a: Int32, b: Int32, c: Int32, d: Int32) in a + b + c + d }
    try delegate.implement("a:b:c:d:e:") {
      (a: Int32, b: Int32, c: Int32, d: Int32, e: Int32) in a + b + c + d + e
    }
    try delegate.implement("a:b:c:d:e:f:") {
      (a: Int32, b: Int32, c: Int32, d: Int32, e: Int32, f: Int32) in
      let first: Int32 = a + b + c
      return first + d + e + f
    }
    XCTAssertEqual(try delegate.send("a:b:c:d:", a, b, c, d, returning: Int32.self), 15)
    XCTAssertEqual(try delegate.send("a:b:c:d:e:", a, b, c, d, e, returning: Int32.self), 31)
    XCTAssertEqual(try delegate.send("a:b:c:d:e:f:", a, b, c, d, e, f, returning: Int32.self), 63)
    XCTAssertEqual(try delegate.send("a:b:c:d:e:f:", values: [1, 2, 4, 8, 16, 32]), 63)
  }

  func testAnotherMethodTakesThePlaceOfTheFirst() throws {
    let delegate = try makeDelegate()
    let first = try delegate.implement("weigh:") { (_: Double) in Int64(1) }
    let second = try delegate.implement("weigh:") { (_: Double) in Int64(2) }
    XCTAssertFalse(first.isImplemented)
    XCTAssertFalse(first.remove())
    XCTAssertEqual(try delegate.send("weigh:", 0.0, returning: Int64.self), 2)
    XCTAssertTrue(second.isImplemented)
    XCTAssertEqual(
      ["\(first)", "\(second)"],
      ["<method weigh: q@:d, removed>", "<method weigh: q@:d, implemented>"])
    XCTAssertTrue(second.remove())
    XCTAssertFalse(second.remove())
    XCTAssertFalse(delegate.responds(to: "weigh:"))
  }

  func testAMethodIsRemovedInEveryWay() throws {
    let ways: [(DynamicDelegate, DelegateMethod) throws -> Void] = [
      { _, method in XCTAssertTrue(method.remove()) },
      { delegate, _ in XCTAssertTrue(delegate.removeMethod("weigh:")) },
      { delegate, _ in delegate.removeAllMethods() },
      { delegate, _ in XCTAssertNil(try delegate.implement("weigh:", with: nil)) },
    ]
    for way in ways {
      let delegate = try makeDelegate()
      let method = try delegate.implement("weigh:") { (_: Double) in Int64(1) }
      XCTAssertEqual(try delegate.send("weigh:", 0.0, returning: Int64.self), 1)
      try way(delegate, method)
      XCTAssertFalse(method.isImplemented)
      XCTAssertNil(delegate.implementation(for: "weigh:"))
      XCTAssertFalse(delegate.removeMethod("weigh:"))
      XCTAssertEqual(
        try error { try delegate.send("weigh:", 0.0, returning: Int64.self) }.code,
        .unrecognizedSelector)
    }
  }

  func testAHookRunsAroundTheMethodOfOneDelegate() throws {
    let delegate = try makeDelegate()
    let other = DynamicDelegate(delegate.messageProtocol)
    for one in [delegate, other] {
      try one.implement("weigh:") { (weight: Double) in Int64(weight) }
    }
    let hook = try delegate.target("weigh:").hook(.after) { call in try call.setResult(Int64(9)) }
    XCTAssertEqual(try delegate.send("weigh:", 1.0, returning: Int64.self), 9)
    XCTAssertEqual(try other.send("weigh:", 1.0, returning: Int64.self), 1)
    hook.remove()
    XCTAssertEqual(try delegate.send("weigh:", 1.0, returning: Int64.self), 1)
  }

  func testAHookedMethodKeepsItsSignature() throws {
    let delegate = try makeDelegate()
    try delegate.implement("extra:", options: .undeclared) { (number: Int8) in number }
    try delegate.target("extra:").hook { call in try call.proceed() }
    let wider = try Block(signature: "q@?q") { call in try call.setResult(Int64(1)) }
    XCTAssertEqual(
      try error { try delegate.implement("extra:", with: wider, options: .undeclared) }.code,
      .typeMismatch)
    try delegate.implement("extra:", options: .undeclared) { (number: Int8) in number * 2 }
    XCTAssertEqual(try delegate.send("extra:", Int8(4), returning: Int8.self), 8)
  }

  // MARK: - Signatures

  func testAMismatchNamesEveryDifference() throws {
    let proto = try MessageProtocol(
      "P", [.optional("a:b:", signature: "v@:qd"), .optional("text:", taking: String.self)])
    let rows: [(String, Selector, expected: String)] = [
      ("v@?id", "a:b:", "argument 2: block takes i (Int32), protocol gives q (Int64)"),
      (
        "i@?qf", "a:b:",
        "result: block returns i (Int32), protocol returns v (Void); "
          + "argument 3: block takes f (Float), protocol gives d (Double)"
      ),
      ("v@?q", "a:b:", "block takes 1, protocol gives 2; with .prefix it may take fewer"),
      ("v@?qdi", "a:b:", "argument count: block takes 3, protocol gives 2"),
      ("v@?@:qd", "a:b:", "argument count: block takes 4, protocol gives 2"),
      ("v@?i", "text:", "argument 2: block takes i (Int32), protocol gives @"),
    ]
    for (encoding, selector, expected) in rows {
      let delegate = DynamicDelegate(proto)
      let block = try Block(signature: encoding) { _ in }
      let error = try error { try delegate.implement(selector, with: block) }
      XCTAssertEqual(error.code, .typeMismatch)
      XCTAssertTrue(error.message.contains(expected), "\(encoding): \(error.message)")
      XCTAssertFalse(delegate.responds(to: selector))
    }
    let delegate = DynamicDelegate(proto)
    XCTAssertTrue(
      try error { try delegate.implement("text:") { (_: [Int]) in } }.message
        .contains("argument 2: closure has"))
    XCTAssertEqual(
      try error { try delegate.implement("a:b:") { (_: Int32, _: Double) in } }.message,
      "`a:b:`: argument 2: closure takes i (Int32), protocol gives q (Int64)")
  }

  func testAPrefixTakesTheFirstArguments() throws {
    let proto = try MessageProtocol("P", [.required("a:b:c:", signature: "q@:iqd")])
    let delegate = DynamicDelegate(proto)
    let block: @convention(block) (Int32) -> Int64 = { Int64($0) * 2 }
    let rows: [(Int64, () throws -> Void)] = [
      (14, { try delegate.implement("a:b:c:", with: block, options: .prefix) }),
      (-1, { try delegate.implement("a:b:c:", options: .prefix) { Int64(-1) } }),
      (7, { try delegate.implement("a:b:c:", options: .prefix) { (a: Int32) in Int64(a) } }),
      (
        15,
        {
          try delegate.implement("a:b:c:", options: .prefix) { (a: Int32, b: Int64) in Int64(a) + b
          }
        }
      ),
      (
        17,
        {
          try delegate.implement("a:b:c:", options: .prefix) { (a: Int32, b: Int64, c: Double) in
            Int64(a) + b + Int64(c)
          }
        }
      ),
    ]
    for (expected, implement) in rows {
      try implement()
      XCTAssertEqual(
        try delegate.send("a:b:c:", Int32(7), Int64(8), 2.5, returning: Int64.self), expected)
      XCTAssertEqual(try delegate.send("a:b:c:", values: [7, 8, 2.5]), .integer(Int128(expected)))
    }
    XCTAssertEqual(
      try error {
        try delegate.implement("a:b:c:", options: .prefix) { (_: Int64) in Int64(0) }
      }.code, .typeMismatch)
  }

  func testAnUndeclaredSelectorIsRefusedUnlessItIsAllowed() throws {
    let delegate = try makeDelegate()
    let error = try error { try delegate.implement("page:didLaod:") { (_: Page, _: Int32) in } }
    XCTAssertEqual(error.code, .undeclaredSelector)
    XCTAssertTrue(error.message.hasSuffix("did you mean page:didLoad:?"), error.message)
    try delegate.implement("extra:", options: .undeclared) { (number: Int32) in number + 1 }
    XCTAssertTrue(delegate.responds(to: "extra:"))
    XCTAssertEqual(try delegate.send("extra:", values: [4]), 5)
    XCTAssertEqual(
      try self.error { try delegate.implement("extra:", options: .undeclared) { 1 } }.code,
      .invalidMethod)
  }

  func testWhatIsNoBlockWithASignatureIsRefused() throws {
    let delegate = try makeDelegate()
    let silent = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
    let vanished = unsafe Block(unsafePointer: try XCTUnwrap(fixture_vector_block()))
    let rows: [() throws -> Void] = [
      { try delegate.implement("weigh:", with: silent) },
      { try delegate.implement("weigh:", with: silent, options: [.prefix, .undeclared]) },
      { try delegate.implement("weigh:", with: vanished, options: [.prefix, .undeclared]) },
      { try delegate.implement("weigh:", with: 3) },
      { try delegate.implement("weigh:", with: { (_: Double) in Int64(1) }) },
      { try delegate.implement("", options: .undeclared) { (_: Int32) in } },
    ]
    for row in rows {
      XCTAssertTrue([.invalidMethod, .typeMismatch].contains(try error(row).code))
    }
    XCTAssertTrue(delegate.implementedSelectors.isEmpty)
  }

  func testABlockWithAnAssumedSignatureIsAccepted() throws {
    let delegate = DynamicDelegate(
      try MessageProtocol("Doubles", [.required("double:", signature: "i@:i")]))
    let silent = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
    try delegate.implement("double:", with: unsafe silent.assuming(signature: "i@?i"))
    XCTAssertEqual(try delegate.send("double:", Int32(21), returning: Int32.self), 42)
  }
}
