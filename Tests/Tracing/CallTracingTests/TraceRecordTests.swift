import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import DelayedBlocks
import Foundation
import Invocations
import TestSupport
import XCTest

final class TraceRecordTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32, Double) -> Int32

  func testEveryFieldOfARecordIsThere() throws {
    let sink = RecordingSink()
    let clock = ManualClock()
    clock.advance(by: .seconds(1))
    var options = TraceOptions()
    options.clock = clock
    let tracer = Tracer(sink, options: options)
    let add: IntBlock = { first, second in
      clock.advance(by: .nanoseconds(1234))
      return first + Int32(second)
    }
    let block = try Block(add)
    let hook = try block.install(.tracing(with: tracer))
    XCTAssertEqual(hook.name, "trace")
    XCTAssertEqual(hook.priority, .max)
    XCTAssertEqual(add(3, 4.5), 7)
    XCTAssertEqual(add(-1, 0.5), -1)
    tracer.flush()

    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    let record = try XCTUnwrap(sink.records.first)
    XCTAssertEqual(record.sequence, 0)
    XCTAssertEqual(record.startNanoseconds, 1_000_000_000)
    XCTAssertEqual(record.durationNanoseconds, 1234)
    XCTAssertEqual(record.thread, Int32(try XCTUnwrap(own.split(separator: "/").last)))
    XCTAssertEqual(record.depth, 0)
    XCTAssertEqual(record.arguments, ["i32 3", "double 4.5"])
    XCTAssertEqual(record.result, "i32 7")
    XCTAssertEqual(record.outcome, .returned)
    let name = try XCTUnwrap(block.implementation?.name)
    XCTAssertTrue(name.contains("testEveryField"), name)
    XCTAssertEqual(record.subject.name, name)
    XCTAssertEqual(record.subject.title, name)
    XCTAssertEqual(record.subject.image, block.implementation?.image)
    XCTAssertEqual(record.subject.signature, "i20@?0i8d12")
    let address = unsafe try XCTUnwrap(
      UnsafeRawPointer(bitPattern: XCTUnwrap(record.subject.address)))
    XCTAssertEqual(unsafe CodeSymbol(at: address)?.name, name)

    let second = try XCTUnwrap(sink.records.last)
    XCTAssertEqual(second.sequence, 1)
    XCTAssertEqual(second.startNanoseconds, 1_000_001_234)
    XCTAssertEqual(second.arguments, ["i32 -1", "double 0.5"])
    XCTAssertEqual(second.result, "i32 -1")
  }

  func testArgumentsAreAsBeforeTheCallAndResultsAsAfterIt() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let add: IntBlock = { first, _ in first }
    let block = try Block(add)
    try block.install(.tracing(with: tracer))
    try block.hook([.before, .after]) { call in
      if call.position == .before {
        try call.setArgument(1, 50)
      } else {
        try call.setResult(call.result(as: Int32.self) + 1)
      }
    }
    XCTAssertEqual(add(3, 0), 51)
    tracer.flush()
    XCTAssertEqual(sink.records.first?.arguments.first, "i32 3")
    XCTAssertEqual(sink.records.first?.result, "i32 51")
  }

  func testEveryKindOfValueHasTheTextThatTheFrameGives() throws {
    let rows: [(encoding: String, values: [CValue])] = [
      ("cCsSqQ", [97, 200, -300, 7, -8, 9]), ("Bf", [true, 1.5]), ("D", [.longDouble(0.1)]),
      ("tT", [.integer(Int128.min), .unsignedInteger(.max)]),
      ("jdc", [.complex(real: 1, imaginary: -2), 5]), ("^v^?", [.pointer(0xABC), .pointer(0)]),
      ("{P=\"x\"i\"y\"f}", [.structure([1, 2.0])]), ("![16,16i]", [.array([1, 2, 3, -4])]),
      ("{L=qqqqqqq}", [.structure([1, 2, 3, 4, 5, 6, 7])]),
      ("{M=qd}i", [.structure([1, 2.5]), 3]), ("(U=iS)", [.member(index: 0, value: 258)]),
      ("*i", ["text\n", 5]), ("@?@", [.block(nil), .object(nil)]),
      ("{S=*}", [.structure(["inside"])]), ("qqqqqqqq", [1, 2, 3, 4, 5, 6, 7, 8]), ("", []),
    ]
    for row in rows {
      let sink = RecordingSink()
      let tracer = Tracer(sink)
      let texts = Recorder<[String]>()
      let made = try Block(signature: "v@?" + row.encoding) { call in
        texts.record(call.arguments.indices.map(call.arguments.text))
        tracer.record(&call) { _ in }
      }
      _ = try made.call(values: row.values)
      // The same by the block's own hook.
      let hook = try made.install(.tracing(with: tracer))
      _ = try made.call(values: row.values)
      hook.remove()
      tracer.flush()
      let expected = try XCTUnwrap(texts.entries.first)
      XCTAssertEqual(sink.records.map(\.arguments), [expected, expected, expected], row.encoding)
    }
  }

  func testEveryKindOfResultIsRecorded() throws {
    let rows: [(encoding: String, result: CValue, text: String)] = [
      ("c", 97, "i8 97 'a'"), ("d", 2.5, "double 2.5"), ("D", .longDouble(1), "long double 1.0"),
      ("{P=dd}", .structure([1.0, 2.0]), "{P double 1.0, double 2.0}"),
      ("{M=qd}", .structure([1, 2.0]), "{M i64 1, double 2.0}"),
      ("{L=qqq}", .structure([1, 2, 3]), "{L i64 1, i64 2, i64 3}"), ("*", "text", "\"text\""),
      ("@", .object(nil), "null"),
    ]
    for row in rows {
      let sink = RecordingSink()
      let tracer = Tracer(sink)
      // SAFETY: it is called on this thread only.
      nonisolated(unsafe) let result = row.result
      let made = try Block(signature: row.encoding + "@?") { call in
        unsafe try call.setResultValue(result)
      }
      try made.install(.tracing(with: tracer))
      _ = try made.call(values: [])
      tracer.flush()
      XCTAssertEqual(sink.records.map(\.result), [row.text], row.encoding)
    }
  }

  func testAHookThatReplacesOrThrowsIsRecordedAsSuch() throws {
    struct Refused: Error {}
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let add: IntBlock = { first, _ in first }
    let block = try Block(add)
    let replacing = try block.hook { call in
      try tracer.record(&call) { call in try call.setResult(-5) }
    }
    XCTAssertEqual(add(1, 0), -5)
    replacing.remove()
    let throwing = try block.hook(onError: { _ in }) { call in
      try tracer.record(&call) { _ in throw Refused() }
    }
    XCTAssertEqual(add(2, 0), 2)
    throwing.remove()
    try block.hook(onError: { _ in }) { call in
      try tracer.record(&call) { call in
        try call.proceed()
        throw Refused()
      }
    }
    XCTAssertEqual(add(3, 0), 3)
    tracer.flush()
    XCTAssertEqual(
      sink.records.map(\.outcome), [.replaced, .threw("Refused()"), .threw("Refused()")])
    XCTAssertEqual(sink.records.map(\.result), ["i32 -5", nil, "i32 3"])
    XCTAssertEqual(sink.records.map(\.depth), [0, 0, 0])
  }

  func testAHookFindsTheSameSubjectAsATracedBlock() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let first: IntBlock = { first, _ in first }
    let second: IntBlock = { first, _ in first + 1 }
    // Both Swift blocks enter the same thunk.
    for block in [try Block(first), try Block(second)] {
      try block.hook { call in try tracer.record(&call) { call in try call.proceed() } }
      try block.install(.tracing(with: tracer))
    }
    XCTAssertEqual(first(1, 0) + second(1, 0) + first(1, 0), 4)
    tracer.flush()
    let subjects = sink.records.map(\.subject)
    XCTAssertEqual(subjects.count, 6)
    XCTAssertEqual(subjects[0], subjects[1])
    XCTAssertEqual(subjects[2], subjects[3])
    XCTAssertEqual(subjects[4], subjects[0])
    XCTAssertNotEqual(subjects[0], subjects[2])
    XCTAssertEqual(subjects[0].name, try Block(first).implementation?.name)
    XCTAssertEqual(subjects[2].name, try Block(second).implementation?.name)
  }

  func testACBlockAndAFunctionPointerHaveSubjects() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let adder = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    let hook = try adder.install(.tracing(with: tracer))
    XCTAssertEqual(try adder.call(3, 4) as Int32, 7)
    hook.remove()
    let pointer = try FunctionPointer(signature: "id") { call in
      try tracer.record(&call) { call in try call.setResult(5) }
    }
    let function = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "id")
    XCTAssertEqual(try function(2.5) as Int32, 5)
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.subject.name), [adder.implementation?.name, nil])
    XCTAssertEqual(sink.records.last?.subject.title, "block id")
    XCTAssertEqual(sink.records.last?.arguments, ["double 2.5"])
    XCTAssertEqual(sink.records.last?.outcome, .replaced)
  }

  func testALongTextIsCapped() throws {
    let sink = RecordingSink()
    var options = TraceOptions()
    options.valueByteLimit = 100
    let tracer = Tracer(sink, options: options)
    let text = String(repeating: "ä", count: 1 << 19)
    let echo = try Block(signature: "*@?*{S=*}") { call in
      try call.setResult(call.argument(1, as: String.self))
    }
    try echo.install(.tracing(with: tracer))
    _ = try echo.call(values: [.cString(text), .structure([.cString(text)])])
    tracer.flush()
    let record = try XCTUnwrap(sink.records.first)
    let capped = "\"" + String(repeating: "ä", count: 49) + "…"
    XCTAssertEqual(record.arguments.first, capped)
    XCTAssertEqual(record.result, capped)
    XCTAssertEqual(record.arguments.map(\.utf8.count), [102, 103])
  }

  func testWithoutRoomForValuesNoneAreCaptured() throws {
    let sink = RecordingSink()
    var options = TraceOptions()
    options.valueByteLimit = 0
    let tracer = Tracer(sink, options: options)
    let add: IntBlock = { first, _ in first }
    try Block(add).install(.tracing(with: tracer))
    _ = add(1, 2)
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.arguments), [[]])
    XCTAssertEqual(sink.records.map(\.result), [nil])
  }

  func testWhatCannotBeHookedIsNotTraced() throws {
    let tracer = Tracer(RecordingSink())
    let bare = unsafe Block(unsafePointer: try XCTUnwrap(fixture_block_without_signature()))
    expectError(.noSignature) { try bare.install(.tracing(with: tracer)) }
    unsafe fixture_with_stack_block(nil) { _, pointer in
      guard let pointer = unsafe pointer else { return XCTFail("no block") }
      expectError(.stackBlock) {
        unsafe try Block(unsafePointer: pointer).install(.tracing(with: Tracer(RecordingSink())))
      }
    }
  }

  func testTheDeathOfABlockIsRecordedWithoutValues() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    do {
      let object = LifetimeTracker()
      let work: IntBlock = { first, _ in first + Int32(object.alive) }
      try Block(work).hook(.death) { call in tracer.record(&call) { _ in } }
    }
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.arguments), [[]])
    XCTAssertEqual(sink.records.map(\.result), [nil])
    XCTAssertEqual(sink.records.map(\.outcome), [.replaced])
  }
}
