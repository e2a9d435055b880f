internal import BlockRuntimeThreads

/// The lists of observers of an object's properties, by key path.
///
/// A list belongs to those who use it: its property's storage, its observers, a change by hand that is
/// under way. The table only finds it. So what a key path has captured ends when nobody observes it.
/// Key paths are hashed and compared under no lock, and lists end under none.
final class ObserverLists: Sendable {
  private struct Entry {
    let identity: ObjectIdentifier
    /// Entries that come later have higher numbers.
    let number: Int
    weak var list: ObserverList?
  }

  /// The lists of properties that may be one, and the number of the last.
  private typealias Bucket = (lists: [ObserverList], last: Int)

  private struct State {
    /// By the hash of the properties' names.
    var entries: [Int: [Entry]] = [:]
    var count = 0
    var isClosed = false
  }

  private let state = Locked(State())

  /// The list of a property, if it has one.
  func existing(for key: AnyKeyPath) -> ObserverList? {
    let name = PropertyName(key)
    return bucket(of: name.hash).lists.first { $0.isOf(name) }
  }

  /// The list of a property, made if there is none; closed if the object is dying.
  func list(for key: AnyKeyPath) -> ObserverList {
    let name = PropertyName(key)
    let hash = name.hash
    var made: ObserverList?
    while true {
      let bucket = bucket(of: hash)
      if let list = bucket.lists.first(where: { $0.isOf(name) }) { return list }
      let list = made ?? ObserverList(of: name, hash, in: self)
      made = list
      if add(list, hash, after: bucket.last) { return list }
    }
  }

  /// Adds a list, unless another may have come that is of the same property.
  private func add(_ list: ObserverList, _ hash: Int, after last: Int) -> Bool {
    let (isAdded, isClosed) = state.withLock { state in
      guard state.entries[hash]?.last.map({ $0.number <= last }) ?? true else {
        return (false, false)
      }
      state.count += 1
      let entry = Entry(identity: ObjectIdentifier(list), number: state.count, list: list)
      state.entries[hash, default: []].append(entry)
      return (true, state.isClosed)
    }
    if isClosed { list.close() }
    return isAdded
  }

  private func bucket(of hash: Int) -> Bucket {
    state.withLock { state in
      let entries = state.entries[hash] ?? []
      return (entries.compactMap(\.list), entries.last?.number ?? 0)
    }
  }

  /// Forgets a list that ends.
  func forget(_ list: ObjectIdentifier, _ hash: Int) {
    state.withLock { state in
      state.entries[hash]?.removeAll { $0.identity == list }
      if state.entries[hash]?.isEmpty ?? false { state.entries[hash] = nil }
    }
  }

  /// Closes all lists, those to come too: the object is dying.
  func close() {
    let lists = state.withLock { state in
      state.isClosed = true
      return state.entries.values.flatMap { $0.compactMap(\.list) }
    }
    for list in lists { list.close() }
  }
}
