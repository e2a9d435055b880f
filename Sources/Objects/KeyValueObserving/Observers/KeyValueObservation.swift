internal import BlockRuntimeThreads
internal import CKeyValueObserving.Observing
public import IsolatedClosures
internal import ObjectLifetimes
public import Synchronization

// SAFETY: `@unchecked Sendable`: all stored properties are immutable, atomic or guarded by a lock.
// The handler runs on threads that observe or change the object, and is released once: by the
// removal, by the last call in progress, or by `deinit` of an observation that was never removed.
// Key paths are immutable.
/// An observer of a property or path, and the token for its removal; returned by `observe`.
///
/// Releasing the observation does not remove the observer: the observed object retains it until it
/// is removed or the object is destroyed. All members may be used on any thread, also within the
/// observer's calls.
///
/// The corresponding type of Foundation is `NSKeyValueObservation`.
@safe public final class KeyValueObservation: Removable, @unchecked Sendable {
  /// The options that were passed to `observe`.
  public let options: ObservingOptions

  /// The values and calls that the property's list must provide: more than `options` if values are
  /// compared.
  @usableFromInline let demands: ObservingOptions

  // The number of calls in progress, each of which runs the handler, and bits for the state.
  @usableFromInline let calls = Atomic<UInt32>(0)
  @usableFromInline static var removed: UInt32 { 1 << 31 }
  /// Each call first decides whether it begins: see `runHandler(for:of:isSent:_:)`.
  @usableFromInline static var held: UInt32 { 1 << 30 }
  @usableFromInline static var suspended: UInt32 { 1 << 29 }
  @usableFromInline static var count: UInt32 { suspended - 1 }

  /// The name that the caller gave the observer.
  public let name: String?

  /// The observed key paths; empty for a string key path.
  public let keyPaths: [AnyKeyPath]

  /// The observed string key path, as it was passed to `observe`.
  public let stringKeyPath: String?

  // A retained `ChangeHandler`; released when the observer is removed and no call is in progress.
  @usableFromInline let handler: Unmanaged<AnyObject>

  /// A `ValueReader` of the observed value.
  let reader: AnyValueReader?

  /// The path that added this observer, if it is a link.
  let path: AnyPathObserver?

  /// The number of the observer in the order of registration, which tells whether it was registered
  /// after a change began; a link has the number of its path.
  @usableFromInline let number: UInt64

  private static let numbers = Atomic<UInt64>(0)

  /// The number of the next observer: observers that are registered have lower numbers.
  @usableFromInline static var nextNumber: UInt64 { numbers.load(ordering: .acquiring) }

  let state = Locked(State())

  struct State {
    fileprivate var detach: (@Sendable (KeyValueObservation) -> Void)?
    fileprivate var bindings: [DeinitHook] = []
    fileprivate var failure: (any Error)?
    /// What the observer has missed since it was suspended.
    var missed: MissedChange?
    /// The observations whose calls are this one's, if it observes several key paths or the members
    /// of a collection.
    var parts: [ObjectIdentifier: KeyValueObservation]?
  }

  /// Creates a link of a path: the property's list notifies the path, and delivers nothing to the
  /// link, whose handler never runs.
  convenience init(linkOf path: AnyPathObserver, _ options: ObservingOptions) {
    self.init(ChangeHandler<Void> { _, _ in }, options: options, path: path)
  }

  init<Value>(
    _ handler: ChangeHandler<Value>, options: ObservingOptions, name: String? = nil,
    keyPaths: [AnyKeyPath] = [], stringKeyPath: String? = nil, path: AnyPathObserver? = nil,
    reader: ValueReader<Value>? = nil
  ) {
    self.options = options.subtracting(.elsewhere)
    self.name = name
    self.keyPaths = keyPaths
    self.stringKeyPath = stringKeyPath
    self.path = path
    self.reader = reader
    number = path?.number ?? Self.numbers.add(1, ordering: .acquiringAndReleasing).oldValue
    // An observer that passes changes on at once gets them in order without waiting.
    let options = options.contains(.elsewhere) ? options.subtracting(.inOrder) : options
    if options.contains(.distinct), let handler = handler.leavingOutEqualValues(options) {
      demands = options.union([.old, .new])
      unsafe self.handler = .passRetained(handler)
    } else {
      demands = options
      unsafe self.handler = .passRetained(handler)
    }
  }

