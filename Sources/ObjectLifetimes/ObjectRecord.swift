private import BlockRuntimeThreads
private import CObjectLifetimes.ObjectDestruction
internal import Synchronization

/// What belongs to one object: its hooks and its values.
///
/// All of it is guarded by the lock of the record's shard, until the object's end: then the thread
/// that runs the deinit takes the hooks out, and later the values.
final class ObjectRecord: @unchecked Sendable {
  /// Where the object lies; another one may, once the record is out of the table.
  let address: UInt

  private let shard: RecordTable.Shard

  /// Whether the object is alive, and the record found by its address.
  private(set) var isInTable = true

  private var hooks: [DeinitHook?] = []
  private var hookCount = 0
  private var values: [AssociatedValue] = []

  /// What is left of a dead object, the next last; its thread's alone.
  private var remnants: [Remnant] = []

  init(_ address: UInt, _ shard: RecordTable.Shard) {
    self.address = address
    self.shard = shard
  }

  /// Whether there is neither a hook nor a value.
  var isEmpty: Bool { hookCount == 0 && values.isEmpty }

  /// Notes that the record is out of the table; under the lock.
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
  /// Adds a hook as the last; under the lock.
  func add(_ hook: DeinitHook) {
    hook.index = hooks.count
    hooks.append(hook)
    hookCount += 1
  }

  /// Forgets a hook that was removed.
  func forget(_ hook: DeinitHook) {
    shard.records.withLock { records in
      guard isInTable, hook.index < hooks.count, hooks[hook.index] === hook else { return }
      hooks[hook.index] = nil
      hookCount -= 1
      // Half of the places may be empty: so forgetting takes constant time, on average.
      if hooks.count > 16, hookCount < hooks.count / 2 {
        hooks = hooks.filter { $0 != nil }
        for (index, hook) in hooks.enumerated() { hook?.index = index }
      }
      RecordTable.drop(self, from: &records)
    }
  }

  /// Runs the hooks before the object's deinit, in the order of installation.
  func runHooksBefore(_ object: borrowing DyingObject) {
    // The record has left the table: nothing is added or forgotten any more.
    for hook in hooks where hook?.position == .before { hook?.run(object) }
  }
}

// MARK: - The end

extension ObjectRecord {
  /// Ends what belonged to the object, when its deinit is over.
  ///
  /// Where that is the end of other objects with records, what belonged to these is ended here too:
  /// right after the value or hook of which they were part, and by a list, as a chain of them may be
  /// longer than the stack.
  func end() {
    listRemnants()
    if let ended = unsafe Self.endedWithin { return unsafe ended.pointee.append(self) }
    var ended: [ObjectRecord] = []
    unsafe withUnsafeMutablePointer(to: &ended) { ended in
      unsafe Self.endedWithin = unsafe ended
      defer { unsafe Self.endedWithin = nil }
      var waiting: [ObjectRecord] = []
      var record: ObjectRecord? = self
      while let next = record {
        let isOver = next.endNext()
        if !isOver { waiting.append(next) }
        unsafe waiting.append(contentsOf: ended.pointee.reversed())
        unsafe ended.pointee.removeAll(keepingCapacity: true)
        record = waiting.popLast()
      }
    }
  }

  /// Where this thread notes the records of objects that end while a value or hook of another does; nil
  /// while none does.
  private static var endedWithin: UnsafeMutablePointer<[ObjectRecord]>? {
    // SAFETY: the address is that of a variable of the call of `end()` that set it on this thread.
    get { unsafe cbr_ended_within()?.assumingMemoryBound(to: [ObjectRecord].self) }
    set { unsafe cbr_set_ended_within(newValue) }
  }

  /// Something that belonged to an object that is gone.
  private enum Remnant {
    /// The closure of a hook before the deinit, which has run.
    case closure(DeinitHook)
    case value(AnyAssociationBox)
    /// A hook after the deinit.
    case hook(DeinitHook)
  }

  /// Lists what is to end, the last first: closures that have run, values in the order of setting, hooks.
  private func listRemnants() {
    // The record has left the table, and nobody finds it as a dying object's: nothing is added or
    // forgotten any more.
    let (hooks, values) = withLock { record in
      defer { (record.hooks, record.values) = ([], []) }
      return (record.hooks, record.values)
    }
    remnants += hooks.reversed().compactMap { $0?.position == .after ? $0.map(Remnant.hook) : nil }
    remnants += values.reversed().map { .value($0.box) }
    remnants += hooks.reversed().compactMap {
      // One that another thread is removing is that thread's to free.
      $0?.position == .before && $0?.state == .finished ? $0.map(Remnant.closure) : nil
    }
  }

  /// Ends the next remnant, under no lock, since that may do anything.
  ///
  /// - Returns: Whether it was the last.
  private func endNext() -> Bool {
    switch remnants.popLast() {
    case .closure(let hook): hook.free()
    case .value(let box): withExtendedLifetime(box) {}
    case .hook(let hook): hook.run()
    case nil: break
    }
    return remnants.isEmpty
  }
}

// MARK: - Values

/// A value under a key, as an object's record holds it.
struct AssociatedValue: Sendable {
  let key: UInt64
  let space: UInt64
  var box: AnyAssociationBox
}

extension ObjectRecord {
  /// The value under a key; under the lock.
  func box(of key: UInt64) -> AnyAssociationBox? {
    values.first { $0.key == key }?.box
  }

  /// Puts a value in the place of another, which the caller releases outside of the lock.
  func exchange(_ value: AssociatedValue) -> AnyAssociationBox? {
    guard let index = values.firstIndex(where: { $0.key == value.key }) else {
      values.append(value)
      return nil
    }
    let old = values[index].box
    values[index].box = value.box
    return old
  }

  /// Takes out the value under a key; the caller releases it outside of the lock.
  func takeBox(of key: UInt64) -> AnyAssociationBox? {
    guard let index = values.firstIndex(where: { $0.key == key }) else { return nil }
    return values.remove(at: index).box
  }

  /// Takes out all values of a space; the caller releases them outside of the lock.
  func takeBoxes(ofSpace space: UInt64) -> [AnyAssociationBox] {
    let taken = values.filter { $0.space == space }
    if !taken.isEmpty { values.removeAll { $0.space == space } }
    return taken.map(\.box)
  }
}
