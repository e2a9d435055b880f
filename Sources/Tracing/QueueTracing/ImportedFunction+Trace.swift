public import BlockHooks
public import CallTracing
public import SymbolInterposing

extension ImportedFunction {
  /// Records every call of the function.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is retained until the hook is removed.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer; the highest if not given.
  /// - Returns: The token that ends the trace. Dropping it does not.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`; `excludedSymbol` if the tracer's
  ///   patterns exclude the function.
  @discardableResult
  public func trace(
    with tracer: Tracer, name: String? = "trace", priority: Int = .max
  ) throws(InterposingError) -> Hook {
    try trace(with: tracer, callers: nil, name: name, priority: priority)
  }

  /// Records every call of the function in a tracer's stream, and who made it.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is retained until the process ends.
  ///   - callerCount: How many callers are recorded of each call, at most 32.
  /// - Throws: As `trace(with:name:priority:)`.
  package func trace(with tracer: Tracer, callerCount: Int) throws(InterposingError) {
    let callers = CallerSearch.ofInterposed(count: callerCount)
    try trace(with: tracer, callers: callers, name: "trace", priority: .max)
    _ = UnloadingWatch.shared.add {
      tracer.forgetUnloadedCode()
      CallerSearch.forgetCallers()
    }
  }

  @discardableResult
  private func trace(
    with tracer: Tracer, callers: CallerSearch?, name: String?, priority: Int
  ) throws(InterposingError) -> Hook {
    // SAFETY: the address is that of the function, and is only looked up.
    let code = unsafe UnsafeRawPointer(bitPattern: definition)
    guard
      let definition = unsafe tracer.definition(
        forCodeAt: code, interface, hiddenArgumentCount: 0, title: symbol,
        callers: callers, name: name, priority: priority)
    else {
      throw InterposingError(
        .excludedSymbol, "the tracer's patterns leave \(symbol) out; change `include` or `exclude`",
        subject: symbol)
    }
    return try install(definition)
  }
}

extension ErrorCode {
  /// A symbol that the patterns of a tracer exclude.
  public static let excludedSymbol = ErrorCode(rawValue: "excludedSymbol")
}
