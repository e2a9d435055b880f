import BlockRuntime
import CBaselines
import CallTracing
import Glibc
import ObservedModels

/// The bytes that are kept for each object that is hooked or observed, for each of its values, and
/// for each call that is traced.
enum KeptMemory {
  /// The rows that `run()` prints.
  static let rows = [
    "kept.hookedBlock.bytes", "kept.observedObject.bytes", "kept.association.bytes",
    "kept.tracedCall.bytes",
  ]

  /// Measures and prints.
  static func run() throws {
    // A million blocks are hooked at once.
    try printBytes(rows[0], 1_000_000, { try AddBlock().block }) { block in
      try block.hook(.before, onError: handlerFailed) { _ in }
    }
    try printBytes(rows[1], 100_000, { Models.observed() }) { $0.observe(\.value) { _, _ in } }
    let key = AssociationKey<Int>("kept")
    try printBytes(rows[2], 100_000, { Models.observed() }) { try key.set(1, on: $0) }
    try printTracedCall()
  }

  /// Prints what the heap holds more for each object after something was done to it.
  private static func printBytes<Object, Result>(
    _ row: String, _ count: Int, _ make: () throws -> Object, _ body: (Object) throws -> Result
  ) throws {
    // What the first one of the process needs is not counted.
    _ = try body(make())
    let objects = try (0..<count).map { _ in try make() }
    let start = cbl_bytes_in_use()
    for object in objects { _ = try body(object) }
    Study.printRow(row, Double(cbl_bytes_in_use() - start) / Double(count))
    withExtendedLifetime(objects) {}
  }

  /// Prints what a traced call with two numbers takes of a stream: as many are made as fit.
  private static func printTracedCall() throws {
    let capacity = 8 << 20
    let trace = try CollectedTrace(capacity: capacity)
    let add = try AddBlock()
    try add.block.install(.tracing(with: trace.tracer))
    let calls = 1_000_000
    _ = add.sum(calling: calls)
    let recorded = calls - trace.tracer.counts.dropped
    Study.printRow(rows[3], Double(capacity) / Double(recorded))
  }
}
