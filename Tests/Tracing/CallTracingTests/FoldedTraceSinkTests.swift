import BlockABI
import CallTracing
import TestSupport
import XCTest

/// Folded stacks, of which flame graphs are made.
final class FoldedTraceSinkTests: XCTestCase {
  private func weights(_ text: String) throws -> [String: UInt64] {
    let lines = text.split(separator: "\n")
    XCTAssertEqual(lines, lines.sorted())
    return Dictionary(
      uniqueKeysWithValues: try lines.map { line in
        let space = try XCTUnwrap(line.lastIndex(of: " "))
        return (String(line[..<space]), try XCTUnwrap(UInt64(line[line.index(after: space)...])))
      })
  }

  func testOwnTimesOfStacksAddUpToTheTimeOfTheOutermostCalls() throws {
    let text = Recorder<String>()
    let records = RecordingSink()
    try ServerScene().run([FoldedTraceSink(TraceOutput(text.record)), records], callCount: 400)
    let weights = try weights(written(text))
    let outermost = records.records.filter { $0.depth == 0 }
    XCTAssertEqual(
      weights.values.reduce(0, +), outermost.map(\.durationNanoseconds).reduce(0, +))
    XCTAssertEqual(
      Set(weights.keys.map { $0.split(separator: ";").count }), Set([1, 2, 3]))
    // A stack with no others inside has the whole time of its calls.
    let inner = try XCTUnwrap(weights.keys.max { $0.count(of: ";") < $1.count(of: ";") })
    let title = String(inner.split(separator: ";").last ?? "")
    let deepest = records.records.filter {
      $0.depth == 2 && ($0.subject.shortName ?? $0.subject.title) == title
    }
    XCTAssertEqual(
      weights.filter { $0.key.count(of: ";") == 2 && $0.key.hasSuffix(";" + title) }.values
        .reduce(0, +), deepest.map(\.durationNanoseconds).reduce(0, +))
  }

  func testWaitsAreThoseOfTheQueueBehindWhoSentTheBlock() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    for block in UInt(1)...3 { scene.send(block << 4, to: queue.number) }
    for block in UInt(1)...3 { scene.run(block << 4, on: queue) }
    // The program asked for this time.
    scene.send(0x50, to: queue.number, by: .after)
    scene.run(0x50, on: queue)
    let records = try scene.records()
    let text = Recorder<String>()
    let sink = FoldedTraceSink(TraceOutput(text.record), weight: .wait)
    sink.receive(records)
    sink.finish()
    let weights = try weights(written(text))
    XCTAssertEqual(weights.count, 1)
    let (stack, weight) = try XCTUnwrap(weights.first)
    XCTAssertTrue(stack.hasSuffix(";swift_demangle;swift_demangle"), stack)
    XCTAssertEqual(weight, records.prefix(3).compactMap(\.waitedNanoseconds).reduce(0, +))
    XCTAssertGreaterThan(weight, 0)
  }

  func testAnyNumberOfCallsInsideOfAnotherOneHaveItAsTheirRoot() throws {
    let records = RecordingSink()
    try ServerScene().run([records], callCount: 400)
    let thread = try XCTUnwrap(records.records.first { $0.depth == 1 }?.thread)
    let all = records.records.filter { $0.thread == thread }
    let inner = all.filter { $0.depth == 1 }
    let outer = try XCTUnwrap(all.first { $0.depth == 0 })
    let text = Recorder<String>()
    let sink = FoldedTraceSink(TraceOutput(text.record))
    var count = 0
    while count < 20_000 {
      sink.receive(inner)
      count += inner.count
    }
    sink.receive([outer])
    sink.finish()
    let weights = try weights(written(text))
    let root = outer.subject.shortName ?? outer.subject.title
    XCTAssertEqual(weights.keys.filter { !$0.hasPrefix(root + ";") }, [])
    let total = inner.map(\.durationNanoseconds).reduce(0, +) * UInt64(count / inner.count)
    XCTAssertEqual(weights.values.reduce(0, +), total)
  }

  func testFurtherStacksAreOneLine() throws {
    let (text, whole) = (Recorder<String>(), Recorder<String>())
    let sinks: [FoldedTraceSink] = [
      FoldedTraceSink(TraceOutput(text.record), stackLimit: 1),
      FoldedTraceSink(TraceOutput(whole.record)),
    ]
    try ServerScene().run(sinks, callCount: 100)
    let weights = try weights(written(text))
    XCTAssertEqual(weights.count, 2)
    XCTAssertNotNil(weights["(other stacks)"])
    XCTAssertEqual(
      weights.values.reduce(0, +), try self.weights(written(whole)).values.reduce(0, +))
  }

  func testWhatCannotBeWrittenIsCounted() throws {
    let sink = try FoldedTraceSink(TraceOutput(path: "/dev/full"))
    let records = RecordingSink()
    try ServerScene().run([sink, records], callCount: 20)
    XCTAssertEqual(sink.lostRecordCount, records.records.count)
    sink.receive(records.records)
    XCTAssertEqual(sink.lostRecordCount, 2 * records.records.count)
  }
}

extension String {
  fileprivate func count(of character: Character) -> Int { filter { $0 == character }.count }
}
