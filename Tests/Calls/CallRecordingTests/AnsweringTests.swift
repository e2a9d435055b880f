import BlockABI
import BlockHooks
import CallRecording
import Foundation
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

/// Recordings that answer calls of blocks and C functions.
final class AnsweringTests: XCTestCase {
  private final class Token: Sendable {}

  /// A block that counts its calls, and answers with their number plus its argument.
  private func counting(_ calls: Recorder<Int>) throws -> Block {
    try Block(signature: "i@?i") { call in
      let number = try call.argument(1, as: Int.self)
      calls.record(number)
      try call.setResult(calls.entries.count * 100 + number)
    }
  }

  private func call(_ block: Block, _ number: Int32) throws -> Int32 { try block.call(number) }

  func testEqualCallsGetTheRecordedResultsOneAfterTheOtherAndTheOriginalDoesNotRun() throws {
    let calls = Recorder<Int>()
    let block = try counting(calls)
    let recording = try recording(of: block) { block in
      for number: Int32 in [1, 2, 1, 1] { _ = try call(block, number) }
    }
    _ = calls.take()
    let errors = Recorder<String>()
    let double = try block.install(
      .answering(from: recording) { errors.record("\($0)") })
    XCTAssertEqual(double.handle.unusedCalls.map(\.number), [1, 2, 3, 4])
    XCTAssertEqual(try [2, 1, 1].map { try call(block, $0) }, [202, 101, 301])
    XCTAssertEqual(double.handle.unusedCalls.map(\.number), [4])
    XCTAssertEqual(try [1, 1, 3].map { try call(block, $0) }, [401, 0, 0])
    XCTAssertEqual(double.handle.unrecordedCount, 2)
    XCTAssertEqual(errors.entries.count, 2)
    XCTAssertTrue(errors.entries[1].contains("i32 3"), errors.entries[1])
    XCTAssertTrue(errors.entries[1].contains("repeating: true"), errors.entries[1])
    XCTAssertEqual(calls.entries, [])
    XCTAssertTrue(double.hook.remove())
    XCTAssertEqual(try call(block, 3), 103)
    // Each installation answers anew.
    let other = try block.install(.answering(from: recording))
    XCTAssertEqual(try call(block, 1), 101)
    other.hook.remove()
  }

  func testTheLastOfEqualCallsAnswersAgainAndOthersProceedIfAsked() throws {
    let calls = Recorder<Int>()
    let block = try counting(calls)
    let recording = try recording(of: block) { block in
      for number: Int32 in [1, 1, 2] { _ = try call(block, number) }
    }
    _ = calls.take()
    let double = try block.install(
      .answering(from: recording, repeating: true, unrecorded: .proceeding))
    XCTAssertEqual(
      try [1, 1, 1, 1, 2, 2].map { try call(block, $0) }, [101, 201, 201, 201, 302, 302])
    XCTAssertEqual(calls.entries, [])
    XCTAssertEqual(try call(block, 7), 107)
    XCTAssertEqual(calls.entries, [7])
    XCTAssertEqual(double.handle.unrecordedCount, 1)
    XCTAssertEqual(double.handle.unusedCalls.count, 0)
  }

  func testArgumentsThatAreIgnoredAreNotCompared() throws {
    let block = try Block(signature: "i@?id") { try $0.setResult($0.argument(1, as: Int32.self)) }
    let recording = try recording(of: block) { block in
      for number: Int32 in 1...3 { _ = try block.call(number, 0.5) as Int32 }
    }
    try block.install(.answering(from: recording, ignoring: [2], onError: { _ in }))
    XCTAssertEqual(try block.call(3, 9.0) as Int32, 3)
    XCTAssertEqual(try block.call(3, 0.5) as Int32, 0)
    XCTAssertEqual(try block.call(1, -1.0) as Int32, 1)
  }

