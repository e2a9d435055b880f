#if Metrics || Everything
internal import BlockHooks
public import Metrics
public import SymbolInterposing

extension EverySubmission {
  /// Times how long blocks wait on their queues: from where they are sent until they run.
  ///
  /// The times are recorded by a timer, whose dimension `queue` is the label of the queue that the
  /// block was sent to, or empty. At most 1,000 labels are told apart; later ones are `other`.
  /// Blocks that are to wait for a delay or for a group, and iterations, are not timed.
  ///
  /// - Parameters:
  ///   - label: The label of the timer; `queue_wait` if not given.
  ///   - dimensions: Further dimensions of the timer.
  ///   - factory: Makes the timers; if not given, the factory that is bootstrapped when the first
  ///     block is sent to each queue.
  /// - Returns: The token that ends it.
  /// - Throws: As `surround(_:)`.
  public static func timeWaits(
    label: String = "queue_wait", dimensions: [(String, String)] = [],
    factory: (any MetricsFactory)? = nil
  ) throws(InterposingError) -> EverySubmission {
    let timers = NamedMetrics { queue in
      Timer(
        label: label, dimensions: [("queue", queue)] + dimensions,
        factory: factory ?? MetricsSystem.factory)
    }
    return try surround { submission in
      if submission.isDelayed || submission.isIterated { return nil }
      let timer = timers[submission.queueLabel]
      let start = ClockReading.monotonic.nanoseconds
      return { block in
        timer.recordNanoseconds(ClockReading.monotonic.nanoseconds &- start)
        block()
      }
    }
  }
}
#endif
