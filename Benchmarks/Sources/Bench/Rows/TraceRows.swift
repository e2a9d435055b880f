import BlockRuntime
import CallTracing
import Measuring

/// A traced block called by C: its records kept in memory, or written to a stream.
enum TraceRows {
  static var all: [Row] { [record, stream] }

  private static var record: Row {
    Row(
      "trace.record", baseline: "call.direct", maximumIterations: 1 << 16,
      countsInstructions: false, expected: Sums.add
    ) {
      let add = try AddBlock()
      var options = TraceOptions()
      options.queueCapacity = 1 << 17
      let tracer = Tracer(TraceBuffer(), options: options)
      try add.block.trace(with: tracer)
      return { iterations in
        let sum = add.sum(calling: iterations)
        // The sink works beside the calls; only where it is far behind are they made to wait.
        if tracer.counts.pending > 1 << 16 { tracer.flush() }
        // A dropped record makes the row's result wrong.
        return sum - tracer.counts.dropped
      }
    }
  }

  private static var stream: Row {
    var trace: CollectedTrace?
    return Row(
      "trace.stream", baseline: "call.direct", maximumIterations: 1 << 15,
      countsInstructions: false, expected: Sums.add,
      during: { { try trace?.collect() } },
      prepare: {
        let add = try AddBlock()
        let made = try CollectedTrace()
        trace = made
        try add.block.trace(with: made.tracer)
        return { iterations in
          made.expect(iterations)
          return add.sum(calling: iterations)
        }
      })
  }
}
