private import BlockRuntimeThreads
private import CObjectLifetimes.ObjectDestruction
internal import Synchronization

// SAFETY: `@unchecked Sendable`: the lock of the record's shard guards all of it until the object
// is destroyed. Then the record leaves the table, and no other thread finds it, or touches its
// contents if it still has a hook of it: the destroying thread uses them without the lock.
/// The hooks and values of one object.
final class ObjectRecord: @unchecked Sendable {
  /// The object's address; once the record is out of the table, another object may have it.
  let address: UInt

  private let shard: RecordTable.Shard

  /// Whether the record is in the table, which it leaves when it is empty or its object is
  /// destroyed.
  private(set) var isInTable = true

  private var hooks: [DeinitHook?] = []
  private var hookCount = 0
  private var hasHookBefore = false
  private var values: [AssociatedValue] = []

  /// Which remnants of a destroyed object end next, and the index of the first of them; used by the
  /// destroying thread only.
  private var ending = (stage: Stage.closures, index: 0)

  init(_ address: UInt, _ shard: RecordTable.Shard) {
    self.address = address
    self.shard = shard
  }

  /// Whether the record has neither hooks nor values.
  var isEmpty: Bool { hookCount == 0 && values.isEmpty }

  /// Notes that the record has been taken out of the table; called under the lock.
  func leaveTable() {
    isInTable = false
    ObjectDestruction.unmark(address)
  }

  /// Calls a closure under the lock.
  func withLock<Result: Sendable>(_ body: (ObjectRecord) -> Result) -> Result {
    shard.records.withLock { _ in body(self) }
  }
}

// MARK: - Hooks

extension ObjectRecord {
  /// Adds a hook at the end; called under the lock.
  func add(_ hook: DeinitHook) {
    hook.index = hooks.count
    hooks.append(hook)
    hookCount += 1
    if hook.position == .before { hasHookBefore = true }
  }

  /// Removes a hook from the record; does nothing if the record has left the table.
  func forget(_ hook: DeinitHook) {
    shard.records.withLock { records in
      guard isInTable, hook.index < hooks.count, hooks[hook.index] === hook else { return }
      hooks[hook.index] = nil
      hookCount -= 1
      // Up to half of the entries may be nil, so that this takes constant time, amortised.
      if hooks.count > 16, hookCount < hooks.count / 2 {
        hooks = hooks.filter { $0 != nil }
        for (index, hook) in hooks.enumerated() { hook?.index = index }
      }
      if isEmpty { records.remove(address)?.leaveTable() }
    }
  }

  /// Runs the hooks before the object's deinit, in the order of installation.
  func runHooksBefore(_ object: borrowing DyingObject) {
    // The record has left the table: no hook is added or removed any more.
    guard hasHookBefore else { return }
    for hook in hooks where hook?.position == .before { hook?.run(object) }
  }
}

// MARK: - The end

extension ObjectRecord {
  /// Releases the values and runs the hooks after the deinit, when the object's deinit has
  /// returned.
  ///
  /// If this destroys other objects with records, theirs are ended here too, right after the value
  /// or hook whose release destroyed them: from a list and not by recursion, because a chain of
  /// such objects may be longer than the stack.
  ///
  /// The remnants end in this order: closures of hooks before the deinit, which have run, values in
  /// the order in which they were set, hooks after the deinit.
  func end() {
    // SAFETY: the list is a variable of an outer call of `end()` on this thread, which resets the
    // address before it returns. That call is running a value's or a hook's code now, and does not
    // access the list meanwhile.
    if let ended = unsafe Self.endedWithin { return unsafe ended.pointee.append(self) }
    var ended: [ObjectRecord] = []
    unsafe withUnsafeMutablePointer(to: &ended) { ended in
      unsafe Self.endedWithin = unsafe ended
      defer { unsafe Self.endedWithin = nil }
      var waiting: [ObjectRecord] = []
      var record: ObjectRecord? = self
      while let current = record {
        let isOver = current.endNext()
        if unsafe ended.pointee.isEmpty {
          if isOver { record = waiting.popLast() }
          continue
        }
        if !isOver { waiting.append(current) }
        unsafe waiting.append(contentsOf: ended.pointee.reversed())
        unsafe ended.pointee.removeAll(keepingCapacity: true)
        record = waiting.popLast()
      }
    }
  }

  /// This thread's list of records whose objects were destroyed while a remnant of another object
  /// ended; nil while none is ending.
  private static var endedWithin: UnsafeMutablePointer<[ObjectRecord]>? {
    // SAFETY: the address is that of a variable of the call of `end()` that set it on this thread.
    get { unsafe cbr_ended_within()?.assumingMemoryBound(to: [ObjectRecord].self) }
    set { unsafe cbr_set_ended_within(newValue) }
  }

  /// The kinds of what belonged to a destroyed object, in the order in which they end.
  private enum Stage { case closures, values, hooks }

  /// Ends the next remnant, while no lock is held, because that may run any code.
  ///
  /// - Returns: Whether none is left: the record of a long chain's object is not kept until the
  ///   chain's end.
  private func endNext() -> Bool {
    while !isOver {
      let index = ending.index
      ending.index += 1
      switch ending.stage {
      case .closures where index < hooks.count:
        // A hook that another thread is removing is freed by that thread.
        guard let hook = hooks[index], hook.position == .before, hook.state == .finished
        else { continue }
        hook.free()
        return isOver
      case .values where index < values.count:
        let box = values[index].box.take()
        withExtendedLifetime(box) {}
        return isOver
      case .hooks where index < hooks.count:
        guard let hook = hooks[index], hook.position == .after else { continue }
        hook.run()
        if ending.index == hooks.count { dropAll() }
        return isOver
      case .closures: ending = (.values, 0)
      case .values: ending = (.hooks, 0)
      case .hooks: dropAll()
      }
    }
    return true
  }

  /// Releases what has ended: the hooks refer to this record.
  private func dropAll() { (hooks, values) = ([], []) }

  /// Whether nothing is left to end.
  private var isOver: Bool {
    switch ending.stage {
    case .closures: hooks.isEmpty && values.isEmpty
    case .values: hooks.isEmpty && ending.index >= values.count
    case .hooks: hooks.isEmpty
    }
  }
}

// MARK: - Values

/// A value and its key, as stored in an object's record; `space` is 0 for a key without a space.
struct AssociatedValue: Sendable {
  let key: UInt64
  let space: UInt64

  /// The value; nil once it has been released, after the end of its owner.
  var box: AnyAssociationBox?
}

extension ObjectRecord {
  /// The value under a key; called under the lock.
  func box(of key: UInt64) -> AnyAssociationBox? {
    for index in values.indices where values[index].key == key { return values[index].box }
    return nil
  }

  /// Sets a value, and returns the one that it replaces, which the caller releases after unlocking.
  func exchange(_ value: AssociatedValue) -> AnyAssociationBox? {
    guard let index = values.firstIndex(where: { $0.key == value.key }) else {
      values.append(value)
      return nil
    }
    let old = values[index].box
    values[index].box = value.box
    return old
  }

  /// Removes the value under a key; the caller releases it after unlocking.
  func takeBox(of key: UInt64) -> AnyAssociationBox? {
    guard let index = values.firstIndex(where: { $0.key == key }) else { return nil }
    return values.remove(at: index).box
  }

  /// Removes all values of a space; the caller releases them after unlocking.
  func takeBoxes(ofSpace space: UInt64) -> [AnyAssociationBox] {
    let taken = values.filter { $0.space == space }
    if !taken.isEmpty { values.removeAll { $0.space == space } }
    return taken.compactMap(\.box)
  }
}
