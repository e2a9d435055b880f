internal import BlockRuntimeThreads

/// A value that is not `Sendable`, mostly a closure, and is used only where it belongs.
@safe
package final class IsolatedValue<Value>: @unchecked Sendable {
  private final class Box {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  /// Where the value belongs.
  private let isolation: Isolation

  // SAFETY: `@unchecked Sendable`: immutable, and read only by code to which the value belongs.
  // This object retains the box, and gives its reference away when it is destroyed; or a scope
  // does, which is over, and not current, before it releases the box.
  private let box: Unmanaged<Box>

  package init(_ value: Value, _ isolation: Isolation) {
    self.isolation = isolation
    unsafe box = .passRetained(Box(value))
    isolation.keep(released)
  }

  private var released: ReleasedValue { unsafe ReleasedValue(box) }

  // SAFETY: this object's reference becomes that of the released value.
  deinit { isolation.free(released) }

  /// The value, to be used at once, or by code of a place.
  ///
  /// - Parameter user: The place of code that goes on using the value; nil if none does.
  /// - Returns: The value.
  /// - Throws: `wrongExecutor` if the calling code does not run where the value belongs.
  package func entered(for user: Isolation? = nil) throws(IsolationError) -> Value {
    try isolation.require(for: user)
    // SAFETY: the box is retained while the isolation can be current.
    return unsafe box._withUnsafeGuaranteedRef { $0.value }
  }

  /// Uses the value that `entered(for:)` returns; reports its error, and returns nil, if it throws.
  @discardableResult
  package func report<Outcome>(
    for user: Isolation? = nil, _ use: (Value) -> Outcome
  ) -> Outcome? {
    do throws(IsolationError) { return use(try entered(for: user)) } catch {
      reportHandlerError(error)
      return nil
    }
  }
}

extension IsolatedValue: ReferenceTable {
  // SAFETY: the caller of a search keeps all objects as they are.
  package var contents: Any { unsafe box.takeUnretainedValue() }
}
