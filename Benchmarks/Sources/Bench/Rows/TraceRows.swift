import BlockRuntime
import Measuring

/// A traced block called by C, its records kept in memory.
enum TraceRows {
  static var all: [Row] {
    [
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
    ]
  }
}
