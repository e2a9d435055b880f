package import BlockHooks
package import CallTracing
package import SymbolInterposing

extension ImportedFunction {
  /// Records every call of the function in a tracer's stream, and who made it.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is retained until the process ends.
  ///   - callerCount: How many callers are recorded of each call, at most 32.
  ///   - kind: What its calls are.
  /// - Returns: The hook.
  /// - Throws: As `install(.tracing(with:))`.
  @discardableResult
  package func trace(
    with tracer: Tracer, callerCount: Int, as kind: TraceRecord.Kind = .call
  ) throws(InterposingError) -> Hook {
    let hook = try install(
      .tracing(with: tracer, kind, callers: .ofInterposed(count: callerCount)))
    _ = UnloadingWatch.shared.add {
      tracer.forgetUnloadedCode()
      CallerSearch.forgetCallers()
    }
    return hook
  }
}
