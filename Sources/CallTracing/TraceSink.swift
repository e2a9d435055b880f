/// What receives a tracer's records.
///
/// A tracer calls its sinks on a thread of its own, one after the other and never two at once, under
/// no lock. What a sink calls there is not traced, by any tracer. A sink that blocks holds up the
/// other sinks and in the end fills the queue; it never holds up the traced threads.
///
/// Give each tracer sinks of its own: sinks that write have one end.
public protocol TraceSink: Sendable {
  /// Receives records in the order in which their calls ended.
  func receive(_ records: [TraceRecord])

  /// Ends the output; called once, after the last records, when the tracer closes or is let go of.
  func finish()

  /// How many of the records received could not be written.
  var lostRecordCount: Int { get }
}

extension TraceSink {
  /// Does nothing.
  public func finish() {}

  /// None.
  public var lostRecordCount: Int { 0 }
}
