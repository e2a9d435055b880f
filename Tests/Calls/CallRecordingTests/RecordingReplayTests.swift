import BlockABI
import BlockHooks
import CallRecording
import Foundation
import Invocations
import TestSupport
import XCTest

final class RecordingReplayTests: XCTestCase {
  func testWhatDiffersIsReportedCallByCall() throws {
    let old = try Block(signature: "i@?i") { call in
      try call.setResult(call.argument(1, as: Int32.self) * 2)
    }
    let new = try Block(signature: "i@?i") { call in
      let value = try call.argument(1, as: Int32.self)
      try call.setResult(value == 3 ? 7 : value * 2)
    }
    let recording = try recording(of: old, as: "double") { block in
      for value in 1...4 { _ = try block.call(value) as Int32 }
    }
    XCTAssertTrue(try recording.replay(on: old).isClean)
    let report = try recording.replay(on: new)
    XCTAssertFalse(report.isClean)
    XCTAssertEqual(report.calls.count, 4)
    XCTAssertEqual(report.differences.map(\.outcome), [.differs(expected: "6", got: "7")])
    XCTAssertEqual(
      report.description,
      "3 matched, 1 differ, 0 skipped\ncall 3: double(3) = 6 — expected 6, got 7")
  }

  func testFloatsAreComparedByBitsAndEveryNaNIsLikeEveryOther() throws {
    let results: [Double] = [.nan, 0.0, 1.5]
    let others: [Double] = [-Double(nan: 5, signaling: false), -0.0, 1.5]
    for type in ["d", "f", "D", "{N=d}", "jd"] {
      func block(_ results: [Double]) throws -> Block {
        try Block(signature: "\(type)@?i") { call in
          let value = results[try call.argument(1, as: Int.self)]
          let result: CValue =
            switch type {
            case "{N=d}": .structure([.double(value)])
            case "jd": .complex(real: LongDouble(value), imaginary: 0)
            case "f": .float(Float(value))
            case "D": .longDouble(LongDouble(value))
            default: .double(value)
            }
          try call.setResultValue(result)
        }
      }
      let recording = try recording(of: try block(results)) { block in
        for index in 0..<3 { _ = try block.call(values: [.integer(Int128(index))]) }
      }
      let report = try recording.replay(on: try block(others))
      XCTAssertEqual(report.differences.map { $0.call.number }, [2], "\(type) \(report)")
    }
  }

  func testTextIsComparedByItsBytes() throws {
    func block(_ text: String?) throws -> Block {
      try Block(signature: "*@?") { call in try call.setResult(text) }
    }
    let composed = "\u{FC}"
    let recording = try recording(of: try block(composed)) { _ = try $0.call(values: []) }
    XCTAssertTrue(try recording.replay(on: try block(composed)).isClean)
    for other in ["u\u{308}", "", nil] as [String?] {
      XCTAssertEqual(try recording.replay(on: try block(other)).differences.count, 1)
    }
  }

  func testAnotherSignatureIsRefusedWithTheDifference() throws {
    let block = try Block(signature: "i@?id") { call in try call.setResult(Int32(1)) }
    let recording = try recording(of: block) { _ = try $0.call(1, 2.0) as Int32 }
    let other = try Block(signature: "i@?iq") { call in try call.setResult(Int32(1)) }
    XCTAssertThrowsError(try recording.replay(on: other)) { error in
      XCTAssertEqual((error as? RecordingError)?.code, .signatureMismatch)
      XCTAssertTrue("\(error)".contains("argument 2: block takes q (Int64)"), "\(error)")
    }
    let function = unsafe try CFunction(symbol: "pow", signature: "ddd")
    XCTAssertThrowsError(try recording.replay(on: function)) { error in
      XCTAssertTrue("\(error)".contains("result: function returns d"), "\(error)")
    }
  }

  func testABlocksCallsAreReplayedOnACFunction() throws {
    let block = try Block(signature: "d@?dd") { call in
      try call.setResult(
        pow(call.argument(1, as: Double.self), call.argument(2, as: Double.self)))
    }
    let recording = try recording(of: block) { block in
      for exponent in 0..<5 { _ = try block.call(2.0, Double(exponent)) as Double }
    }
    let function = unsafe try CFunction(symbol: "pow", signature: "ddd")
    XCTAssertTrue(try recording.replay(on: function).isClean)
  }

  func testSeveralSubjectsMustBeToldApart() throws {
    let one = try Block(signature: "i@?i") { call in try call.setResult(Int32(1)) }
    let two = try Block(signature: "v@?") { _ in try? one.call(5) }
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path)
      let hooks = [
        try one.install(.recording(to: recorder, as: "one")),
        try two.install(.recording(to: recorder, as: "two")),
      ]
      try two.call()
      _ = try one.call(6) as Int32
      for hook in hooks { hook.remove() }
      try recorder.close()
      XCTAssertEqual([recorder.recordedCount, recorder.droppedCount], [3, 0])
      let recording = try Recording(path: path)
      XCTAssertTrue(recording.isComplete)
      XCTAssertEqual(recording.subjects.map(\.name), ["one", "two"])
      // A call within a call returns first, and began later.
      XCTAssertEqual(recording.calls.map(\.description), ["one(5) = 1", "two()", "one(6) = 1"])
      XCTAssertEqual(recording.calls.map(\.number), [2, 1, 3])
      expectError(.unknownSubject) { _ = try recording.replay(on: one) }
      let report = try recording.replay(on: one, subject: recording.subjects[0])
      XCTAssertEqual(report.calls.map(\.outcome), [.matched, .matched])
      let other = try CallRecordingTests.recording(of: one, as: "other") { _ in }
      expectError(.unknownSubject) {
        _ = try recording.replay(on: one, subject: other.subjects[0])
      }
    }
  }

  func testCallsAreReplayedInTheOrderTheyBegan() throws {
    let seen = Recorder<Int>()
    let nested = Recorder<Block>()
    let block = try Block(signature: "i@?i") { call in
      let depth = try call.argument(1, as: Int.self)
      seen.record(depth)
      if depth < 3, let block = nested.entries.first { _ = try block.call(depth + 1) as Int32 }
      try call.setResult(depth)
    }
    nested.record(block)
    let recording = try recording(of: block) { _ = try $0.call(1) as Int32 }
    XCTAssertEqual(recording.calls.map(\.number), [3, 2, 1])
    let replayed = Recorder<Int>()
    let target = try Block(signature: "i@?i") { call in
      replayed.record(try call.argument(1, as: Int.self))
      try call.setResult(call.argument(1, as: Int.self))
    }
    XCTAssertTrue(try recording.replay(on: target).isClean)
    XCTAssertEqual(replayed.entries, [1, 2, 3])
  }

  func testACallWithoutAResultIsRecordedAsSuch() throws {
    let block = try Block(signature: "i@?i") { call in try call.setResult(Int32(1)) }
    try block.hook { _ in }
    let recording = try recording(of: block) { _ = try $0.call(values: [1]) }
    XCTAssertNil(recording.calls[0].result)
    XCTAssertEqual(recording.calls[0].description, "block(1)")
    XCTAssertTrue(try recording.replay(on: block).isClean)
  }
}
