private import BlockRuntimeThreads
private import CObjectLifetimes.ObjectDestruction

/// The hooks and values of one object.
final class ObjectRecord: Sendable {
  /// The object's address; once the record is out of the table, another object may have it.
  let address: UInt

  // SAFETY: the lock of the table's part guards the contents until the object is destroyed. Then
  // the record leaves the table, and no other thread finds it, or touches its contents if it still
  // has a hook of it: the destroying thread uses them without the lock. No access runs code of
  // others.
  private let contents = Guarded(RecordContents())

  // SAFETY: accessed only under the lock of the table's part. It is not one of the contents, which a
  // thread that removes a hook may touch only while this is true.
  private let isInTable = Guarded(true)

  init(_ address: UInt) { self.address = address }

  /// Whether the record has neither hooks nor values; called under the lock.
  var isEmpty: Bool { unsafe contents.access { $0.isEmpty } }

  /// Notes that the record has been taken out of the table; called under the lock.
  func leaveTable() {
    unsafe isInTable.access { $0 = false }
    ObjectDestruction.unmark(address)
  }

  /// Calls a closure under the lock.
  func withLock<Result: Sendable>(_ body: (ObjectRecord) -> Result) -> Result {
    RecordTable.withRecords(ofShardWith: address) { _ in body(self) }
  }
}

// MARK: - Hooks

extension ObjectRecord {
  /// Adds a hook at the end; called under the lock.
  func add(_ hook: DeinitHook) { unsafe contents.access { $0.add(hook) } }

  /// Removes a hook from the record; does nothing if the record has left the table.
  func forget(_ hook: DeinitHook) {
    RecordTable.withRecords(ofShardWith: address) { records in
      guard unsafe isInTable.access({ $0 }) else { return }
      let isLeftEmpty = unsafe contents.access { contents in
        contents.remove(hook) && contents.isEmpty
      }
      if isLeftEmpty { records.remove(address)?.leaveTable() }
    }
  }

  /// Runs the hooks before the object's deinit, in the order of installation.
  func runHooksBefore(_ object: borrowing DyingObject) {
    // The record has left the table: no hook is added or removed any more.
    var index = 0
    while let hook = unsafe contents.access({ $0.nextHookBefore(from: &index) }) {
      hook.run(object)
    }
  }
}

// MARK: - Values

extension ObjectRecord {
  /// The value under a key; called under the lock.
  func box(of key: UInt64) -> AnyAssociationBox? { unsafe contents.access { $0.box(of: key) } }

  /// Sets a value, and leaves the one that it replaces, which the caller releases after unlocking.
  func exchange(_ box: inout AnyAssociationBox?, of key: UInt64, in space: UInt64) {
    unsafe contents.access { $0.exchange(&box, of: key, in: space) }
  }

  /// Removes the value under a key; the caller releases it after unlocking.
  func takeBox(of key: UInt64) -> AnyAssociationBox? {
    unsafe contents.access { $0.takeBox(of: key) }
  }

  /// Removes all values of a space; the caller releases them after unlocking.
  func takeBoxes(ofSpace space: UInt64) -> [AnyAssociationBox] {
    unsafe contents.access { $0.takeBoxes(ofSpace: space) }
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

  /// Ends the next remnant, while no lock is held, because that may run any code.
  ///
  /// - Returns: Whether none is left: the record of a long chain's object is not kept until the
  ///   chain's end.
  private func endNext() -> Bool {
    switch unsafe contents.access({ $0.takeNext() }) {
    case .closure(let hook): hook.free()
    case .value(let box): withExtendedLifetime(box) {}
    case .hook(let hook): hook.run()
    case nil: break
    }
    return unsafe contents.access { $0.isOver }
  }
}
