internal import Synchronization

// SAFETY: `@unchecked Sendable`: the tracker is used only by the thread that has set
// `isInProgress`; all else is immutable.
/// The repetition of a path's evaluation, which succeeds if it reads the same properties as before.
@usableFromInline
final class PathRepetition: @unchecked Sendable {
  /// The reads that are expected.
  let trace: [ObjectIdentifier]

  /// The getters by which the path is read; nil if it is read by its key path.
  private let getters: PathGetters?

  // Created once: creating a tracker takes as long as reading a property.
  private let tracker: DependencyTracker
  private let isInProgress = Atomic(false)

  init(expecting trace: [ObjectIdentifier], by getters: PathGetters?) {
    self.trace = trace
    self.getters = getters
    tracker = DependencyTracker(expected: trace)
  }

  /// The repetition of an evaluation; nil if the value has declared dependencies.
  ///
  /// - Parameters:
  ///   - tracker: The tracker of the evaluation.
  ///   - keyPath: The path, if it may be read by its getters.
  convenience init?(of tracker: DependencyTracker, along keyPath: AnyKeyPath?) {
    guard let trace = tracker.trace else { return nil }
    let properties = tracker.dependencies.prefix(trace.count)
    // A property that is read twice is noted once.
    let isChain = trace == properties.map { ObjectIdentifier($0.list) }
    let getters = keyPath.flatMap { keyPath in
      isChain ? PathGetters(of: keyPath, through: properties.map(\.key)) : nil
    }
    self.init(expecting: trace, by: getters)
  }

  /// Reads a path's value.
  ///
  /// - Parameters:
  ///   - keyPath: The path of this repetition.
  ///   - root: The object where the path begins.
  /// - Returns: The value; nil if other properties were read.
  @inlinable
  func value<Root: AnyObject, Value>(of keyPath: KeyPath<Root, Value>, from root: Root) -> Value? {
    repeated {
      guard hasGetters(wrappingValue: false) else { return root[keyPath: keyPath] }
      return read(root, as: Value.self)
    }
  }

  /// Reads the value of a path whose value is optional.
  ///
  /// - Parameters:
  ///   - keyPath: The path of this repetition.
  ///   - root: The object where the path begins.
  /// - Returns: The value; nil if other properties were read.
  @inlinable
  func value<Root: AnyObject, Value>(
    of keyPath: KeyPath<Root, Value?>, from root: Root
  ) -> Value?? {
    repeated {
      if hasGetters(wrappingValue: true) { return read(root, as: Value.self).map { .some($0) } }
      guard hasGetters(wrappingValue: false) else { return .some(root[keyPath: keyPath]) }
      return read(root, as: Value?.self)
    }
  }

  @usableFromInline
  func hasGetters(wrappingValue: Bool) -> Bool { getters?.wrapsValue == wrappingValue }

  /// Reads the path by its getters.
  ///
  /// - Parameters:
  ///   - root: The object where the path begins.
  ///   - type: The type of the last getter's value.
  /// - Returns: What the last getter returns; nil if a reference on the way is nil.
  @inlinable @inline(__always)
  func read<Value>(_ root: AnyObject, as type: Value.Type) -> Value? {
    unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place in
      let place = unsafe place.baseAddress.unsafelyUnwrapped
      // SAFETY: the types are those of the key path of which these are the getters.
      return unsafe read(root, into: UnsafeMutableRawPointer(place)) ? place.move() : nil
    }
  }

  @usableFromInline @unsafe
  func read(_ root: AnyObject, into value: UnsafeMutableRawPointer) -> Bool {
    // SAFETY: the caller keeps the contract of the getters, which it has asked for.
    unsafe getters.unsafelyUnwrapped.read(root, into: value)
  }

  @inlinable @inline(__always)
  func repeated<Value>(_ body: () -> Value?) -> Value? {
    if isWatched { return resultOfOwnReads(body) }
    let tracker = begin()
    let value = body()
    return end(tracker) ? value : nil
  }

  /// Whether a getter may read properties of another system.
  @usableFromInline
  var isWatched: Bool { ForeignSystem.isInstalled }

  @usableFromInline
  func resultOfOwnReads<Value>(_ body: () -> Value?) -> Value? {
    guard let system = ForeignSystem.installed else { return nil }
    return system.resultOfOwnReads {
      let tracker = begin()
      let value = body()
      return end(tracker) ? value : nil
    }
  }

  @usableFromInline
  func begin() -> DependencyTracker {
    // Another thread, or a getter, may be repeating the same evaluation.
    let isMine = !isInProgress.exchange(true, ordering: .acquiring)
    let tracker = isMine ? tracker : DependencyTracker(expected: trace)
    tracker.begin()
    return tracker
  }

  @usableFromInline
  func end(_ tracker: DependencyTracker) -> Bool {
    let isAsExpected = tracker.end()
    if tracker === self.tracker { isInProgress.store(false, ordering: .releasing) }
    return isAsExpected
  }
}
