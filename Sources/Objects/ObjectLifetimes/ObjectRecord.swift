// SAFETY: `@unchecked Sendable`: the lock of the table's part guards the contents until the object
// is destroyed. Then the record leaves the table, and no other thread finds it: the destroying
// thread uses it without the lock. No access to the contents runs foreign code.
/// The hooks and values of one object.
final class ObjectRecord: @unchecked Sendable {
  @exclusivity(unchecked) var contents = RecordContents()

  /// See `RecordReference.next`.
  @exclusivity(unchecked) var nextEnding: RecordReference?

  /// Runs the hooks before the object's deinit, in the order of installation.
  func runHooksBefore(_ object: borrowing DyingObject) {
    // The record has left the table: no hook is added or removed any more.
    var index = 0
    while let hook = unsafe contents.nextHookBefore(from: &index) {
      hook.run(object)
    }
  }

  /// Ends the next remnant, while no lock is held, because that may run any code.
  ///
  /// - Returns: Whether none is left.
  func endNext() -> Bool {
    switch unsafe contents.takeNext() {
    case .closure(let hook): hook.free()
    case .value(let value): withExtendedLifetime(value) {}
    case .hook(let hook): hook.run()
    case nil: break
    }
    return unsafe contents.isOver
  }
}
