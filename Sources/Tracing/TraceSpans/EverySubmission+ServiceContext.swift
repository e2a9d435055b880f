#if Spans || Everything
public import SymbolInterposing
internal import Tracing

extension EverySubmission {
  /// Lets the service context travel with blocks from where they are sent to queues to where they
  /// run.
  ///
  /// A block that is sent to a queue of libdispatch runs with the `ServiceContext.current` of where
  /// it was sent, so that a span which is started in `DispatchQueue.async` is a child of the span
  /// that was current there. Blocks that are sent where there is none are left as they are. A block
  /// retains the context until it has run, or until libdispatch drops it.
  ///
  /// Other task-local values do not travel; `surround(_:)` can carry them likewise.
  ///
  /// - Returns: The token that ends it: blocks that are sent later take nothing along.
  /// - Throws: As `surround(_:)`.
  public static func carryServiceContext() throws(InterposingError) -> EverySubmission {
    try surround { _ in
      guard let context = ServiceContext.current else { return nil }
      return { block in ServiceContext.withValue(context) { block() } }
    }
  }
}
#endif
