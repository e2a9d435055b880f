/// A value that is not `Sendable`, mostly a closure, and is used only where it belongs.
@safe
package final class IsolatedValue<Value>: @unchecked Sendable {
  private final class Box {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  /// Where it belongs.
  private let isolation: Isolation

  // SAFETY: `@unchecked Sendable`: immutable, and read only by code to which the value belongs. The box
  // is retained by this object, which gives its reference away when it is destroyed.
  private let box: Unmanaged<Box>

  package init(_ value: Value, _ isolation: Isolation) {
    self.isolation = isolation
    unsafe box = .passRetained(Box(value))
  }

  // SAFETY: this object's reference becomes that of the released value.
  deinit { unsafe isolation.free(ReleasedValue(box.toOpaque())) }

  /// Returns the value, to be used at once.
  ///
  /// - Throws: `wrongExecutor` if the calling code does not run where the value belongs.
  package func entered() throws(IsolationError) -> Value {
    try isolation.require()
    // SAFETY: this object retains the box.
    return unsafe box._withUnsafeGuaranteedRef { $0.value }
  }

  /// Uses the value, if it belongs to the calling code; reports an error to standard error otherwise.
  ///
  /// - Returns: What `use` returns; nil if it was not called.
  @discardableResult
  package func report<Outcome>(_ use: (Value) -> Outcome) -> Outcome? {
    do throws(IsolationError) { return use(try entered()) } catch {
      reportHandlerError(error)
      return nil
    }
  }
}
