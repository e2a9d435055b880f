import BlockRuntime
import CallTracing
import Measuring

/// A traced block called by C: its records kept in memory, or written to a stream.
///
/// The instructions and the time are those of the calling thread. What the sinks or a stream's reader do
/// comes after each series; only `trace.collect` has the reader's.
enum TraceRows {
  static var all: [Row] { [record, stream, collect] }

  /// The function that makes the calls.
  private static let caller = "cbl_call_add_block"

  private static var record: Row {
    var tracer: Tracer?
    return Row(
      "trace.record", baseline: "call.direct", maximumIterations: 1 << 14, countedFunction: caller,
      expected: Sums.add,
      during: { { tracer?.flush() } },
      prepare: {
        let add = try AddBlock()
        var options = TraceOptions()
        // The delivering thread sleeps until `flush()`: no series fills half of the queue.
        options.queueCapacity = 1 << 16
        options.deliveryDelay = .seconds(3600)
        let made = Tracer(TraceBuffer(), options: options)
        tracer = made
        try add.block.install(.tracing(with: made))
        // A dropped record makes the row's result wrong.
        return { iterations in add.sum(calling: iterations) - made.counts.dropped }
      })
  }

  private static var stream: Row {
    var trace: CollectedTrace?
    return Row(
      "trace.stream", baseline: "call.direct", maximumIterations: 1 << 15, countedFunction: caller,
      expected: Sums.add,
      during: { { try trace?.collect() } },
      prepare: {
        let add = try AddBlock()
        let made = try CollectedTrace()
        trace = made
        try add.block.install(.tracing(with: made.tracer))
        return { iterations in
          made.expect(iterations)
          return add.sum(calling: iterations)
        }
      })
  }

  private static var collect: Row {
    Row(
      "trace.collect", baseline: "call.direct", maximumIterations: 1 << 15, expected: Sums.add,
      prepare: {
        let add = try AddBlock()
        let made = try CollectedTrace()
        try add.block.install(.tracing(with: made.tracer))
        return { iterations in
          made.expect(iterations)
          let sum = add.sum(calling: iterations)
          try made.collect()
          return sum
        }
      })
  }
}
