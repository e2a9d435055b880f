import BlockHooks
import CallTracing
import Dispatch
import Foundation
import Synchronization
import TestSupport
import XCTest

/// Keeps every record, and counts its end.
final class RecordingSink: TraceSink {
  let recorder = Recorder<TraceRecord>()
  let ends = Recorder<Bool>()
  private let tracked: LifetimeTracker.Tracked?
  private let whenReleased: DispatchSemaphore?

  init(_ tracked: LifetimeTracker.Tracked? = nil, whenReleased: DispatchSemaphore? = nil) {
    self.tracked = tracked
    self.whenReleased = whenReleased
  }

  deinit { whenReleased?.signal() }

  func receive(_ records: [TraceRecord]) { records.forEach(recorder.record) }
  func finish() { ends.record(true) }

  var records: [TraceRecord] { recorder.entries }
}

/// Holds up the delivery until it is let go on.
final class GatedSink: TraceSink {
  let isEntered = DispatchSemaphore(value: 0)
  let goesOn = DispatchSemaphore(value: 0)
  private let isFirst = Atomic<Bool>(true)

  func receive(_ records: [TraceRecord]) {
    guard isFirst.exchange(false, ordering: .relaxed) else { return }
    isEntered.signal()
    goesOn.wait()
  }
}

/// Text in the order in which it was written.
func written(_ recorder: Recorder<String>) -> String { recorder.entries.joined() }

/// A file that is gone when the test is over.
func temporaryFile(_ test: XCTestCase) -> String {
  let path = NSTemporaryDirectory() + "trace-\(UUID().uuidString)"
  test.addTeardownBlock { try? FileManager.default.removeItem(atPath: path) }
  return path
}
