/// A receiver of a tracer's records.
///
/// A tracer calls its sinks on a thread of its own, one at a time and without a lock held. Calls
/// that a sink makes there are not traced by any tracer. A sink that blocks delays the other sinks,
/// and in the end the queue fills; it never delays the traced threads.
///
/// Give each tracer its own sinks, because a sink that writes ends only once.
public protocol TraceSink: Sendable {
  /// Receives records in the order in which their calls ended.
  func receive(_ records: [TraceRecord])

  /// Ends the output; called once, after the last records, when the tracer closes or is released.
  func finish()

  /// How many of the records received could not be written.
  var lostRecordCount: Int { get }
}

extension TraceSink {
  /// Does nothing.
  public func finish() {}

  /// Zero.
  public var lostRecordCount: Int { 0 }
}
