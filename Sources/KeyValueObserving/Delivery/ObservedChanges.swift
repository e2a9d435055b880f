internal import BlockRuntimeThreads

/// The changes of an observed value, one after the other.
///
/// The sequence begins to gather changes when it is made. It ends when the observed object dies,
/// when its observation is removed, or when the object dies to which that is bound; what was
/// gathered still comes. When the sequence is dropped, or the task that iterates it is cancelled,
/// its observation is removed. It is for one iterator.
public struct ObservedChanges<Value: Sendable>: AsyncSequence, Sendable {
  /// What happens to changes that nobody has awaited when the next one comes.
  public enum Buffering: Sendable, Hashable, CaseIterable {
    /// Each waits for its turn.
    case everyChange
    /// Only the latest waits.
    case latest
    /// They become one setting: the value before the first of them, and after the last.
    case coalesced
  }

  /// The observation, for its removal, or to bind it to another object.
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

  /// Awaits the changes.
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
        // A stream that coalesces only says that there is something.
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
  ///   - keyPath: What is observed.
  ///   - options: What the changes tell, and when they come.
  ///   - buffering: What happens to changes that nobody has awaited when the next one comes.
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
  ///   - keyPath: What is observed.
  ///   - options: What the changes tell, and when they come.
  ///   - buffering: What happens to changes that nobody has awaited when the next one comes.
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
      keyPath, isCoalesced ? options.subtracting([.prior, .old, .new]) : options, nil,
      ChangeHandler<Property> { object, change in
        guard isCoalesced else {
          _ = withExtendedLifetime(end) { continuation.yield(change.compactMap(flat)) }
          return
        }
        // SAFETY: an observation's object is the one it was made for.
        let owner = unsafe unsafeDowncast(object, to: Self.self)
        // The present value: that of the change is older where an observer has made another one.
        let isKept = !options.isDisjoint(with: [.old, .new])
        gathered.add(isKept ? flat(owner[keyPath: keyPath]) : nil)
        continuation.yield(nil)
      })
    continuation.onTermination = { [weak observation] _ in observation?.remove() }
    return ObservedChanges(observation, stream, gathered)
  }
}

/// A change that grows until somebody takes it.
private final class Gathered<Value: Sendable>: Sendable {
  private let options: ObservingOptions
  private let state = Locked(State())

  private struct State {
    var last: Value?
    var latest: Value?
    var isEmpty = true
  }

  init(_ options: ObservingOptions) { self.options = options }

  func begin(_ value: Value?) { state.withLock { $0.last = value } }

  func add(_ value: Value?) {
    let old = state.withLock { state in
      defer { (state.latest, state.isEmpty) = (value, false) }
      return state.latest
    }
    withExtendedLifetime(old) {}
  }

  func take() -> Change<Value>? {
    let values = state.withLock { state -> (old: Value?, new: Value?)? in
      guard !state.isEmpty else { return nil }
      defer { (state.last, state.isEmpty) = (options.contains(.old) ? state.latest : nil, true) }
      return (state.last, state.latest)
    }
    return values.map { Change(old: $0.old, new: options.contains(.new) ? $0.new : nil) }
  }
}

/// Calls a closure when nobody refers to it any more.
private final class AtEnd: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
