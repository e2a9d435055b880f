internal import BlockRuntimeThreads
internal import ObjectLifetimes
public import Synchronization

// SAFETY: `@unchecked Sendable`: the lock guards `state` and the replacement of `table`; the other
// variables are atomic; `property` and `hash` are immutable, and `lists` is set once. Notifications
// read the table without the lock: a replaced table is freed only when no notification is in
// progress.
/// The observers of one property of one object, in the order of their registration.
///
/// A notification reads a table whose entries do not change. A new observer is appended; a removed
/// one stays in the table, and is not called, until there are as many removed observers as others:
/// so both operations take constant time, amortised. No code of the user's runs under the lock.
@usableFromInline
final class ObserverList: @unchecked Sendable {
  /// What the observers need from a setter: a set of the bits of options below.
  @usableFromInline let demands = Atomic<UInt16>(0)

  // Inlined constants; reading the options themselves calls an accessor.
  /// A manual change is in progress: setters notify no observers.
  @inlinable static var isOpen: UInt16 { 1 }
  /// An observer asks for the old value.
  @inlinable static var wantsOld: UInt16 { 2 }
  /// An observer asks for the new value.
  @inlinable static var wantsNew: UInt16 { 4 }
  /// An observer asks for a call before the change.
  @inlinable static var wantsPrior: UInt16 { 8 }
  /// An observer asks for calls in the order of the changes.
  @inlinable static var wantsOrder: UInt16 { 32 }
  /// An observer passes changes on to elsewhere.
  @inlinable static var deliversElsewhere: UInt16 { 64 }
  /// An observer asks for the code that makes a change.
  @inlinable static var wantsOrigin: UInt16 { 256 }
  /// Paths lead through the property.
  @inlinable static var hasLinks: UInt16 { 128 }

  /// The number of in-place changes of the property that are in progress.
  private let inPlaceChanges = Atomic<Int>(0)

  /// The number of in-place changes of all properties that are in progress.
  private static let allInPlaceChanges = Atomic<Int>(0)

  @usableFromInline let table = Atomic<UInt>(0)

  /// The number of notifications that may be reading tables.
  @usableFromInline let notifications = Atomic<Int>(0)
  @usableFromInline let hasRetired = Atomic<Bool>(false)

  private let property: PropertyName
  private let hash: Int
  private weak let lists: ObserverLists?

  /// Another system's counterpart of the property, once that system has noted a read of it.
  let foreign = OnceReference<ForeignProperty>()

  private let state = Locked(State())

  private struct State {
    /// The number of observers in the table, including removed ones, and the table's capacity.
    var count = 0
    var capacity = 0
    /// The number of observers that are not removed, and of those that have each option, by its
    /// bit.
    var present = 0
    private var counts = InlineArray<9, Int>(repeating: 0)

    /// The options that an observer has, which are what it needs from a setter.
    var options: UInt16 = 0

    var retired: [ObserverTable] = []
    /// The list itself, if an observer was removed during a notification, until that ends: nothing
    /// else may retain the list then.
    var used: ObserverList?
    var open: OpenChange?
    var isClosed = false
    /// The hook of the object to which a weak property refers.
    var deathHook: DeinitHook?

    mutating func account(for demands: ObservingOptions, _ step: Int) {
      present += step
      var rest = demands.subtracting([.initial, .distinct]).rawValue
      while rest != 0 {
        let bit = rest.trailingZeroBitCount
        counts[bit] += step
        options = counts[bit] > 0 ? options | 1 << bit : options & ~(1 << bit)
        rest &= rest - 1
      }
    }
  }

  init(of property: PropertyName, _ hash: Int, in lists: ObserverLists?) {
    self.property = property
    self.hash = hash
    self.lists = lists
  }

  deinit {
    lists?.forget(ObjectIdentifier(self), hash)
    close()
    // SAFETY: no notification is in progress: its caller would keep the list alive.
    unsafe ObserverTable(address: table.load(ordering: .acquiring)).free()
    for table in state.withLock({ $0.retired }) { unsafe table.free() }
  }

  /// Whether this is the list of a property.
  func isOf(_ name: PropertyName) -> Bool { property.isSame(as: name) }

  // MARK: In-place changes

  /// Notes the beginning of an in-place change, during which the property cannot be read.
  @usableFromInline
  func beginInPlaceChange() {
    inPlaceChanges.add(1, ordering: .relaxed)
    Self.allInPlaceChanges.add(1, ordering: .relaxed)
  }

  @usableFromInline
  func endInPlaceChange() {
    inPlaceChanges.subtract(1, ordering: .relaxed)
    Self.allInPlaceChanges.subtract(1, ordering: .relaxed)
  }

