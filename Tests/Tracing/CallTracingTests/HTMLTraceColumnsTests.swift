import BlockABI
import BlockHooks
import CallTracing
import Foundation
import Synchronization
import TestSupport
import XCTest

/// The columns of a page's calls: what they say, and how few bytes they take.
final class HTMLTraceColumnsTests: XCTestCase {
  func testCallsHaveTheirQueueTheirSenderTheirWaitAndTheirTask() throws {
    let scene = try SubmissionScene(self)
    let target = try scene.queue("scene.target", isSerial: false)
    let queue = try scene.queue("scene.queue", target: target)
    scene.burst(3, to: queue)
    scene.send(0x10, to: queue.number, by: .after)
    scene.run(0x10, on: queue)
    scene.send(0x20, to: queue.number, by: .sync)
    scene.run(0x20, on: queue) { scene.run(0x21) }
    scene.send(0x30, to: queue.number)
    scene.queues.cancel(block: 0x30, in: SubmissionScene.wrapper(of: 0x30))
    scene.runTasks(on: queue)
    scene.send(0x40, to: target.number)
    let (text, records) = try scene.page()
    let origin = try XCTUnwrap(records.map(\.startNanoseconds).min())
    let page = try TracePageFile(text)
    let calls = try page.calls()
    XCTAssertEqual(calls, records.map { TracePageFile.Call($0, from: origin) })
    XCTAssertEqual(Set(calls.map(\.outcome)), ["returned", "pending", "cancelled"])
    XCTAssertEqual(calls.filter(\.isWait).map(\.title), ["dispatch_sync"])
    XCTAssertEqual(calls.compactMap(\.suspension), ["group", "left", "continuation", "left"])
    XCTAssertEqual(calls.filter(\.isPart).map { $0.task?.name }, ["seven", nil, "seven", "seven"])
    XCTAssertEqual(calls.compactMap { $0.task?.parent }, [7])
    XCTAssertEqual(
      calls.compactMap { $0.task?.creators.first }, Array(repeating: "swift_demangle", count: 3))
    XCTAssertEqual(calls.filter { $0.sending?.isDelayed == true }.count, 1)
    XCTAssertEqual(calls.first?.queue?.target, "scene.target")
    let own = Int(ProcessInfo.processInfo.processIdentifier)
    XCTAssertEqual(Array(page.processes.keys), [own])
    XCTAssertEqual(page.processes[own]?.isEmpty, false)
  }

  /// A page of calls whose begins and ends are read from a clock in turns.
  private func page(_ times: [UInt64]) throws -> TracePageFile {
    let text = Recorder<String>()
    // The clock's zero is the first time that is read.
    let times = [0] + times
    let place = Mutex(0)
    var options = TraceOptions()
    options.clock = ReadingClock {
      place.withLock { place in
        defer { place += 1 }
        return times[min(place, times.count - 1)]
      }
    }
    options.queueCapacity = times.count + 1
    let tracer = Tracer(HTMLTraceSink(TraceOutput(text.record)), options: options)
    let work: @convention(block) () -> Void = {}
    try Block(work).install(.tracing(with: tracer))
    for _ in 0..<(times.count / 2) { work() }
    tracer.close()
    return try TracePageFile(written(text))
  }

  func testTimesOfEverySizeAreKept() throws {
    let step = (0..<52).map { UInt64(1) << $0 }
    let durations = [0, 0, 1, 30, 31, 32, 33, 4095, 4096, 4097] + step + step.map { $0 - 1 }
    let times = durations.flatMap { [UInt64(1) << 60, UInt64(1) << 60 + $0] }
    let calls = try page(times).calls()
    XCTAssertEqual(calls.map(\.duration), durations)
    XCTAssertEqual(Set(calls.map(\.start)), [0])
    // Starts may go back: threads' records come in the order of their ends.
    let starts: [UInt64] = [9_000, 12, 1 << 40, 0, 5, 5, 1 << 51, 8]
    XCTAssertEqual(try page(starts.flatMap { [$0, $0 + 3] }).calls().map(\.start), starts)
  }

  func testTimesBeyondWhatAScriptCanCountAreTheLargest() throws {
    let page = try page([0, 1 << 62, 0, 1 << 53, 0, 1 << 52, 0, 7])
    XCTAssertEqual(try page.columns()["duration"], [1 << 52, 1 << 52, 1 << 52, 7])
  }

  func testColumnsOfEqualAndOfAscendingNumbersTakeNextToNothing() throws {
    let page = try page((0..<40_000).map { UInt64($0) * 1_000 })
    XCTAssertEqual(try page.calls().count, 20_000)
    let data = try XCTUnwrap(page.text.range(of: #""calls":{"#)).upperBound
    let end = try XCTUnwrap(page.text.range(of: "}", range: data..<page.text.endIndex)).lowerBound
    // Fourteen names, and for each a few bytes.
    XCTAssertLessThan(page.text[data..<end].utf8.count, 14 * 30)
  }

  func testABurstOfBlocksTakesFewBytesEach() throws {
    let scene = try SubmissionScene(self, capacity: 8 << 20)
    let queue = try scene.queue("scene.queue")
    scene.burst(4_000, to: queue)
    let (text, records) = try scene.page()
    XCTAssertEqual(records.count, 4_000)
    let frame = try TracePageFile(text).frame
    let texts = records.reduce(0) { $0 + ($1.arguments.first?.utf8.count ?? 0) + 12 }
    XCTAssertLessThan(text.utf8.count - frame.utf8.count - texts, 4_000 * 16)
  }
}
