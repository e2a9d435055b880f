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
    // SAFETY: a handler runs with the observed object, which is a `Self`.
    ObservedChanges(options, buffering) {
      flat(unsafe unsafeDowncast($0, to: Self.self)[keyPath: keyPath])
    } observe: { options, begin in
      observe(keyPath, options, nil, ChangeHandler<Property> { begin($0, $1.compactMap(flat)) })
    }
  }
}

extension ObservedChanges {
  /// Begins to gather changes.
  ///
  /// - Parameters:
  ///   - options: Which values the changes have, and when they come.
  ///   - buffering: What happens to changes that have not been awaited when the next change comes.
  ///   - read: Reads the value of the observed object, whole: a collection's change may have its
  ///     members only.
  ///   - observe: Begins the observation, with the given handler.
  init(
    _ options: ObservingOptions, _ buffering: Buffering, _ read: @escaping (AnyObject) -> Value?,
    observe: (ObservingOptions, @escaping (AnyObject, Change<Value>) -> Void) -> KeyValueObservation
  ) {
    let (stream, continuation) = AsyncStream<Change<Value>?>.makeStream(
      bufferingPolicy: buffering == .everyChange ? .unbounded : .bufferingNewest(1))
    let gathered = Gathered<Value>(options)
    let end = AtEnd { continuation.finish() }
    let isCoalesced = buffering == .coalesced
    // For a change of members, the whole collection is read before the change, in a prior call.
    let needed =
      gathered.needs(.old)
      ? options.union([.prior, .old]).subtracting(.new) : options.subtracting([.prior, .new])
    let observation = observe((isCoalesced ? needed : options).union(.elsewhere)) {
      object, change in
      guard isCoalesced else {
        _ = withExtendedLifetime(end) { continuation.yield(change) }
        return
      }
      let isWhole = change.kind == .setting
      guard !change.isPrior else {
        if !isWhole { gathered.begin(read(object)) }
        return
      }
      gathered.add(
        isWhole ? .some(change.old) : nil, gathered.needs(.new) ? read(object) : nil,
        change.origin)
      continuation.yield(nil)
    }
    continuation.onTermination = { [weak observation] _ in observation?.remove() }
    self.init(observation, stream, gathered)
  }
}

/// The changes of a coalescing sequence, merged into one until the iterator takes it.
private final class Gathered<Value: Sendable>: Sendable {
  private let options: ObservingOptions
  private let state = Locked(State())

  private struct State {
    /// The collection before the change of members that has begun.
    var before: Value?
    var old: Value?
    var new: Value?
    var origin: ChangeOrigin?
    var isEmpty = true
  }

  init(_ options: ObservingOptions) { self.options = options }

  /// Whether a value is asked for, or compared.
  func needs(_ option: ObservingOptions) -> Bool {
    !options.isDisjoint(with: option.union(.distinct))
  }

  /// Notes the collection before a change of its members.
  func begin(_ value: Value?) {
    let dropped = state.withLock { exchange(&$0.before, with: value) }
    withExtendedLifetime(dropped) {}
  }

  /// Adds a change.
  ///
  /// - Parameters:
  ///   - old: The value before the change; nil for a change of members.
  ///   - new: The value after the change, if asked for.
  ///   - origin: The code that made the change.
  func add(_ old: Value??, _ new: Value?, _ origin: ChangeOrigin?) {
    let dropped = state.withLock { state in
      defer {
        if state.isEmpty { state.old = old ?? state.before }
        (state.before, state.new, state.origin, state.isEmpty) = (nil, new, origin, false)
      }
      return (state.before, state.new)
    }
    withExtendedLifetime(dropped) {}
  }

  /// Takes the changes as one; nil if there are none, or if they are to be left out because the
  /// values are equal.
  func take() -> Change<Value>? {
    let values = state.withLock { state -> (old: Value?, new: Value?, origin: ChangeOrigin?)? in
      guard !state.isEmpty else { return nil }
      defer { (state.old, state.new, state.isEmpty) = (nil, nil, true) }
      return (state.old, state.new, state.origin)
    }
    guard let values else { return nil }
    if options.contains(.distinct), ChangeHandler<Value>.areEqual(values.old, values.new) {
      return nil
    }
    var change = Change(old: values.old, new: values.new)
    change.add(nil, values.origin)
    return change.demanded(by: options)
  }
}