  /// Whether the property is being changed in place.
  var isChangedInPlace: Bool { inPlaceChanges.load(ordering: .relaxed) > 0 }

  /// Whether any property is being changed in place.
  static var isAnyChangedInPlace: Bool { allInPlaceChanges.load(ordering: .relaxed) > 0 }

  // MARK: Observers

  /// Appends an observer, which retains the list.
  ///
  /// - Returns: False if the property's object is dying.
  func add(_ observer: KeyValueObservation) -> Bool {
    let isAdded = state.withLock { state in
      guard !state.isClosed else { return false }
      if state.count == state.capacity { replaceTable(&state, room: 1) }
      let table = ObserverTable(address: table.load(ordering: .relaxed))
      // SAFETY: the index is the count, the table has room, and the lock is held.
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
      if notifications.load(ordering: .sequentiallyConsistent) > 0 {
        state.used = self
        hasRetired.store(true, ordering: .sequentiallyConsistent)
      }
      guard !state.isClosed else { return }
      if state.count > 2 * state.present || state.count <= 8 { replaceTable(&state) }
      updateDemands(state)
    }
    if hasRetired.load(ordering: .relaxed) { reclaim() }
  }

  /// Removes all observers and accepts no others; called when the object is dying.
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

  /// The observers that are not removed; read under the lock.
  private var observers: [KeyValueObservation] {
    let table = ObserverTable(address: table.load(ordering: .relaxed))
    // SAFETY: the table cannot be replaced, and so not freed, while the lock is held.
    return (0..<table.count).map { unsafe table[$0].takeUnretainedValue() }
      .filter { !$0.isRemoved }
  }

  /// Replaces the table by one without removed observers, with a capacity of twice their number.
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
    demands.store(state.options | (state.open == nil ? 0 : Self.isOpen), ordering: .releasing)
  }

  /// Frees the replaced tables, if no notification is in progress; also the list, if nothing uses
  /// it any more: callers must not use it afterwards.
  @usableFromInline
  func reclaim() {
    let (free, used) = state.withLock { state -> ([ObserverTable], ObserverList?) in
      guard notifications.load(ordering: .sequentiallyConsistent) == 0 else { return ([], nil) }
      defer { (state.retired, state.used) = ([], nil) }
      hasRetired.store(false, ordering: .sequentiallyConsistent)
      return (state.retired, state.used)
    }
    defer { withExtendedLifetime(used) {} }
    // SAFETY: no notification was in progress after the tables had been replaced, and those that
    // have begun since read newer tables.
    for table in free { unsafe table.free() }
  }

  /// Stores the hook of the object to which a weak property refers, and returns the previous one.
  func exchangeDeathHook(_ hook: DeinitHook?) -> DeinitHook? {
    state.withLock { state in
      guard !state.isClosed else { return hook }
      defer { state.deathHook = hook }
      return state.deathHook
    }
  }

  // MARK: Manual changes

  /// Begins a manual change, or an inner one of a change in progress.
  ///
  /// - Parameters:
  ///   - outline: The outline of the change.
  ///   - isSilent: Whether nobody is notified at the end; of nested changes, the outermost counts.
  /// - Returns: Whether it is the outermost.
  func open(_ outline: ChangeOutline, isSilent: Bool = false) -> Bool {
    state.withLock { state in
      guard state.open == nil else {
        state.open?.depth += 1
        if isSilent { state.open?.silentDepth += 1 }
        return false
      }
      state.open = OpenChange(
        outline: outline, list: state.isClosed ? nil : self, silentDepth: isSilent ? 1 : 0,
        isSilent: isSilent)
      updateDemands(state)
      return true
    }
  }

  /// Stores the beginning of a manual change, and the old value.
  func keep(_ start: ChangeStart, old: Any?) {
    state.withLock { state in
      state.open?.start = start
      state.open?.old = old
    }
  }

  /// Ends a manual change.
  ///
  /// - Parameter isSilent: Whether to end a silent change, rather than one that notifies observers.
  /// - Returns: The change if it was the outermost.
  func closeChange(isSilent: Bool = false) -> OpenChange? {
    state.withLock { state in
      guard let open = state.open, isSilent || open.depth > open.silentDepth else { return nil }
      if isSilent { state.open?.silentDepth -= 1 }
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
    // In order with the subtraction: a removal sets the flag before it looks for notifications.
    if left == 0, hasRetired.load(ordering: .sequentiallyConsistent) { reclaim() }
  }
}

extension ObserverList: ReferenceTable {
  package var label: String { "observers" }
  package var contents: Any { state.withLock { (observers, $0.used, $0.open, $0.deathHook) } }
}