  func testTextRecordsFloatsAndReferencesAreComparedAsRecorded() throws {
    let record = "{P=d[2s]{Q=*B}b256i3}"
    let block = try Block(signature: "\(record)@?\(record)*d@@?^v") { call in
      try call.setResultValue(call.argumentValue(1))
    }
    func arguments(
      _ number: Double, _ text: String?, _ inner: String = "in", _ float: Double = .nan,
      object: AnyObject? = Token(), block: Block? = try? Block(signature: "v@?") { _ in }
    ) -> [CValue] {
      [
        .structure([
          .double(number), .array([1, 2]), .structure([.cString(inner), .bool(true)]), .integer(-1),
        ]),
        .cString(text), .double(float), .object(object), .block(block), .pointer(8),
      ]
    }
    let recorded = [
      arguments(1, "a"), arguments(2, nil), arguments(0.0, ""), arguments(3, "a", object: nil),
    ]
    let recording = try recording(of: block) { block in
      for arguments in recorded { _ = try block.call(values: arguments) }
    }
    try block.install(.answering(from: recording, onError: { _ in }))
    let zero = CValue.structure([
      .double(0), .array([0, 0]), .structure([.cString(nil), .bool(false)]), .integer(0),
    ])
    for other in [
      arguments(1, "b"), arguments(1, nil), arguments(1, "a", "other"), arguments(1, "a", "in", 0),
      arguments(-0.0, ""), arguments(3, "a", block: nil), arguments(1, "a", object: nil),
    ] {
      XCTAssertEqual(try block.call(values: other), zero)
    }
    // Other objects and blocks, another NaN, in another order.
    let nan = Double(nan: 5, signaling: true)
    for other in [
      arguments(3, "a", object: nil), arguments(0.0, ""), arguments(2, nil, "in", nan),
      arguments(1, "a"),
    ] {
      XCTAssertEqual(try block.call(values: other), other[0])
    }
  }

  func testACodecTellsReferencesApartAndMakesResults() throws {
    let encode: RecordingCodec.Encode = { _, value in
      guard case .object(let text?) = value, let text = text as? String else { return nil }
      return Array(text.utf8)
    }
    let codec = RecordingCodec(encode: encode, decode: { _, _ in nil })
    let block = try Block(signature: "@@?@") { call in
      let text: String = try call.argument(1)
      try call.setResult(text.uppercased() as NSString)
    }
    let texts = ["one", "two"]
    let recording = try recording(of: block, codec: codec) { block in
      for text in texts { _ = try block.call(text as NSString) as NSString }
    }
    // Without it, the results are not known.
    expectError(.notReplayable, "call 1") { try block.install(.answering(from: recording)) }
    XCTAssertEqual(block.hooks.count, 0)
    let tracker = LifetimeTracker()
    do {
      let tracked = tracker.track()
      let decoding = RecordingCodec(encode: encode) { _, bytes in
        withExtendedLifetime(tracked) {
          .object(String(decoding: bytes, as: UTF8.self) as NSString)
        }
      }
      let double = try block.install(.answering(from: recording, codec: decoding))
      XCTAssertEqual(try block.call("two" as NSString) as NSString, "TWO")
      XCTAssertEqual(try block.call("one" as NSString) as NSString, "ONE")
      double.hook.remove()
    }
    XCTAssertEqual(tracker.alive, 0)
  }

  func testAResultThatIsNoneOfTheTypeIsRefusedWhenItIsInstalled() throws {
    let wrong = RecordingCodec(encode: { _, _ in [1] }, decode: { _, _ in .double(1) })
    let block = try Block(signature: "@@?") { try $0.setResult(Token()) }
    let recording = try recording(of: block, codec: wrong) { _ = try $0.call(values: []) }
    expectError(.notReplayable) { try block.install(.answering(from: recording, codec: wrong)) }
    let described = try CallRecordingTests.recording(of: block) { _ = try $0.call(values: []) }
    expectError(.notReplayable, "described") { try block.install(.answering(from: described)) }
  }

