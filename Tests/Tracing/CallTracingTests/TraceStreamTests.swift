import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Foundation
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Calls on their way to another process's reader.
final class TraceStreamTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  private struct Failure: Error, CustomStringConvertible { let description: String }

  /// What both ways of tracing tell of a call.
  private func facts(_ record: TraceRecord) -> [String] {
    let subject = record.subject
    return [
      "\(subject.title)", "\(subject.image ?? "-")", subject.signature,
      "\(subject.address ?? 0)", "\(record.arguments)", "\(record.result ?? "-")",
      "\(record.outcome)", "\(record.thread)", "\(record.depth)", "\(record.process)",
    ]
  }

  func testAStreamTellsWhatAQueueTells() throws {
    let ends = try TraceStreamEnds(self)
    let sink = RecordingSink()
    let tracers = [Tracer(sink), Tracer(ends.writer)]
    let signature = "{R=i*[2s]}@?i*{Q=dB}(U=if)@{B=b0i3b3I20}T"
    let mixed = try Block(signature: signature) { call in
      try call.setResultValue(.structure([1, "text", .array([1, 2])]))
    }
    let sum = try Block(signature: "d@?idq") { call in try call.setResult(2.5) }
    let failing = try Block(signature: "v@?i") { _ in }
    try failing.hook(onError: { _ in }) { call in
      try tracers[0].record(&call) { call in
        try tracers[1].record(&call) { _ in throw Failure(description: "bad \"thing\"\n") }
      }
    }
    let echo = try Block(signature: "i@?i") { call in try call.setResult(Int32(7)) }
    for tracer in tracers {
      try mixed.install(.tracing(with: tracer))
      try sum.install(.tracing(with: tracer))
      try echo.install(.tracing(with: tracer))
    }
    try echo.hook(priority: 0) { call in try call.setResult(Int32(1)) }
    _ = try mixed.call(values: [
      5, "é\n", .structure([2.5, true]), .bytes([1, 2, 3, 4]), .object(nil), .structure([-1, 5]), 7,
    ])
    XCTAssertEqual(try sum.call(values: [1, -0.5, 3]), 2.5)
    _ = try failing.call(values: [3])
    XCTAssertEqual(try echo.call(Int32(3)) as Int32, 1)
    tracers[0].close()
    let records = try ends.reader.read()
    XCTAssertEqual(records.count, 4)
    XCTAssertEqual(records.map(facts), sink.records.map(facts))
    XCTAssertEqual(records.last?.threadName, try comm("/proc/thread-self/comm"))
    XCTAssertEqual(records.last?.processName, try comm("/proc/self/comm"))
    for (streamed, queued) in zip(records, sink.records) {
      // Whichever tracer lies inside began later; both read the same clock.
      let distance = Int128(streamed.startNanoseconds) - Int128(queued.startNanoseconds)
      XCTAssertLessThan(distance.magnitude, 1_000_000_000)
    }
    XCTAssertEqual(ends.reader.openCallCount, 0)
    XCTAssertEqual(ends.reader.droppedCount, 0)
  }

  private func comm(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  func testCodeWithoutASignatureDisturbsNoOtherCode() throws {
    let ends = try TraceStreamEnds(self)
    let tracer = Tracer(ends.writer)
    let echo = try Block(signature: "i@?i") { call in try call.setResult(Int32(7)) }
    try echo.install(.tracing(with: tracer))
    let opaque = try XCTUnwrap(
      unsafe OpaqueCallTrace(tracer, codeAt: UnsafeRawPointer(fixture_doubled_code())))
    opaque.end(opaque.begin())
    XCTAssertEqual(try echo.call(Int32(3)) as Int32, 7)
    opaque.end(opaque.begin())
    let records = try ends.reader.read()
    XCTAssertEqual(records.map(\.subject.signature), ["", "i12@?0i8", ""])
    XCTAssertEqual(records.map(\.arguments), [[], ["i32 3"], []])
    XCTAssertEqual(records.map(\.outcome), [.returned, .returned, .returned])
    XCTAssertNil(ends.reader.unreadValues)
  }

  func testASignatureThatCannotBeReadCostsTheValuesOfItsOwnCallsOnly() throws {
    let ends = try TraceStreamEnds(self)
    let blocks = try ["i@?i", "q@?q"].map { signature in
      try Block(signature: signature) { call in
        try call.setResultValue(call.argumentValue(1))
      }
    }
    for block in blocks { try block.install(.tracing(with: Tracer(ends.writer))) }
    for number in 1...3 as ClosedRange<Int64> {
      for block in blocks { _ = try block.call(values: [.integer(Int128(number))]) }
    }
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: ends.path)))
    let place = try XCTUnwrap(bytes.firstRange(of: Array("i12@?0i8".utf8)))
    bytes[place.lowerBound] = UInt8(ascii: "!")
    let path = temporaryFile(self)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let reader = try TraceStreamReader(path: path)
    let records = try reader.read()
    XCTAssertEqual(
      records.map(\.arguments), [[], ["i64 1"], [], ["i64 2"], [], ["i64 3"]])
    XCTAssertEqual(records.map(\.outcome), Array(repeating: .returned, count: 6))
    XCTAssertEqual(reader.unreadValues?.code, .damagedTrace)
    XCTAssert(reader.unreadValues?.message.contains("!12@?0i8") == true)
  }

  func testRecordsAreWholeWhereTheRingWraps() throws {
    let ends = try TraceStreamEnds(self, capacity: 4096)
    let echo = try Block(signature: "i@?*") { call in
      try call.setResult(Int32(call.argument(1, as: String.self).utf8.count))
    }
    try echo.install(.tracing(with: Tracer(ends.writer)))
    for index in 0..<2000 {
      let text = String(repeating: "x", count: index % 97) + "\(index)"
      XCTAssertEqual(try echo.call(text) as Int32, Int32(text.utf8.count))
      let record = try XCTUnwrap(ends.reader.read().first)
      XCTAssertEqual(record.arguments, ["\"\(text)\""])
      XCTAssertEqual(record.result, "i32 \(text.utf8.count)")
    }
    XCTAssertEqual(ends.reader.droppedCount, 0)
  }

  func testWhatFindsNoRoomIsCounted() throws {
    let ends = try TraceStreamEnds(self, capacity: 8192)
    let tracer = Tracer(ends.writer)
    let inner: IntBlock = { $0 }
    let innerBlock = try Block(inner)
    try innerBlock.install(.tracing(with: tracer))
    let outer: IntBlock = { count in
      for index in 0..<count { _ = inner(index) }
      return count
    }
    try Block(outer).install(.tracing(with: tracer))
    XCTAssertEqual(outer(1000), 1000)
    let dropped = ends.reader.droppedCount
    XCTAssertGreaterThan(dropped, 0)
    XCTAssertEqual(tracer.counts.dropped, dropped)
    let records = try ends.reader.read()
    // A call that the stream knows to have begun also ends there.
    XCTAssertEqual(records.count + dropped, 1001)
    XCTAssertEqual(records.last?.result, "i64 1000")
    XCTAssertEqual(ends.reader.openCallCount, 0)
    // There is room again.
    XCTAssertEqual(inner(5), 5)
    XCTAssertEqual(try ends.reader.read().map(\.arguments), [["i64 5"]])
    XCTAssertEqual(ends.reader.droppedCount, dropped)
  }

  func testManyThreadsAppendWhileTheReaderReads() throws {
    let ends = try TraceStreamEnds(self, capacity: 32 << 10)
    let tracer = Tracer(ends.writer)
    let (threads, rounds) = (8, 1000)
    let group = ThreadGroup()
    let running = Atomic<Int>(threads)
    let work: @Sendable (Int) -> Void = { thread in
      let add: IntBlock = { $0 + thread * rounds }
      if let block = try? Block(add), (try? block.install(.tracing(with: tracer))) != nil {
        for round in 0..<rounds { _ = add(round) }
      }
      withExtendedLifetime(add) {}
      running.subtract(1, ordering: .releasing)
    }
    for thread in 0..<threads { group.start { work(thread) } }
    var records: [TraceRecord] = []
    while running.load(ordering: .acquiring) > 0 { records += try ends.reader.read() }
    group.wait()
    records += try ends.reader.read()
    XCTAssertEqual(records.count + ends.reader.droppedCount, threads * rounds)
    XCTAssertGreaterThan(records.count, 0)
    XCTAssertEqual(ends.reader.openCallCount, 0)
    XCTAssertEqual(Set(records.map(\.result)).count, records.count)
    for (_, own) in Dictionary(grouping: records, by: \.thread) {
      // A thread's calls are in their order.
      XCTAssertEqual(own.map(\.startNanoseconds), own.map(\.startNanoseconds).sorted())
    }
  }

  func testAnEmptyRecordTakesNoWordOfTheNextCall() throws {
    let ends = try TraceStreamEnds(self, capacity: 1 << 20)
    let tracer = Tracer(ends.writer)
    let block = try Block(signature: "v@?i{E=}") { _ in }
    try block.install(.tracing(with: tracer))
    let (threads, rounds) = (4, 20_000)
    let group = ThreadGroup()
    let running = Atomic<Int>(threads)
    for _ in 0..<threads {
      group.start {
        for round in 0..<rounds {
          _ = try? block.call(values: [.integer(Int128(round)), .structure([])])
        }
        running.subtract(1, ordering: .releasing)
      }
    }
    var records: [TraceRecord] = []
    while running.load(ordering: .acquiring) > 0 { records += try ends.reader.read() }
    group.wait()
    records += try ends.reader.read()
    XCTAssertEqual(records.count + ends.reader.droppedCount, threads * rounds)
    XCTAssertEqual(Set(records.map { $0.arguments.last }), ["{E}"])
  }

  /// Forks while `body` is traced; the child runs `inChild` within the traced call and is gone
  /// then.
  private func tracedFork(
    _ end: @escaping @convention(c) () -> Void
  ) throws -> (
    status: Int32, TraceStreamEnds
  ) {
    let ends = try TraceStreamEnds(self)
    let adder = unsafe try XCTUnwrap(fixture_heap_adder(5))
    defer { unsafe fixture_release(adder) }
    try unsafe Block(unsafePointer: adder).install(.tracing(with: Tracer(ends.writer)))
    XCTAssertEqual(unsafe fixture_call_int(adder, 1), 6)
    let ending: IntBlock = { value in
      end()
      return value
    }
    let block = try Block(ending)
    try block.install(.tracing(with: Tracer(ends.writer)))
    let call = unsafe Calls(adder: adder, ending: { _ = try? block.call(77) as Int })
    let status = unsafe fixture_fork(
      { context in
        alarm(20)
        guard let context = unsafe context else { return 1 }
        let call = unsafe Unmanaged<Calls>.fromOpaque(context).takeUnretainedValue()
        let result = unsafe fixture_call_int(call.adder, 2)
        call.ending()
        return result
      }, Unmanaged.passUnretained(call).toOpaque())
    withExtendedLifetime(call) {}
    XCTAssertEqual(unsafe fixture_call_int(adder, 3), 8)
    return (status, ends)
  }

  /// SAFETY: who makes one keeps the block.
  @safe
  private final class Calls {
    let adder: UnsafeRawPointer
    let ending: () -> Void

    init(adder: UnsafeRawPointer, ending: @escaping () -> Void) {
      unsafe self.adder = unsafe adder
      self.ending = ending
    }
  }

  func testAThreadThatIsNoQueuesRunsNone() throws {
    let ends = try TraceStreamEnds(self)
    let work: IntBlock = { $0 }
    let block = try Block(work)
    try block.install(.tracing(with: Tracer(ends.writer)))
    let group = ThreadGroup()
    group.start { _ = try? block.call(1) as Int }
    group.wait()
    DispatchQueue(label: "one").sync { _ = work(2) }
    let records = try ends.reader.read()
    XCTAssertEqual(records.map(\.arguments), [["i64 1"], ["i64 2"]])
    XCTAssertEqual(records.map { $0.queue?.label }, [nil, "one"])
    withExtendedLifetime(work) {}
  }

  func testNoControlCharacterOfALabelIsInALine() throws {
    let ends = try TraceStreamEnds(self)
    let tracer = Tracer(ends.writer)
    let queues = try XCTUnwrap(tracer.queues)
    DispatchQueue(label: "a\u{9B}31m\u{80}\u{9F}\u{7F}\u{1B}b\u{A0}é").sync {
      unsafe queues.submit(
        block: 4096, code: 64, to: queues.current, by: .async,
        from: UnsafeBufferPointer(start: nil, count: 0))
    }
    _ = try ends.reader.read()
    let recorder = Recorder<String>()
    let sink = TextTraceSink(TraceOutput(recorder.record))
    sink.receive(ends.reader.pendingRecords(at: ends.reader.latest))
    sink.finish()
    let text = written(recorder)
    XCTAssertTrue(text.contains("[a 31m    b\u{A0}é"), text)
    let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control }
    XCTAssertEqual(Set(controls), ["\n"])
  }

  func testAForkedChildAppendsToTheSameStream() throws {
    let (status, ends) = try tracedFork {}
    XCTAssertEqual(status, 7)
    let records = try ends.reader.read()
    XCTAssertEqual(
      records.map(\.arguments), [["i32 1"], ["i32 2"], ["i64 77"], ["i32 3"]])
    let processes = records.map(\.process)
    XCTAssertEqual(processes[0], getpid())
    XCTAssertNotEqual(processes[1], getpid())
    XCTAssertEqual(processes, [getpid(), processes[1], processes[1], getpid()])
    // The first thread of a process has its number.
    XCTAssertEqual(records[1].thread, processes[1])
    XCTAssertEqual(ends.reader.openCallCount, 0)
  }

  func testWhatAKilledChildHadBegunIsThere() throws {
    let (status, ends) = try tracedFork { kill(getpid(), SIGKILL) }
    XCTAssertEqual(status, -SIGKILL)
    let records = try ends.reader.read()
    XCTAssertEqual(records.map(\.arguments), [["i32 1"], ["i32 2"], ["i32 3"]])
    let now = ends.reader.latest + 5000
    let open = ends.reader.unfinishedRecords(at: now)
    XCTAssertEqual(open.map(\.arguments), [["i64 77"]])
    XCTAssertEqual(open.map(\.outcome), [.unfinished])
    XCTAssertEqual(open.map(\.process), [records[1].process])
    XCTAssertEqual(open.map(\.result), [nil])
    XCTAssertEqual(open.map { $0.startNanoseconds + $0.durationNanoseconds }, [now])
  }
}
