internal import BlockRuntimeThreads
internal import ObjectLifetimes
public import Synchronization

/// The observers of one property of one object, in the order of their registration.
///
/// A notification reads a table whose observers stay what they are. An observer that is added goes to
/// its end; one that is removed stays in it, and is not called, until they are as many as the
/// others: so both take the same time however many there are. The lock is held while no user's code
/// runs.
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
  /// Paths lead through the property.
  @usableFromInline static var hasLinks: UInt8 { 8 }
  /// Some observer wants the new value.
  @usableFromInline static var wantsNew: UInt8 { 16 }

  /// How often the property is being changed in place.
  private let accesses = Atomic<Int>(0)

  /// How often any property is.
  private static let allAccesses = Atomic<Int>(0)

  @usableFromInline let table = Atomic<UInt>(0)

  /// How many notifications may be reading tables.
  @usableFromInline let notifications = Atomic<Int>(0)
  @usableFromInline let hasRetired = Atomic<Bool>(false)

  private let property: PropertyName
  private let hash: Int
  private weak let lists: ObserverLists?

  private let state = Locked(State())

  private struct State {
    /// How many observers the table has, those among them that are removed, and how many it can have.
    var count = 0
    var capacity = 0
    /// How many observers are not removed, and how many of these ask for what.
    var present = 0
    var askingForOld = 0
    var askingForNew = 0
    var askingForPrior = 0
    var links = 0
    var retired: [ObserverTable] = []
    var open: OpenChange?
    var isClosed = false
    /// Watches the object to which a weak property refers.
    var deathHook: DeinitHook?

    mutating func account(for demands: ObservingOptions, _ step: Int) {
      present += step
      if demands.contains(.old) { askingForOld += step }
      if demands.contains(.new) { askingForNew += step }
      if demands.contains(.prior) { askingForPrior += step }
      if demands.contains(.link) { links += step }
    }
  }

  /// Makes a list without observers.
  ///
  /// - Parameters:
  ///   - property: Whose observers it will have.
  ///   - hash: The hash of the property's name.
  ///   - lists: Where it is found.
  init(of property: PropertyName, _ hash: Int, in lists: ObserverLists) {
    self.property = property
    self.hash = hash
    self.lists = lists
  }

  deinit {
    lists?.forget(ObjectIdentifier(self), hash)
    close()
    // SAFETY: nobody notifies through a list that has no owner.
    unsafe ObserverTable(address: table.load(ordering: .acquiring)).free()
    for table in state.withLock({ $0.retired }) { unsafe table.free() }
  }

  /// Whether the list is of a property.
  func isOf(_ name: PropertyName) -> Bool { property.isSame(as: name) }

  // MARK: Changes in place

  /// A change in place begins, within which the property cannot be read.
  @usableFromInline
  func beginAccess() {
    accesses.add(1, ordering: .relaxed)
    Self.allAccesses.add(1, ordering: .relaxed)
  }

  /// A change in place has ended.
  @usableFromInline
  func endAccess() {
    accesses.subtract(1, ordering: .relaxed)
    Self.allAccesses.subtract(1, ordering: .relaxed)
  }

  /// Whether the property is being changed in place.
  var isAccessed: Bool { accesses.load(ordering: .relaxed) > 0 }

  /// Whether any property is.
  static var isAnyAccessed: Bool { allAccesses.load(ordering: .relaxed) > 0 }

  // MARK: Observers

  /// Adds an observer at the end, which keeps the list.
  ///
  /// - Returns: False if the property's object is dying.
  func add(_ observer: KeyValueObservation) -> Bool {
    let isAdded = state.withLock { state in
      guard !state.isClosed else { return false }
      if state.count == state.capacity { replaceTable(&state, room: 1) }
      let table = ObserverTable(address: table.load(ordering: .relaxed))
      // SAFETY: there is room, and the lock is held.
      unsafe table.append(observer, at: state.count)
      state.count += 1
      state.account(for: observer.demands, 1)
      updateDemands(state)
      return true
    }
    guard isAdded else { return false }
    observer.attach { self.remove($0) }
    if hasRetired.load(ordering: .relaxed) { reclaim() }
    return true
  }

  private func remove(_ observer: KeyValueObservation) {
    state.withLock { state in
      state.account(for: observer.demands, -1)
      guard !state.isClosed else { return }
      if state.count > 2 * state.present || state.count <= 8 { replaceTable(&state) }
      updateDemands(state)
    }
    if hasRetired.load(ordering: .relaxed) { reclaim() }
  }

  /// Removes all observers, for good: the object is dying.
  func close() {
    let (observers, deathHook, open) = state.withLock { state in
      let observers = self.observers
      state.isClosed = true
      defer { (state.deathHook, state.open) = (nil, nil) }
      replaceTable(&state)
      return (observers, state.deathHook, state.open)
    }
    for observer in observers { observer.remove() }
    deathHook?.remove()
    reclaim()
    withExtendedLifetime(open) {}
  }

  /// The observers that are not removed; the lock is held.
  private var observers: [KeyValueObservation] {
    let table = ObserverTable(address: table.load(ordering: .relaxed))
    // SAFETY: the lock keeps the table.
    return (0..<table.count).map { unsafe table[$0].takeUnretainedValue() }
      .filter { !$0.isRemoved }
  }

  /// Puts a table without removed observers in the table's place, with room for as many again.
  private func replaceTable(_ state: inout State, room: Int = 0) {
    let observers = state.isClosed ? [] : self.observers
    state.count = observers.count
    state.capacity = 2 * observers.count + room
    let new =
      state.capacity == 0
      ? ObserverTable(address: 0) : ObserverTable(observers, capacity: state.capacity)
    let old = table.exchange(new.address, ordering: .sequentiallyConsistent)
    guard old != 0 else { return }
    state.retired.append(ObserverTable(address: old))
    hasRetired.store(true, ordering: .sequentiallyConsistent)
  }

  private func updateDemands(_ state: State) {
    var all: UInt8 = state.open == nil ? 0 : Self.isOpen
    if state.askingForOld > 0 { all |= Self.wantsOld }
    if state.askingForPrior > 0 { all |= Self.wantsPrior }
    if state.links > 0 { all |= Self.hasLinks }
    if state.askingForNew > 0 { all |= Self.wantsNew }
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
  func open(_ outline: ChangeOutline) -> Bool {
    state.withLock { state in
      guard state.open == nil else {
        state.open?.depth += 1
        return false
      }
      state.open = OpenChange(outline: outline, list: state.isClosed ? nil : self)
      updateDemands(state)
      return true
    }
  }

  /// Keeps what a change by hand began with.
  func keep(_ start: ChangeStart, old: Any?) {
    state.withLock { state in
      state.open?.start = start
      state.open?.old = old
    }
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
  let outline: ChangeOutline
  /// Kept to be told of the end.
  let list: ObserverList?
  var depth = 1
  var start = ChangeStart()
  var old: Any?
}
