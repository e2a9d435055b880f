public import BlockABI
public import BlockHooks
internal import Invocations

extension Block {
  /// Records every call of the block.
  ///
  /// The hook proceeds and changes nothing. With the highest priority it measures the call with all
  /// hooks installed so far; a lower one measures what lies below.
  ///
  /// What the tracer's patterns exclude is not hooked for calls: it costs nothing.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; it is kept until the hook is removed or the block dies.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; the highest if not given.
  /// - Returns: The token that ends it. Dropping it does not.
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
