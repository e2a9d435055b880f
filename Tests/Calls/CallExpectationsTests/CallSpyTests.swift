import BlockABI
import BlockHooks
import CallExpectations
import Dispatch
import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

final class CallSpyTests: XCTestCase {
  private final class Mailer: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Mailer.self) {
        Method("send:to:") { (_: Mailer, text: String, _: Mailer?) -> Int in text.count }
        Method("close") { (_: Mailer) in }
      }
    }
  }

  func testASpyKnowsTheArgumentsAndTheOrderOfSeveralTargets() throws {
    let spy = CallSpy()
    let mailer = Mailer()
    let send = try Mailer.target("send:to:").install(.spying(with: spy))
    let close = try mailer.target("close").install(.spying(with: spy, as: "end"))
    defer { _ = (send.remove(), close.remove()) }

    XCTAssertEqual(try mailer.send("send:to:", "hello", mailer), 5)
    try Mailer().send("close")
    try mailer.send("close")

    XCTAssertEqual(spy.calls.map(\.name), ["Mailer.send:to:", "end"])
    XCTAssertEqual(try spy.calls[0].argument(2, as: String.self), "hello")
    XCTAssertTrue(try spy.calls[0].argument(3, as: Mailer.self) === mailer)
  }

  func testASpyCountsOnlyWhatTheTestAccepts() throws {
    let spy = CallSpy()
    let hooks = [
      try Mailer.target("send:to:").install(.spying(with: spy)),
      try Mailer.target("close").install(.spying(with: spy, as: "end")),
    ]
    defer { for hook in hooks { hook.remove() } }
    for text in ["hello", "bye", "hello"] {
      _ = try Mailer().send("send:to:", text, Mailer?.none) as Int
    }
    try Mailer().send("close")

    try spy.verify(.exactly(4))
    try spy.verify(.exactly(3), of: "Mailer.send:to:")
    try spy.verify(.exactlyOnce, of: "end")
    try spy.verify(.exactly(2), of: "Mailer.send:to:") {
      try $0.argument(2, as: String.self) == "hello"
    }
    try spy.verify(.never, of: "close")
    for wrong in [ExpectedCalls.exactly(1), .exactly(3), .never, .atLeast(3), .atMost(1)] {
      XCTAssertThrowsError(
        try spy.verify(wrong, of: "Mailer.send:to:") {
          try $0.argument(2, as: String.self) == "hello"
        }, "\(wrong)")
    }
  }

  func testAClosureIsNoArgumentToRead() throws {
    let block = try Block({ _ in } as @convention(block) (Int32) -> Void)
    let spy = CallSpy()
    try block.install(.spying(with: spy))
    try block.call(Int32(3))
    let call = try XCTUnwrap(spy.calls.first)
    XCTAssertEqual(call.signature.arguments.count, 2)
    XCTAssertEqual(call.arguments.map(\.description), ["3"])
    XCTAssertEqual(try call.argumentValue(1), .integer(3))
    do {
      _ = try call.argument(1, as: (@convention(block) () -> Void).self)
      XCTFail("a number was read as a block")
    } catch {
      XCTAssertEqual(error.code, .typeMismatch)
    }
    XCTAssertThrowsError(try call.argument(2, as: Int32.self)) { error in
      XCTAssertEqual((error as? InvocationError)?.code, .argumentIndex)
    }
  }

  func testAWrongCountIsAnErrorThatListsTheCalls() throws {
    let spy = CallSpy()
    let hook = try Mailer.target("send:to:").install(.spying(with: spy))
    defer { hook.remove() }
    XCTAssertThrowsError(try spy.verify(.exactlyOnce, of: "Mailer.send:to:")) { error in
      XCTAssertEqual((error as? HookError)?.code, .missingCall)
      XCTAssertTrue("\(error)".contains("there was no call"), "\(error)")
    }
    for text in ["hello", "bye"] { _ = try Mailer().send("send:to:", text, Mailer?.none) as Int }
    XCTAssertThrowsError(try spy.verify(.exactlyOnce)) { error in
      XCTAssertEqual((error as? HookError)?.code, .unexpectedCall)
      XCTAssertTrue("\(error)".contains("hello"), "\(error)")
      XCTAssertTrue("\(error)".contains("bye"), "\(error)")
    }
    struct Unreadable: Error {}
    XCTAssertThrowsError(try spy.verify(.never) { _ in throw Unreadable() }) { error in
      XCTAssertTrue(error is Unreadable)
    }
  }

  func testASpyKeepsWhatWasPassedUntilItForgets() throws {
    let spy = CallSpy()
    let hook = try Mailer.target("send:to:").install(.spying(with: spy))
    defer { hook.remove() }
    weak var other: Mailer?
    do {
      let mailer = Mailer()
      other = mailer
      _ = try Mailer().send("send:to:", "hello", mailer) as Int
    }
    XCTAssertNotNil(other)
    spy.removeAll()
    XCTAssertNil(other)
    XCTAssertTrue(spy.calls.isEmpty)
  }

  func testTextOfABlockIsCopied() throws {
    let block = unsafe try Block({ _ in 0 } as @convention(block) (UnsafePointer<CChar>) -> Int32)
    let spy = CallSpy()
    try block.install(.spying(with: spy, as: "count"))
    var buffer: [CChar] = [104, 105, 0]
    _ = unsafe try buffer.withUnsafeMutableBufferPointer { memory in
      unsafe try block.call(UnsafePointer(memory.baseAddress)) as Int32
    }
    buffer[0] = 72
    XCTAssertEqual(try spy.calls.first?.argument(1, as: String.self), "hi")
  }

  func testCallsFromManyThreadsAreAllSeen() throws {
    let spy = CallSpy()
    let hook = try Mailer.target("close").install(.spying(with: spy))
    defer { hook.remove() }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<250 { try? Mailer().send("close") }
    }
    try spy.verify(.exactly(1_000), of: "Mailer.close")
  }
}
