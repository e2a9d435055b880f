/// The hooks of all objects of a class, in the order of their installation: an immutable snapshot.
final class ClassHooks: Sendable {
  let hooks: [ClassDeinitHook]

  init(_ hooks: [ClassDeinitHook]) { self.hooks = hooks }

  /// Adds the hooks that run after the deinit to the record of a dying object, behind the object's
  /// own hooks.
  ///
  /// - Returns: The record, which may be another one than the given.
  func join(_ record: consuming RecordReference, _ destroyed: DestroyedObject) -> RecordReference {
    guard hooks.contains(where: { $0.position == .after }) else { return record }
    var place: RecordReference? = record
    RecordReference.withRecord(makingIn: &place) { record in
      for hook in hooks where hook.position == .after {
        record.add(
          DeinitHook(
            .after, .plain { hook.run(destroyed, nil) }, UInt(bitPattern: destroyed.id)))
      }
    }
    return place ?? record
  }

  /// Runs the hooks that run before the deinit.
  func runBefore(_ destroyed: DestroyedObject, _ object: consuming DyingObject) {
    let object: DyingObject? = object
    for hook in hooks where hook.position == .before { hook.run(destroyed, object) }
  }

  /// Runs the hooks that run after the deinit.
  func runAfter(_ destroyed: DestroyedObject) {
    for hook in hooks where hook.position == .after { hook.run(destroyed, nil) }
  }
}
