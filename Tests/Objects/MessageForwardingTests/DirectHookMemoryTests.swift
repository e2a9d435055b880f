import BlockHooks
import CallTracing
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private struct Failure: Error, Equatable { let number: Int }

private final class Mixer: MessageReceiver, Sendable {
  static var methods: MethodTable {
    MethodTable(Mixer.self) {
      Method("wide:last:") { (_: Mixer, a: Double, b: Int32) -> Double in a * 1_000 + Double(b) }
      Method("narrow:last:") { (_: Mixer, a: Int32, b: Int32) -> Int64 in
        if a == 13 { throw Failure(number: Int(b)) }
        return Int64(a) * 1_000 + Int64(b)
      }
      Method("mixed:of:and:") { (_: Mixer, a: Float, b: Int16, c: UInt64) -> Float in
        a * 1_000 + Float(b) + Float(c)
      }
    }
  }
}

/// Whether the memory of a call has the sender's tuple.
private func isTuple(_ call: borrowing CallFrame) -> Bool {
  // SAFETY: the addresses are only compared.
  let own = unsafe UInt(bitPattern: call.memory.address)
  return unsafe call.memory.inRegisters { unsafe UInt(bitPattern: $0.address) } != own
}

private final class Sink: TraceSink {
  let records = Recorder<String>()

  func receive(_ records: [TraceRecord]) {
    for record in records {
      self.records.record("\(record.arguments.dropFirst(2)) \(record.result ?? "")")
    }
  }
}

/// The memory of the frames of messages whose types are numbers: the sender's tuple, or registers
/// where the tuple's elements are less than a word apart.
final class DirectHookMemoryTests: XCTestCase {
  private let mixer = Mixer()
  private var hooks: [Hook] = []

  /// Whether the processor has plans of calls, without which messages enter code.
  private let hasPlans = (try? CallInterface.of("i@:id").engine) == .plans

  override func tearDown() {
    for hook in hooks { hook.remove() }
    hooks = []
  }

  func testATupleWithRoomIsTheMemory() throws {
    let seen = Recorder<Bool>()
    for selector in ["wide:last:", "narrow:last:", "mixed:of:and:"] as [Selector] {
      hooks.append(
        try mixer.target(selector).hook { call in
          seen.record(isTuple(call))
          try call.proceed()
        })
    }
    XCTAssertEqual(try mixer.send("wide:last:", 3.0, 4 as Int32), 3_004.0)
    XCTAssertEqual(try mixer.send("narrow:last:", 3 as Int32, 4 as Int32), 3_004 as Int64)
    XCTAssertEqual(
      try mixer.send("mixed:of:and:", 3 as Float, -4 as Int16, 5 as UInt64), 3_001 as Float)
    XCTAssertEqual(seen.entries, [hasPlans, false, false])
  }

  /// A change stores a whole word, of which a number may be the first bytes.
  func testAChangeOfAnArgumentLeavesTheOthers() throws {
    hooks = [
      try mixer.target("wide:last:").hook { call in
        try call.setArgument(3, -7 as Int32)
        XCTAssertEqual(try call.argument(2, as: Double.self), 3)
        try call.proceed()
        XCTAssertEqual(try call.result(as: Double.self), 2_993)
        try call.setArgumentValue(2, .double(5))
        XCTAssertEqual(call.argumentWord(3), UInt64(bitPattern: -7))
        try call.proceed()
      },
      try mixer.target("narrow:last:").hook { call in
        try call.setArgument(2, -2 as Int32)
        XCTAssertEqual(try call.argument(3, as: Int32.self), 4)
        try call.proceed()
        try call.setArgumentValue(2, .integer(-3))
        XCTAssertEqual(try call.argument(3, as: Int32.self), 4)
        try call.proceed()
      },
      try mixer.target("mixed:of:and:").hook { call in
        try call.setArgument(3, -1 as Int16)
        XCTAssertEqual(try call.argument(4, as: UInt64.self), 5)
        try call.setArgument(2, 1 as Float)
        XCTAssertEqual(try call.argument(3, as: Int16.self), -1)
        try call.proceed()
      },
    ]
    XCTAssertEqual(try mixer.send("wide:last:", 3.0, 4 as Int32), 4_993.0)
    XCTAssertEqual(try mixer.send("narrow:last:", 3 as Int32, 4 as Int32), -2_996 as Int64)
    XCTAssertEqual(
      try mixer.send("mixed:of:and:", 3 as Float, -4 as Int16, 5 as UInt64), 1_004 as Float)
  }

