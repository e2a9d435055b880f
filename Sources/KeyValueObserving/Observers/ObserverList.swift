internal import Locks
internal import ObjectLifetimes
public import Synchronization

/// The observers of one property of one object, in the order of their registration.
///
/// A notification reads a table that does not change; who adds or removes an observer makes a new
/// one. The lock is held while no user's code runs.
@usableFromInline
final class ObserverList: @unchecked Sendable {
  /// What a setter must do besides telling of the new value.
  @usableFromInline let demands = Atomic<UInt8>(0)

  /// Some observer wants the old value.
  @usableFromInline static var wantsOld: UInt8 { 1 }
  /// Some observer wants a call before the change.
  @usableFromInline static var wantsPrior: UInt8 { 2 }
  /// A change by hand is under way: setters are silent.
  @usableFromInline static var isOpen: UInt8 { 4 }

  @usableFromInline let table = Atomic<UInt>(0)

  /// How many notifications may be reading tables.
  @usableFromInline let notifications = Atomic<Int>(0)
  @usableFromInline let hasRetired = Atomic<Bool>(false)

  private let state = Locked(State())

  private struct State {
    var observers: [KeyValueObservation] = []
    var sequence: UInt64 = 0
    var retired: [ObserverTable] = []
    var open: OpenChange?
    var isClosed = false
    /// Watches the object to which a weak property refers.
    var deathHook: DeinitHook?
  }

  init() {}

  deinit {
    close()
    // SAFETY: nobody notifies through a list that has no owner.
    unsafe ObserverTable(address: table.load(ordering: .acquiring)).free()
    for table in state.withLock({ $0.retired }) { unsafe table.free() }
  }

  // MARK: Observers

  /// Adds an observer at the end.
  ///
  /// - Returns: False if the property's object is dying.
  func add(_ observer: KeyValueObservation) -> Bool {
    let isAdded = state.withLock { state in
      guard !state.isClosed else { return false }
      observer.sequence = state.sequence
      state.sequence += 1
      state.observers.append(observer)
      publish(&state)
      return true
    }
    guard isAdded else { return false }
    observer.attach { [weak self] in self?.remove($0) }
    reclaim()
    return true
  }

  private func remove(_ observer: KeyValueObservation) {
    state.withLock { state in
      guard let index = state.observers.firstIndex(where: { $0 === observer }) else { return }
      state.observers.remove(at: index)
      publish(&state)
    }
    reclaim()
  }

  /// Removes all observers, for good: the object is dying.
  func close() {
    let (observers, deathHook) = state.withLock { state in
      state.isClosed = true
      defer {
        (state.observers, state.deathHook) = ([], nil)
        publish(&state)
      }
      return (state.observers, state.deathHook)
    }
    for observer in observers { observer.remove() }
    deathHook?.remove()
    reclaim()
  }

  private func publish(_ state: inout State) {
    let new = ObserverTable(state.observers)
    let old = table.exchange(new.address, ordering: .sequentiallyConsistent)
    state.retired.append(ObserverTable(address: old))
    hasRetired.store(true, ordering: .sequentiallyConsistent)
    updateDemands(state)
  }

  private func updateDemands(_ state: State) {
    var all: UInt8 = state.open == nil ? 0 : Self.isOpen
    for observer in state.observers {
      if observer.demands.contains(.old) { all |= Self.wantsOld }
      if observer.demands.contains(.prior) { all |= Self.wantsPrior }
    }
    demands.store(all, ordering: .releasing)
  }

  /// Frees the tables that nobody reads any more.
  @usableFromInline
  func reclaim() {
    let free = state.withLock { state -> [ObserverTable] in
      guard notifications.load(ordering: .sequentiallyConsistent) == 0 else { return [] }
      defer { state.retired = [] }
      hasRetired.store(false, ordering: .sequentiallyConsistent)
      return state.retired
    }
    // SAFETY: notifications that began after the tables were replaced read newer ones.
    for table in free { unsafe table.free() }
  }

  /// Keeps a hook of the object to which a weak property refers; returns the one before.
  func exchangeDeathHook(_ hook: DeinitHook?) -> DeinitHook? {
    state.withLock { state in
      guard !state.isClosed else { return hook }
      defer { state.deathHook = hook }
      return state.deathHook
    }
  }

  // MARK: Changes by hand

  /// Begins a change by hand, or deepens it.
  ///
  /// - Returns: Whether it was the first.
  func open(_ kind: ChangeKind, _ indexes: RangeSet<Int>?) -> Bool {
    state.withLock { state in
      guard state.open == nil else {
        state.open?.depth += 1
        return false
      }
      state.open = OpenChange(kind: kind, indexes: indexes, sequence: state.sequence)
      updateDemands(state)
      return true
    }
  }

  /// Keeps what a change by hand began with.
  func keep(_ old: Any) {
    state.withLock { $0.open?.old = old }
  }

  /// Ends a change by hand, if it is the last that is open.
  func closeChange() -> OpenChange? {
    state.withLock { state in
      guard let open = state.open else { return nil }
      guard open.depth == 1 else {
        state.open?.depth -= 1
        return nil
      }
      state.open = nil
      updateDemands(state)
      return open
    }
  }

  /// What the observers ask for, together.
  var demandsOfAll: ObservingOptions {
    state.withLock { $0.observers.reduce(into: []) { $0.formUnion($1.demands) } }
  }

  /// How many observers were ever added: those with a lower number were there.
  @usableFromInline var sequence: UInt64 { state.withLock { $0.sequence } }

  // MARK: Reading the table

  @inlinable
  func beginNotification() -> ObserverTable {
    notifications.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return ObserverTable(address: table.load(ordering: .sequentiallyConsistent))
  }

  @inlinable
  func endNotification() {
    let left = notifications.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
    if left == 0, hasRetired.load(ordering: .relaxed) { reclaim() }
  }
}

/// A change by hand between its beginning and its end.
struct OpenChange {
  let kind: ChangeKind
  let indexes: RangeSet<Int>?
  /// Observers with this number or a higher one were added after the beginning.
  let sequence: UInt64
  var depth = 1
  var old: Any?
}
