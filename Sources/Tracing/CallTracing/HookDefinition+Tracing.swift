public import BlockHooks
internal import Invocations
private import TypeEncodings

extension HookDefinition {
  /// A hook that records every call.
  ///
  /// It proceeds and changes nothing. With the highest priority it measures the call with all hooks
  /// installed so far; with a lower one, the inner hooks only.
  ///
  /// A block that the tracer's patterns exclude is not hooked for calls, and costs nothing; for
  /// other targets, the installation throws `excludedSymbol`. `EveryBlock` records the calls of
  /// blocks without a usable signature without arguments and results.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is retained until the hook is removed or the target dies.
  ///   - name: A name for descriptions.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; the highest if
  ///     not given.
  ///   - conditions: Which calls are recorded; all if not given.
  /// - Returns: The hook, for any target.
  public static func tracing(
    with tracer: Tracer, name: String? = "trace", priority: Int = .max,
    when conditions: HookConditions = .always
  ) -> HookDefinition {
    tracing(with: tracer, .call, callers: nil, name: name, priority: priority, when: conditions)
  }

  /// A hook that records every call, and who made it.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls.
  ///   - kind: What the calls are.
  ///   - callers: How the callers of the calls are found, for a stream; nil to record none.
  ///   - name: A name for descriptions.
  ///   - priority: A hook of a higher priority is outside of those of lower ones.
  ///   - conditions: Which calls are recorded.
  /// - Returns: The hook.
  package static func tracing(
    with tracer: Tracer, _ kind: TraceRecord.Kind, callers: CallerSearch?, name: String? = "trace",
    priority: Int = .max, when conditions: HookConditions = .always
  ) -> HookDefinition {
    // The handler is made at the installation.
    var definition = HookDefinition(name: name, priority: priority, when: conditions) { _ in }
    definition.prepare = { definition, point throws(HookError) in
      if let code = tracer.code(at: point, kind, callers) {
        definition.handler = { call in
          try tracer.record(&call, as: code) { call in try call.proceed() }
        }
        if point.interface.isVariadic {
          definition.handler = { call in
            call.nameByFormat()
            try tracer.recordVariadic(&call, as: code)
          }
        }
      } else if point.block != nil {
        (definition.positions, definition.conditions) = (.death, .always)
      } else {
        let title = point.title ?? "the code"
        throw HookError(
          .excludedSymbol,
          "the tracer's patterns leave \(title) out; change `include` or `exclude`",
          subject: title)
      }
    }
    definition.makeObserver = { code in
      // SAFETY: the address is only looked up.
      unsafe OpaqueCallTrace(tracer, codeAt: UnsafeRawPointer(bitPattern: code))
    }
    return definition
  }
}

extension Tracer {
  /// Forgets the names of code that was unloaded, because other code may come to its address.
  package func forgetUnloadedCode() { codes.forgetWhatWasUnloaded() }

  /// The code of a target; nil if the tracer's patterns exclude it.
  fileprivate func code(
    at point: borrowing InstallationPoint, _ kind: TraceRecord.Kind, _ callers: CallerSearch?
  ) -> TracedCode? {
    codes.forgetWhatWasUnloaded()
    // SAFETY: the address is only looked up.
    let address = unsafe UnsafeRawPointer(bitPattern: point.code)
    let ofBlock = point.block.flatMap { codes.code(of: $0, options) }
    let code =
      unsafe ofBlock
      ?? codes.code(
        at: address, point.interface, hidden: point.interface.signature.form == .block ? 1 : 0,
        options, kind: kind, title: point.title, callers: callers)
    guard code.isIncluded else { return nil }
    // So that a block has a name in the stream that is sent to a queue and never runs.
    _ = stream?.number(of: code, on: .current)
    if let callers {
      unsafe queues?.callers.prepare(address)
      // Likewise: outside of a hooked call there are none.
      _ = queues?.callers.find(callers, mayAllocate: false)
    }
    return code
  }
}

extension ErrorCode {
  /// A function or method that the patterns of a tracer exclude.
  public static let excludedSymbol = ErrorCode(rawValue: "excludedSymbol")
}
