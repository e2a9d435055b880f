internal import BlockRuntimeThreads
public import DelayedBlocks

extension KeyValueObservable {
  /// Observes the value that a key path names, on a target instead of the thread that changes it.
  ///
  /// The observer is called for each change, in the order of the changes, one call after the other;
  /// the setter does not wait for the calls. Each change is sent to the target before observers on
  /// the thread that makes it are called for it, because they may make others. When the observer is
  /// removed or the object is destroyed, changes for which it has not been called yet are dropped.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - target: Where the observer is called; an actor is not retained, and its end removes the
  ///     observer.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new, name: String? = nil,
    on target: DelayTarget, _ handler: @escaping @Sendable (Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let mailbox = Mailbox<Value>(self, target, handler)
    let observation = observe(
      keyPath, options.subtracting(.initial).union(target.passingOn), name,
      ChangeHandler<Value> { mailbox.post($1) })
    return mailbox.open(observation, initial(keyPath, options))
  }

  /// Observes an optional value, on a target instead of the thread that changes it.
  ///
  /// Everything else is as with other values.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the observer receives, and when it is called.
  ///   - name: A name for the removal; several observers may have the same one.
  ///   - target: Where the observer is called; an actor is not retained, and its end removes the
  ///     observer.
  ///   - handler: The observer.
  /// - Returns: The observation, for its removal; it need not be stored.
  @discardableResult
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value?>, options: ObservingOptions = .new, name: String? = nil,
    on target: DelayTarget, _ handler: @escaping @Sendable (Change<Value>) throws -> Void
  ) -> KeyValueObservation {
    let mailbox = Mailbox<Value>(self, target, handler)
    let observation = observe(
      keyPath, options.subtracting(.initial).union(target.passingOn), name,
      ChangeHandler<Value?> { mailbox.post($1.compactMap { $0 }) })
    return mailbox.open(observation, initial(keyPath, options)?.compactMap { $0 })
  }

  private func initial<Value>(
    _ keyPath: KeyPath<Self, Value>, _ options: ObservingOptions
  ) -> Change<Value>? {
    guard options.contains(.initial) else { return nil }
    return Change(new: options.contains(.new) ? self[keyPath: keyPath] : nil)
  }
}

extension DelayTarget {
  /// The option with which changes are posted: before other observers are called, unless the
  /// handler runs inline.
  ///
  /// An inline handler may make changes, which other observers would get before the outer one.
  fileprivate var passingOn: ObservingOptions {
    if case .inline = self { .inOrder } else { .elsewhere }
  }
}

/// A queue of changes for a handler that runs on a target, first in, first out.
private final class Mailbox<Value: Sendable>: Sendable {
  private let target: DelayTarget
  private let handler: @Sendable (Change<Value>) throws -> Void
  private let owner: WeakOwner
  private let state = Locked(State())

  private struct State {
    weak var observation: KeyValueObservation?
    var changes: [Change<Value>] = []
    var isOpen = false
    var isDelivering = false
  }

  init(
    _ object: AnyObject, _ target: DelayTarget,
    _ handler: @escaping @Sendable (Change<Value>) throws -> Void
  ) {
    owner = WeakOwner(object)
    // An actor may own the observed object.
    self.target = target.withoutActor
    self.handler = handler
  }

  /// Begins to deliver; an initial change comes before those that have been posted already.
  func open(_ observation: KeyValueObservation, _ initial: Change<Value>?) -> KeyValueObservation {
    state.withLock { state in
      state.observation = observation
      state.isOpen = true
      if let initial { state.changes.insert(initial, at: 0) }
    }
    deliver()
    return observation
  }

  func post(_ change: Change<Value>) {
    state.withLock { $0.changes.append(change) }
    deliver()
  }

  /// Makes the target run the handler, unless it does so already or there are no changes.
  private func deliver() {
    let isNeeded = state.withLock { state in
      guard state.isOpen, !state.isDelivering, !state.changes.isEmpty else { return false }
      state.isDelivering = true
      return true
    }
    guard isNeeded else { return }
    // The reference is weak: a removed observer's mailbox is freed at once, with its changes.
    let isSent = target.run { [weak self] in self?.runHandler() }
    if !isSent { state.withLock { $0.observation }?.remove() }
  }

  /// Runs the handler for each change, also for those that are posted meanwhile.
  private func runHandler() {
    while true {
      let (changes, observation) = state.withLock { state in
        defer { state.changes = [] }
        if state.changes.isEmpty { state.isDelivering = false }
        return (state.changes, state.observation)
      }
      guard !changes.isEmpty, let observation else { return }
      for change in changes where !observation.isRemoved {
        observation.runHandler(for: change, of: owner, isSent: true, handler)
      }
      guard !observation.isRemoved else { return }
    }
  }
}

extension Mailbox: ReferenceTable {
  package var contents: Any { state.withLock { $0 } }
}
