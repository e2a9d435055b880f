import BlockABI
import BlockHooks
import CallRecording
import Dispatch
import Foundation
import Invocations
import TestSupport
import XCTest

final class RecorderTests: XCTestCase {
  private func echo() throws -> Block {
    try Block(signature: "*@?*") { call in try call.setResultValue(call.argumentValue(1)) }
  }

  func testEveryCallOfEightThreadsIsRecordedOrCounted() throws {
    for bufferSize in [300, 1 << 20] {
      try withTemporaryFile { path in
        let recorder = try CallRecorder(path: path, bufferSize: bufferSize)
        let block = try echo()
        try block.install(.recording(to: recorder))
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          for index in 0..<250 {
            let text = "thread \(thread), call \(index)"
            XCTAssertEqual(try? block.call(text), text)
          }
        }
        try recorder.close()
        XCTAssertEqual(recorder.recordedCount + recorder.droppedCount, 2000)
        let recording = try Recording(path: path)
        XCTAssertEqual(recording.calls.count, recorder.recordedCount)
        XCTAssertEqual(recording.droppedCount, recorder.droppedCount)
        XCTAssertGreaterThan(recorder.recordedCount, 0)
        for call in recording.calls {
          XCTAssertEqual(call.arguments[0], call.result)
        }
        if bufferSize > 2000 {
          XCTAssertEqual(recorder.droppedCount, 0)
          XCTAssertEqual(recording.calls.map(\.number).sorted(), (1...2000).map { $0 })
        }
      }
    }
  }

  func testACallLongerThanTheBufferIsDroppedAndCounted() throws {
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path, bufferSize: 200)
      let block = try echo()
      try block.install(.recording(to: recorder))
      try recorder.flush()
      _ = try block.call("short") as String
      try recorder.flush()
      _ = try block.call(String(repeating: "long", count: 100)) as String
      XCTAssertEqual([recorder.recordedCount, recorder.droppedCount], [1, 1])
    }
  }

  func testADiskThatIsFullIsReported() throws {
    let recorder = try CallRecorder(path: "/dev/full")
    let block = try echo()
    try block.install(.recording(to: recorder))
    XCTAssertEqual(try block.call("text"), "text")
    XCTAssertThrowsError(try recorder.flush()) { error in
      XCTAssertEqual((error as? RecordingError)?.code, .recordingFailed)
      XCTAssertTrue("\(error)".contains("No space left on device"), "\(error)")
    }
    XCTAssertEqual(try block.call("text"), "text")
    XCTAssertEqual([recorder.recordedCount, recorder.droppedCount], [0, 2])
    expectError(.recordingFailed) { try recorder.close() }
    expectError(.recordingFailed) { try recorder.close() }
    expectError(.recordingFailed) { try block.install(.recording(to: recorder)) }
  }

  func testAFileThatCannotBeMadeOrABufferOfNothingIsRefused() throws {
    expectError(.recordingFailed) { _ = try CallRecorder(path: "/") }
    expectError(.recordingFailed) {
      _ = try CallRecorder(path: "/missing/directory/file")
    }
    _ = withTemporaryFile { path in
      expectError(.recordingFailed) {
        _ = try CallRecorder(path: path, bufferSize: 0)
      }
    }
  }

  func testNothingIsRecordedAfterTheEndAndClosingTwiceDoesNothing() throws {
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path)
      let block = try echo()
      try block.install(.recording(to: recorder))
      _ = try block.call("one") as String
      try recorder.close()
      let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
      _ = try block.call("two") as String
      try recorder.flush()
      try recorder.close()
      XCTAssertEqual([recorder.recordedCount, recorder.droppedCount], [1, 1])
      XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)).count, size)
      XCTAssertEqual(try Recording(path: path).calls.count, 1)
      expectError(.recordingFailed) { try block.install(.recording(to: recorder)) }
      XCTAssertEqual(block.hooks.count, 1)
    }
  }

  func testTheHookKeepsTheRecorderAndItsEndEndsTheFile() throws {
    try withTemporaryFile { path in
      let block = try echo()
      let hook = try block.install(.recording(to: try CallRecorder(path: path)))
      _ = try block.call("text") as String
      hook.remove()
      // The writer may hold the recorder a moment longer.
      let limit = ContinuousClock.now + .seconds(60)
      var recording = try? Recording(path: path)
      while recording?.isComplete != true, ContinuousClock.now < limit {
        recording = try? Recording(path: path)
      }
      XCTAssertEqual(recording?.isComplete, true)
      XCTAssertEqual(recording?.calls.count, 1)
    }
  }

  func testTheFileIsItsOwnersOnly() throws {
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path)
      try recorder.close()
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
    }
  }
}
