internal import BlockRuntimeThreads

/// The changes of an observed value, as an asynchronous sequence.
///
/// The sequence gathers changes from its creation on. It ends when the observed object, or an
/// object that the observation is bound to, is destroyed, or when the observation is removed;
/// changes that were gathered before are still delivered. When the sequence is released, or the
/// task that iterates it is cancelled, the observation is removed. Only one iterator may be used.
public struct ObservedChanges<Value: Sendable>: AsyncSequence, Sendable {
  /// What happens to changes that have not been awaited when the next change comes.
  public enum Buffering: Sendable, Hashable, CaseIterable {
    /// All changes are buffered.
    case everyChange
    /// Only the latest change is buffered.
    case latest
    /// The changes become one setting, with the value before the first and after the last of them.
    case coalesced
  }

  /// The observation, which can be removed, or bound to another object.
  public let observation: KeyValueObservation

  private let stream: AsyncStream<Change<Value>?>
  private let gathered: Gathered<Value>

  fileprivate init(
    _ observation: KeyValueObservation, _ stream: AsyncStream<Change<Value>?>,
    _ gathered: Gathered<Value>
  ) {
    self.observation = observation
    self.stream = stream
    self.gathered = gathered
  }

  /// Begins to iterate.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: stream.makeAsyncIterator(), gathered: gathered)
  }

  /// The iterator of the changes.
  public struct Iterator: AsyncIteratorProtocol {
    var stream: AsyncStream<Change<Value>?>.Iterator
    fileprivate let gathered: Gathered<Value>

    /// Awaits the next change.
    ///
    /// - Parameter actor: The actor that awaits it.
    /// - Returns: The change; nil at the end, or if the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Change<Value>? {
      while let change = await stream.next(isolation: actor) {
        // A coalescing stream yields nil for each change; the change itself is in `gathered`.
        if let change = change ?? gathered.take() { return change }
      }
      return nil
    }

    /// Awaits the next change.
    ///
    /// - Returns: The change; nil at the end, or if the task is cancelled.
    public mutating func next() async -> Change<Value>? {
      await next(isolation: nil)
    }
  }
}

extension KeyValueObservable {
  /// The changes of the value that a key path names, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await change in person.changes(of: \.name, options: [.old, .new]) { print(change) }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the changes have, and when they come.
  ///   - buffering: What happens to changes that have not been awaited when the next change comes.
  /// - Returns: The sequence, which gathers changes from now on.
  @_disfavoredOverload
  public func changes<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>, options: ObservingOptions = .new,
    buffering: ObservedChanges<Value>.Buffering = .everyChange
  ) -> ObservedChanges<Value> {
    changes(keyPath, options, buffering) { $0 }
  }

  /// The changes of an optional value, as an asynchronous sequence.
  ///
  /// Everything else is as with other values.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - options: Which values the changes have, and when they come.
  ///   - buffering: What happens to changes that have not been awaited when the next change comes.
  /// - Returns: The sequence, which gathers changes from now on.
  public func changes<Value: Sendable>(
    of keyPath: KeyPath<Self, Value?>, options: ObservingOptions = .new,
    buffering: ObservedChanges<Value>.Buffering = .everyChange
  ) -> ObservedChanges<Value> {
    changes(keyPath, options, buffering) { $0 }
  }

  private func changes<Property, Value: Sendable>(
    _ keyPath: KeyPath<Self, Property>, _ options: ObservingOptions,
    _ buffering: ObservedChanges<Value>.Buffering, _ flat: @escaping (Property) -> Value?
  ) -> ObservedChanges<Value> {
    let (stream, continuation) = AsyncStream<Change<Value>?>.makeStream(
      bufferingPolicy: buffering == .everyChange ? .unbounded : .bufferingNewest(1))
    let gathered = Gathered<Value>(options)
    let end = AtEnd { continuation.finish() }
    let isCoalesced = buffering == .coalesced
    if isCoalesced, options.contains(.old) { gathered.begin(flat(self[keyPath: keyPath])) }
    let observation = observe(
      keyPath,
      (isCoalesced ? options.subtracting([.prior, .old, .new]) : options).union(.elsewhere), nil,
      ChangeHandler<Property> { object, change in
        guard isCoalesced else {
          _ = withExtendedLifetime(end) { continuation.yield(change.compactMap(flat)) }
          return
        }
        // SAFETY: a handler runs with the observed object, which is a `Self`.
        let owner = unsafe unsafeDowncast(object, to: Self.self)
        // Reads the whole value: the change of a collection may have its members only.
        let isKept = !options.isDisjoint(with: [.old, .new])
        gathered.add(isKept ? flat(owner[keyPath: keyPath]) : nil, change.origin)
        continuation.yield(nil)
      })
    continuation.onTermination = { [weak observation] _ in observation?.remove() }
    return ObservedChanges(observation, stream, gathered)
  }
}

/// The changes of a coalescing sequence, merged into one until the iterator takes it.
private final class Gathered<Value: Sendable>: Sendable {
  private let options: ObservingOptions
  private let state = Locked(State())

  private struct State {
    var last: Value?
    var latest: Value?
    var origin: ChangeOrigin?
    var isEmpty = true
  }

  init(_ options: ObservingOptions) { self.options = options }

  func begin(_ value: Value?) { state.withLock { $0.last = value } }

  func add(_ value: Value?, _ origin: ChangeOrigin?) {
    let old = state.withLock { state in
      defer { (state.latest, state.origin, state.isEmpty) = (value, origin, false) }
      return state.latest
    }
    withExtendedLifetime(old) {}
  }

  func take() -> Change<Value>? {
    let values = state.withLock { state -> (old: Value?, new: Value?, origin: ChangeOrigin?)? in
      guard !state.isEmpty else { return nil }
      defer { (state.last, state.isEmpty) = (options.contains(.old) ? state.latest : nil, true) }
      return (state.last, state.latest, state.origin)
    }
    return values.map { values in
      var change = Change(old: values.old, new: options.contains(.new) ? values.new : nil)
      change.add(nil, values.origin)
      return change
    }
  }
}