  deinit {
    // SAFETY: no call is in progress, because it would retain the observation; the handler of a
    // removed observer has been released already.
    if !isRemoved { unsafe handler.release() }
  }

  /// Whether the observer was removed or has failed, or the observed object has been destroyed.
  public var isRemoved: Bool { calls.load(ordering: .acquiring) & Self.removed != 0 }

  /// The error that the observer threw, which ended the observation.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  // MARK: Removal

  /// Removes the observer: `removeObserver:forKeyPath:`.
  ///
  /// After it returns, no new call starts. The closure is freed before it returns, or, if calls are
  /// in progress, by the last of them.
  ///
  /// - Returns: Whether this call removed the observer; false if it was removed before.
  @discardableResult
  public func remove() -> Bool {
    let before = calls.bitwiseOr(Self.removed, ordering: .acquiringAndReleasing).oldValue
    guard before & Self.removed == 0 else { return false }
    let (detach, bindings, parts, missed) = state.withLock { state in
      defer { (state.detach, state.bindings, state.missed, state.parts) = (nil, [], nil, nil) }
      return (state.detach, state.bindings, state.parts, state.missed)
    }
    detach?(self)
    for binding in bindings { binding.remove() }
    for part in parts?.values ?? [:].values { part.remove() }
    // Values are released while no lock is held: their deinits may be the user's code.
    withExtendedLifetime(missed) {}
    // SAFETY: no call is in progress, and none can begin.
    if before & Self.count == 0 { unsafe handler.release() }
    return true
  }

  /// Removes the observer, and waits for its calls in progress on other threads.
  ///
  /// Within a call of this observer, this function does not wait, not even for calls on other
  /// threads.
  ///
  /// - Returns: What `remove()` returns.
  @available(*, noasync, message: "remove, and let calls end on their own")
  @discardableResult
  public func removeAndWait() -> Bool {
    let isRemoved = remove()
    guard !isRunningHere else { return isRemoved }
    while calls.load(ordering: .acquiring) & Self.count != 0 { cbr_observing_wait() }
    return isRemoved
  }

  /// Removes the observer, whose handler threw an error.
  @usableFromInline
  func fail(_ error: any Error) {
    state.withLock { state in
      if state.failure == nil { state.failure = error }
    }
    remove()
  }

  /// Removes the observer when an object is destroyed, before that object's own deinit.
  ///
  /// The object is not retained: for example, a controller binds its observers to itself. An
  /// observer may be bound to several objects, and ends with the first of them.
  ///
  /// - Parameter object: The object; if it is being destroyed, or its destruction cannot be hooked,
  ///   the observer is removed at once.
  /// - Returns: The observation.
  @discardableResult
  public func bind(to object: AnyObject) -> Self {
    do throws(LifetimeError) {
      let hook = try onDeinit(of: object, .before) { [weak self] in _ = self?.remove() }
      let isKept = state.withLock { state in
        guard !isRemoved else { return false }
        state.bindings.append(hook)
        return true
      }
      if !isKept { hook.remove() }
    } catch {
      remove()
    }
    return self
  }

  // MARK: Registration

  /// Adds a closure to call when the observer is removed; calls it at once if it has been.
  func attach(_ detach: @escaping @Sendable (KeyValueObservation) -> Void) {
    let isLate = state.withLock { state in
      guard !isRemoved else { return true }
      let previous = state.detach
      state.detach = { observation in
        previous?(observation)
        detach(observation)
      }
      return false
    }
    if isLate { detach(self) }
  }
}

extension KeyValueObservation: CustomStringConvertible {
  /// The name, the key paths and the state.
  public var description: String {
    let name = name.map { " \"\($0)\"" } ?? ""
    let paths = stringKeyPath ?? keyPaths.map { "\($0)" }.joined(separator: ", ")
    let state = isRemoved ? ", removed" : isSuspended ? ", suspended" : ""
    return "KeyValueObservation\(name)(\(paths)\(state))"
  }
}

extension KeyValueObservation: ReferenceTable {
  package var label: String { "observer" }

  package var contents: Any {
    // SAFETY: the handler of an observer that is not removed is retained.
    (isRemoved ? nil : unsafe handler.takeUnretainedValue(), state.withLock { $0 })
  }
}
