internal import BlockRuntimeThreads

/// The table of the lists of observers of an object's properties, by key path.
///
/// A list is retained by its users: its property's storage, its observers, a manual change in
/// progress. The table refers to it weakly, so that the values that a key path captured are
/// released when it is no longer observed. Key paths are hashed and compared, and lists released,
/// while no lock is held.
final class ObserverLists: Sendable {
  private struct WeakList {
    let identity: ObjectIdentifier
    /// The number of the entry; later ones have higher numbers.
    let number: Int
    weak var list: ObserverList?
  }

  /// The lists of the properties with one hash, and the number of the last entry.
  private typealias Bucket = (lists: [ObserverList], last: Int)

  private struct State {
    /// The entries, by the hash of the property's name.
    var entries: [Int: [WeakList]] = [:]
    var count = 0
    var isClosed = false
  }

  private let state = Locked(State())

  /// The list of a property, if it has one.
  func existing(for key: AnyKeyPath) -> ObserverList? {
    let name = PropertyName(key)
    return bucket(of: name.hash).lists.first { $0.isOf(name) }
  }

  /// The list of a property, created if there is none; closed if the object is dying.
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

  /// Adds a list, unless another of the same property may have been added since `last`.
  private func add(_ list: ObserverList, _ hash: Int, after last: Int) -> Bool {
    let (isAdded, isClosed) = state.withLock { state in
      guard state.entries[hash]?.last.map({ $0.number <= last }) ?? true else {
        return (false, false)
      }
      state.count += 1
      let entry = WeakList(identity: ObjectIdentifier(list), number: state.count, list: list)
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

  /// Removes the entry of a list that is being destroyed.
  func forget(_ list: ObjectIdentifier, _ hash: Int) {
    state.withLock { state in
      state.entries[hash]?.removeAll { $0.identity == list }
      if state.entries[hash]?.isEmpty ?? false { state.entries[hash] = nil }
    }
  }

  /// Closes all lists, including future ones; called when the object is dying.
  func close() {
    let lists = state.withLock { state in
      state.isClosed = true
      return state.entries.values.flatMap { $0.compactMap(\.list) }
    }
    for list in lists { list.close() }
  }
}

extension ObserverLists: ReferenceTable {}
