internal import BlockRuntimeThreads
internal import ObjectLifetimes

/// An object's observations, and its properties' lists of observers.
///
/// It is an associated value of the object, and is closed before the object's own deinit.
@usableFromInline
final class ObserverRegistry: Sendable {
  private static let key = AssociationKey<ObserverRegistry>("key-value observations")

  private let lists = ObserverLists()
  private let state = Locked(State())

  private struct State {
    var observations: [ObjectIdentifier: (number: Int, observation: KeyValueObservation)] = [:]
    var count = 0
    var isWatching = false
    var isClosed = false
  }

  private init() {}

  deinit { close() }

  /// The registry of an object, if it was ever observed.
  static func existing(of object: AnyObject) -> ObserverRegistry? { key.value(of: object) }

  /// The registry of an object, created if there is none; nil if the object is dying or cannot have
  /// one.
  static func registry(of object: AnyObject) -> ObserverRegistry? {
    do throws(LifetimeError) {
      let registry = try key.value(of: object, default: ObserverRegistry())
      let isWatching = registry.state.withLock { exchange(&$0.isWatching, with: true) }
      if !isWatching { try onDeinit(of: object, .before) { registry.close() } }
      return registry
    } catch {
      return nil
    }
  }

  // MARK: Lists

  /// The list of a property's observers, created if there is none.
  @usableFromInline
  static func list(for key: AnyKeyPath, of object: AnyObject) -> ObserverList {
    guard let registry = registry(of: object) else {
      // A dying object notifies no observers: its list is closed.
      let lists = ObserverLists()
      lists.close()
      return lists.list(for: key)
    }
    return registry.lists.list(for: key)
  }

  /// The list of a property's observers, if the property or an observer retains one.
  static func existingList(for key: AnyKeyPath, of object: AnyObject) -> ObserverList? {
    existing(of: object)?.lists.existing(for: key)
  }

  // MARK: Observations

  /// Registers an observation of the object; removes it if the object is dying.
  func note(_ observation: KeyValueObservation) {
    let isNoted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.count += 1
      state.observations[ObjectIdentifier(observation)] = (state.count, observation)
      return true
    }
    guard isNoted else {
      observation.remove()
      return
    }
    observation.attach { [weak self] in self?.forget($0) }
  }

  private func forget(_ observation: KeyValueObservation) {
    let entry = state.withLock {
      $0.observations.removeValue(forKey: ObjectIdentifier(observation))
    }
    withExtendedLifetime(entry) {}
  }

  /// The observations, in the order of registration.
  var observations: [KeyValueObservation] {
    state.withLock { Array($0.observations.values) }.sorted { $0.number < $1.number }
      .map(\.observation)
  }

  /// Removes all observations, and closes all lists; called when the object is dying.
  private func close() {
    let observations = state.withLock { state in
      state.isClosed = true
      defer { state.observations = [:] }
      return state.observations.values.map(\.observation)
    }
    for observation in observations { observation.remove() }
    lists.close()
  }
}

extension ObserverRegistry: ReferenceTable {
  package var label: String { "observers" }
  package var contents: Any { observations }
}
