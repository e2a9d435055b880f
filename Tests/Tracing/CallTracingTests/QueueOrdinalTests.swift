import CallTracing
import TestSupport
import XCTest

@testable import CallTracing

/// Queues that bear one label are told apart.
final class QueueOrdinalTests: XCTestCase {
  func testEachQueueOfALabelHasItsOwnNameAndLoad() throws {
    let scene = try SubmissionScene(self)
    let queues = try (1...3).map { _ in try scene.queue("scene.queue") }
    for (index, queue) in queues.enumerated() {
      for block in 0...UInt(index) { scene.send(block << 4 | 1, to: queue.number) }
      for block in 0...UInt(index) { scene.run(block << 4 | 1, on: queue) }
    }
    let records = try scene.records()
    let names =
      ["scene.queue", "scene.queue #2", "scene.queue #2"]
      + Array(repeating: "scene.queue #3", count: 3)
    XCTAssertEqual(records.map { $0.queue?.name }, names)
    XCTAssertEqual(records.map { $0.submission?.queue?.ordinal }, [1, 2, 2, 3, 3, 3])
    XCTAssertEqual(Set(records.map { $0.queue?.label }), ["scene.queue"])
    let loads = scene.ends.reader.queueLoads.map { ($0.queue.name, $0.load.deepest) }
    XCTAssertEqual(
      Dictionary(uniqueKeysWithValues: loads),
      ["scene.queue": 1, "scene.queue #2": 2, "scene.queue #3": 3])
    let text = Recorder<String>()
    let sinks: [any TraceSink] = [
      TextTraceSink(TraceOutput(text.record)), JSONLinesTraceSink(TraceOutput(text.record)),
    ]
    for sink in sinks {
      sink.receive(records)
      sink.finish()
    }
    for expected in ["  [scene.queue #3, sent by", #"{"label":"scene.queue","ordinal":3,"#] {
      XCTAssertTrue(written(text).contains(expected), expected)
    }
  }

  func testThreadsThatDescribeAQueueAtOnceMakeNoOthersAndACreationAtItsAddressDoes() {
    var ordinals = QueueOrdinals()
    let rows: [(label: String, address: UInt64, isCreated: Bool, ordinal: Int)] = [
      ("a", 1, false, 1), ("a", 1, false, 1), ("a", 1, true, 2), ("a", 1, false, 2),
      ("b", 1, true, 1), ("a", 2, false, 3),
    ]
    for row in rows {
      XCTAssertEqual(
        ordinals.ordinal(of: row.label, at: row.address, isCreated: row.isCreated), row.ordinal,
        "\(row)")
    }
  }

  func testTheNumberOfQueuesOfALabelThatAreToldApartIsBounded() throws {
    var ordinals = QueueOrdinals()
    let all = (1...200).map { ordinals.ordinal(of: "a", at: UInt64($0), isCreated: true) }
    XCTAssertEqual(all.max(), 64)
    let last = TracedQueue(
      label: "", ordinal: try XCTUnwrap(all.last), isSerial: nil, target: nil,
      qualityOfService: nil)
    XCTAssertEqual(last.name, "(no label) #64 and others")
  }
}