  func testResultsAndErrorsComeBackFromRegisters() throws {
    hooks = [try mixer.target("narrow:last:").hook { try $0.proceed() }]
    XCTAssertThrowsError(try mixer.send("narrow:last:", 13 as Int32, 4 as Int32) as Int64) {
      XCTAssertEqual(($0 as? MessageError)?.underlyingError as? Failure, Failure(number: 4))
    }
    hooks.append(
      try mixer.target("narrow:last:").hook { call in
        try call.proceed()
        XCTAssertEqual(call.error as? Failure, Failure(number: 4))
        try call.setResult(Int64.min)
      })
    XCTAssertEqual(try mixer.send("narrow:last:", 13 as Int32, 4 as Int32), Int64.min)
    hooks.append(try mixer.target("narrow:last:").hook { _ in })
    XCTAssertEqual(try mixer.send("narrow:last:", 3 as Int32, 4 as Int32), 0 as Int64)
  }

  /// A frame whose memory is a tuple calls code with a copy in registers.
  func testATupleIsCopiedForCode() throws {
    let page = try DynamicClass("Tuples for code")
    try page.register()
    let selector: Selector = "first:second:"
    let method = Method(selector) { (_: DynamicObject, a: Int64, b: Double) -> Double in
      Double(a) * 1_000 + b
    }
    page.replaceMethod(method)
    let object = try page.makeInstance()
    let hook = try page.instanceTarget(selector).hook { call in
      try call.setArgument(2, Int64(6))
      page.replaceMethod(
        Method(selector, signature: "d@:qd") { inner in
          XCTAssertEqual(try inner.argument(1, as: Selector.self), selector)
          XCTAssertTrue(try inner.argument(0, as: DynamicObject.self) === object)
          try inner.setResult(
            Double(try inner.argument(2, as: Int64.self)) - inner.argument(3, as: Double.self))
        })
      try call.proceed()
      XCTAssertEqual(try call.result(as: Double.self), 4)
      try call.setArgument(3, 8.0)
      try call.proceed()
      XCTAssertEqual(try call.result(as: Double.self), -2)
      page.replaceMethod(
        Method(selector, signature: "d@:qd") { _ in throw Failure(number: 5) })
      try call.proceed()
      XCTAssertEqual(call.error as? Failure, Failure(number: 5))
      try call.setResult(0.5)
    }
    XCTAssertEqual(try object.send(selector, Int64(1), 2.0), 0.5)
    hook.remove()
    page.replaceMethod(method)
    XCTAssertEqual(try object.send(selector, Int64(1), 2.0), 1_002.0)
  }

  /// A tracer copies values from registers, where it looked for them once.
  func testATracerFindsTheValues() throws {
    let sink = Sink()
    let tracer = Tracer(sink)
    for selector in ["wide:last:", "narrow:last:"] as [Selector] {
      hooks.append(
        try mixer.target(selector).hook { call in try tracer.record(&call) { try $0.proceed() } })
    }
    XCTAssertEqual(try mixer.send("wide:last:", 3.0, -4 as Int32), 2_996.0)
    XCTAssertEqual(try mixer.send("narrow:last:", 3 as Int32, -4 as Int32), 2_996 as Int64)
    tracer.close()
    XCTAssertEqual(
      sink.records.entries,
      [#"["double 3.0", "i32 -4"] double 2996.0"#, #"["i32 3", "i32 -4"] i64 2996"#])
  }

  /// What a thread has received before and behind a message is not the message's.
  func testErrorsOfMessagesInHandlersAreTheirOwn() throws {
    let mixer = mixer
    hooks = [
      try mixer.target("wide:last:").hook { call in
        XCTAssertThrowsError(
          try mixer.send("narrow:last:", 13 as Int32, 1 as Int32) as Int64)
        try call.proceed()
        XCTAssertNil(call.error)
      },
      try mixer.target("narrow:last:").hook { try $0.proceed() },
    ]
    XCTAssertEqual(try mixer.send("wide:last:", 3.0, 4 as Int32), 3_004.0)
  }
}
