public import BlockABI
public import BlockHooks
package import Invocations

extension Block {
  /// Records every call of the block.
  ///
  /// The hook proceeds and changes nothing. With the highest priority it measures the call with all
  /// hooks installed so far; with a lower one, the inner hooks only.
  ///
  /// A block that the tracer's patterns exclude is not hooked for calls, and costs nothing.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is retained until the hook is removed or the block dies.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer; the highest if not given.
  /// - Returns: The token that ends the trace. Dropping it does not.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func trace(
    with tracer: Tracer, name: String? = "trace", priority: Int = .max
  ) throws(TraceError) -> Hook {
    let target = dispatchedBlock ?? self
    do { _ = try target.callInterface } catch { throw TraceError(passing: error) }
    do throws(HookError) {
      guard let code = tracer.code(of: target), code.isIncluded else {
        return try hook(.death, name: name, priority: priority) { _ in }
      }
      return try hook(.instead, name: name, priority: priority) { call in
        try tracer.record(&call, as: code) { call in try call.proceed() }
      }
    } catch {
      throw TraceError(passing: error)
    }
  }
}

extension Tracer {
  /// Forgets the names of code that was unloaded, because other code may come to its address.
  package func forgetUnloadedCode() { codes.forgetWhatWasUnloaded() }

  /// The hook that records calls of some code; nil if the tracer's patterns exclude it.
  ///
  /// - Parameters:
  ///   - address: The address of the code.
  ///   - interface: Its call interface.
  ///   - hiddenArgumentCount: The number of arguments that callers do not write: 1 for blocks,
  ///     otherwise 0.
  ///   - kind: What calls of the code are.
  ///   - title: The title in records; the name of the function if not given.
  ///   - callers: How the callers of the calls are found, for a stream; nil to record none.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer.
  /// - Returns: The hook.
  package func definition(
    forCodeAt address: UnsafeRawPointer?, _ interface: CallInterface, hiddenArgumentCount: Int,
    kind: TraceRecord.Kind = .call, title: String? = nil, callers: CallerSearch? = nil,
    name: String?, priority: Int
  ) -> HookDefinition? {
    codes.forgetWhatWasUnloaded()
    // SAFETY: the address is only looked up.
    let code = unsafe codes.code(
      at: address, interface, hidden: hiddenArgumentCount, options, kind: kind, title: title,
      callers: callers)
    guard code.isIncluded else { return nil }
    // So that a block has a name in the stream that is sent to a queue and never runs.
    _ = stream?.number(of: code, on: .current)
    if let callers {
      unsafe queues?.callers.prepare(address)
      // Likewise: outside of a hooked call there are none.
      _ = queues?.callers.find(callers, mayAllocate: false)
    }
    return HookDefinition(.instead, name: name, priority: priority) { call in
      try self.record(&call, as: code) { call in try call.proceed() }
    }
  }
}
