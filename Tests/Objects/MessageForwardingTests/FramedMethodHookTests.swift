import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private struct Failure: Error, Equatable { let number: Int32 }

private final class Mixer: MessageReceiver, Sendable {
  static var methods: MethodTable {
    MethodTable(Mixer.self) {
      Method("wide:last:", signature: "i@:di") { call in
        let number = try call.argument(3, as: Int32.self)
        if number == 13 { throw Failure(number: number) }
        try call.setResult(Int32(call.argument(2, as: Double.self)) * 1_000 + number)
      }
      Method("few:bytes:each:", signature: "c@:cSc") { call in
        let (a, c) = try (call.argument(2, as: Int8.self), call.argument(4, as: Int8.self))
        let b = try call.argument(3, as: UInt16.self)
        try call.setResult(Int8(truncatingIfNeeded: Int(a) + 3 * Int(b) + 5 * Int(c)))
      }
      Method("words:", signature: "q@:Q") { call in
        try call.setResult(Int64(call.argument(2, as: UInt64.self)) - 1)
      }
      Method("object:", signature: "@@:i") { call in try call.setResult(Mixer() as AnyObject) }
    }
  }
}

/// Hooked methods that are no closures of Swift types: messages bring the types of their signature.
final class FramedMethodHookTests: XCTestCase {
  private let mixer = Mixer()
  private let seen = Recorder<Bool>()
  private var hooks: [Hook] = []

  /// Whether the processor has plans of calls, without which messages enter code.
  private let hasPlans = (try? CallInterface.of("i@:id").engine) == .plans

  override func tearDown() {
    for hook in hooks { hook.remove() }
    hooks = []
  }

  /// Hooks a method of the object, and records whether the memory of a call has the sender's tuple.
  private func hook(_ selector: Selector) throws {
    hooks.append(
      try mixer.target(selector).hook { [seen] call in
        // SAFETY: the addresses are only compared.
        let own = unsafe UInt(bitPattern: call.memory.address)
        seen.record(
          unsafe call.memory.inRegisters { unsafe UInt(bitPattern: $0.address) } != own)
        try call.proceed()
      })
  }

  func testAMessageOfTheSignaturesTypesEntersNoCode() throws {
    try hook("wide:last:")
    for number in [3, 4, -5] as [Int32] {
      XCTAssertEqual(try mixer.send("wide:last:", 2.0, number), 2_000 + number)
    }
    try mixer.send("wide:last:", 2.0, 3 as Int32)
    XCTAssertEqual(seen.entries, Array(repeating: hasPlans, count: 4))
  }

  func testMessagesOfOtherTypesDo() throws {
    try hook("wide:last:")
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3, returning: Int32.self), 2_003)
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3 as Int32, returning: Int.self), 2_003)
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3 as UInt32, returning: Int32.self), 2_003)
    XCTAssertThrowsError(try mixer.send("wide:last:", 3 as Int32, returning: Int32.self)) {
      XCTAssertEqual(($0 as? MessageError)?.code, .argumentCount)
    }
    XCTAssertEqual(seen.entries, [false, false, false])
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3 as Int32), 2_003 as Int32)
    XCTAssertEqual(seen.entries.last, hasPlans)
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3, returning: Int32.self), 2_003)
    XCTAssertEqual(seen.entries.last, false)
  }

  func testTwoTypesOfOneNumberAreTwo() throws {
    try hook("words:")
    XCTAssertEqual(try mixer.send("words:", 4 as UInt), 3 as Int)
    XCTAssertEqual(try mixer.send("words:", 4 as UInt64), 3 as Int64)
    XCTAssertEqual(try mixer.send("words:", 4 as UInt), 3 as Int)
    XCTAssertEqual(seen.entries, [hasPlans, false, hasPlans])
  }

  func testNumbersOfEveryWidthPass() throws {
    try hook("few:bytes:each:")
    for (a, b, c) in [(-128, 65_535, -1), (127, 0, 127), (-1, 1, -128)] as [(Int8, UInt16, Int8)] {
      let sum = Int(a) + 3 * Int(b) + 5 * Int(c)
      XCTAssertEqual(
        try mixer.send("few:bytes:each:", a, b, c), Int8(truncatingIfNeeded: sum))
    }
    XCTAssertEqual(seen.entries, [false, false, false])
  }

  func testWhatTheMethodThrowsIsThrown() throws {
    try hook("wide:last:")
    for _ in 0..<2 {
      XCTAssertThrowsError(try mixer.send("wide:last:", 2.0, 13 as Int32, returning: Int32.self)) {
        XCTAssertEqual(
          ($0 as? MessageError)?.underlyingError as? Failure, Failure(number: 13))
      }
    }
  }

  func testAnObjectThatIsIgnoredIsNoNumber() throws {
    try hook("object:")
    try mixer.send("object:", 3 as Int32)
    XCTAssertNotNil(try mixer.send("object:", 3 as Int32, returning: AnyObject?.self))
    XCTAssertEqual(seen.entries, [false, false])
  }

  func testAMethodThatReplacesItIsCalled() throws {
    try hook("wide:last:")
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3 as Int32), 2_003 as Int32)
    let kept = Mixer.replaceMethod(
      Method("wide:last:") { (_: Mixer, a: Double, b: Int32) -> Int32 in Int32(a) - b })
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3 as Int32), -1 as Int32)
    if let kept { Mixer.replaceMethod(kept) }
    XCTAssertEqual(try mixer.send("wide:last:", 2.0, 3 as Int32), 2_003 as Int32)
    XCTAssertEqual(seen.entries, [hasPlans, hasPlans, hasPlans])
  }
}