  func testACFunctionIsAnsweredAlsoByABlocksCalls() throws {
    let function = unsafe try ImportedFunction("toupper", signature: "ii")
    let block = try Block(signature: "i@?i") {
      try $0.setResult($0.argument(1, as: Int32.self) + 1)
    }
    let ofBlock = try recording(of: block) { _ = try $0.call(97 as Int32) as Int32 }
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path)
      let hook = try function.install(.recording(to: recorder))
      _ = toupper(98)
      hook.remove()
      try recorder.close()
      let ofFunction = try Recording(path: path)
      let both = [
        try function.install(.answering(from: ofFunction, unrecorded: .proceeding)).hook,
        try function.install(.answering(from: ofBlock, unrecorded: .proceeding)).hook,
      ]
      XCTAssertEqual([toupper(97), toupper(98), toupper(99)], [98, 66, 67])
      for hook in both { hook.remove() }
      try block.install(.answering(from: ofFunction))
      XCTAssertEqual(try block.call(98 as Int32) as Int32, 66)
    }
  }

  func testEveryRecordedCallAnswersOnceOnTwoThreads() throws {
    let calls = Recorder<Int>()
    let block = try counting(calls)
    let numbers = (0..<400).map { Int32($0 % 7) }
    let recording = try recording(of: block) { block in
      for number in numbers { _ = try call(block, number) }
    }
    _ = calls.take()
    let double = try block.install(.answering(from: recording, onError: { _ in }))
    let results = Recorder<Int32>()
    let threads = ThreadGroup()
    for _ in 0..<2 {
      threads.start {
        for number in numbers.prefix(200) {
          if let result = try? block.call(number) as Int32 { results.record(result) }
        }
      }
    }
    threads.wait()
    let expected = recording.calls.compactMap { call -> Int32? in
      if case .integer(let number)? = call.result { Int32(number) } else { nil }
    }
    // Of each number the threads ask as often as it was recorded, or once more.
    let answered = results.entries.filter { $0 != 0 }
    XCTAssertEqual(Set(answered).count, answered.count)
    XCTAssertTrue(Set(answered).isSubset(of: expected))
    XCTAssertEqual(
      answered.count + double.handle.unusedCalls.count, 400, "\(double.handle.unrecordedCount)")
    XCTAssertEqual(results.entries.count - answered.count, double.handle.unrecordedCount)
    XCTAssertEqual(calls.entries, [])
  }

  func testARecordedCallWithoutAResultLeavesZero() throws {
    let block = try Block(signature: "i@?i") { try $0.setResult(Int32(5)) }
    let silent = try block.hook { _ in }
    let recording = try recording(of: block) { _ = try $0.call(values: [1]) }
    silent.remove()
    let double = try block.install(.answering(from: recording))
    XCTAssertEqual(try call(block, 1), 0)
    XCTAssertEqual(double.handle.unrecordedCount, 0)
  }

  func testTheSubjectIsThatOfTheTargetsNameOrIsGiven() throws {
    let (one, two) = (
      try counting(Recorder()), try Block(signature: "d@?") { try $0.setResult(1.0) }
    )
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path)
      for (block, name) in [(one, "one"), (two, "two")] {
        try block.install(.recording(to: recorder, as: name))
      }
      _ = try call(one, 1)
      _ = try two.call() as Double
      for block in [one, two] { block.removeHooks() }
      try recorder.close()
      let recording = try Recording(path: path)
      expectError(.unknownSubject, "one, two") { try one.install(.answering(from: recording)) }
      expectError(.signatureMismatch) {
        try one.install(.answering(from: recording, subject: recording.subjects[1]))
      }
      try one.install(.answering(from: recording, subject: recording.subjects[0]))
      XCTAssertEqual(try call(one, 1), 101)
      expectError(.unknownSubject, "each block") {
        try EveryBlock().install(.answering(from: recording))
      }
    }
  }
}
