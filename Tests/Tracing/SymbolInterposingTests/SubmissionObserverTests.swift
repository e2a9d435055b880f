import BlockABI
import BlockHooks
import Dispatch
import SymbolInterposing
import TestSupport
import XCTest

/// What an observer is told of blocks that are sent to queues.
final class SubmissionObserverTests: XCTestCase {
  private final class Observer: SubmissionObserver {
    let seen = Recorder<String>()

    func submit(
      block: UInt, code: UInt, in wrapper: UInt, to object: UnsafeRawPointer?,
      by way: SubmissionWay, count: Int
    ) {
      // SAFETY: the address is only looked up.
      let name = unsafe UnsafeRawPointer(bitPattern: code).flatMap {
        unsafe CodeSymbol(at: $0)?.name
      }
      XCTAssertEqual(name?.contains("SubmissionObserverTests"), true, "\(way)")
      XCTAssertNotEqual(block, wrapper)
      seen.record("\(way) \(count)" + (wrapper == 0 ? "" : " wrapped"))
    }

    func cancel(block: UInt, in wrapper: UInt) {
      XCTAssertNotEqual(wrapper, 0)
      seen.record("cancelled")
    }
  }

  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
  }

  func testItIsToldOfHookedBlocksAndOfNoMoreAfterTheEnd() throws {
    var filter = BlockFilter()
    filter.symbols = ["*SubmissionObserverTests.*"]
    let every = try EveryBlock(matching: filter).hook(.before) { _ in }
    defer { every.remove() }
    let observer = Observer()
    try BlockWatch.shared.observeSubmissions(with: observer)
    let queue = DispatchQueue(label: "observed")
    queue.async {}
    queue.async(flags: .barrier) {}
    queue.asyncAfter(deadline: .now()) {}
    queue.async(execute: DispatchWorkItem {})
    let cancelled = DispatchWorkItem {}
    cancelled.cancel()
    queue.async(execute: cancelled)
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler {}
    source.resume()
    BlockWatch.shared.endSubmissions()
    queue.async {}
    queue.sync {}
    XCTAssertEqual(
      observer.seen.entries,
      [
        "async 1", "barrierAsync 1", "after 1", "async 1 wrapped", "async 1 wrapped", "cancelled",
        "eventHandler 1",
      ])
  }
}
