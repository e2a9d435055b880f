internal import BlockHooks
public import CallTracing
public import SymbolInterposing

extension EveryBlock {
  /// Records every call of every block from now on.
  ///
  /// Blocks without a usable signature are recorded without arguments and results; a filter by
  /// queues leaves them out.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; its own patterns apply as well.
  ///   - filter: The blocks to trace; all but libdispatch's own if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer; the highest if not given.
  /// - Returns: The token.
  /// - Throws: As `hook(_:matching:name:priority:when:recordsCreation:onError:_:)`.
  public static func trace(
    with tracer: Tracer, matching filter: BlockFilter = .all, name: String? = "trace",
    priority: Int = .max
  ) throws(InterposingError) -> EveryBlock {
    // SAFETY: the addresses are those of the sources' code, and are only looked up.
    try install(
      matching: filter, name: name, priority: priority,
      withoutSignature: { source in
        unsafe OpaqueCallTrace(tracer, codeAt: UnsafeRawPointer(bitPattern: source.address))
      }
    ) { source in
      guard let interface = source.interface else { return nil }
      return unsafe tracer.definition(
        forCodeAt: UnsafeRawPointer(bitPattern: source.address), interface,
        hiddenArgumentCount: 1, name: name, priority: priority)
    }
  }
}
