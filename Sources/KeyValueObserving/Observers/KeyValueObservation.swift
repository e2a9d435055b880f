internal import BlockRuntimeThreads
public import CKeyValueObserving.Observing
internal import ObjectLifetimes
public import Synchronization

/// An observer of a property or path, and the token for its removal: what `observe` returns.
///
/// Dropping it does not remove the observer: the observed object keeps it, until it is removed, or
/// the object dies. All members may be used on any thread, also within the observer's calls.
///
/// The corresponding type of Foundation is `NSKeyValueObservation`.
@safe public final class KeyValueObservation: @unchecked Sendable {
  /// What the observer asked for.
  public let options: ObservingOptions

  /// The name that the caller gave the observer.
  public let name: String?

  /// What is observed; of a string path nothing.
  public let keyPaths: [AnyKeyPath]

  /// The string path that is observed, as it was given.
  public let stringKeyPath: String?

  /// What the observed property's list must give: more than `options`, where values are compared.
  @usableFromInline let demands: ObservingOptions

  // How many calls are under way, and whether the observer is removed.
  @usableFromInline let calls = Atomic<UInt32>(0)
  @usableFromInline static var removed: UInt32 { 1 << 31 }

  // A `ChangeHandler`, which belongs to the observation until it is removed and no call is under way.
  @usableFromInline let handler: Unmanaged<AnyObject>

  /// Reads the value that is observed: a `ValueReader`.
  let reader: AnyObject?

  /// The path whose link this is.
  let path: AnyPathObserver?

  /// The observer's place in the order in which observers were registered; a link has its path's.
  @usableFromInline let number: UInt64

  private static let count = Atomic<UInt64>(0)

  /// The number of the next observer: those that are registered have lower ones.
  @usableFromInline static var nextNumber: UInt64 { count.load(ordering: .acquiring) }

  private let state = Locked(State())

  private struct State {
    var detach: (@Sendable (KeyValueObservation) -> Void)?
    var bindings: [DeinitHook] = []
    var failure: (any Error)?
  }

  /// Makes a link of a path, which is told by its property's list and never called.
  convenience init(linkOf path: AnyPathObserver, _ options: ObservingOptions) {
    self.init(ChangeHandler<Void> { _, _ in }, options: options, path: path)
  }

  init<Value>(
    _ handler: ChangeHandler<Value>, options: ObservingOptions, name: String? = nil,
    keyPaths: [AnyKeyPath] = [], stringKeyPath: String? = nil, path: AnyPathObserver? = nil,
    reader: ValueReader<Value>? = nil
  ) {
    self.options = options
    self.name = name
    self.keyPaths = keyPaths
    self.stringKeyPath = stringKeyPath
    self.path = path
    self.reader = reader
    number = path?.number ?? Self.count.add(1, ordering: .acquiringAndReleasing).oldValue
    if options.contains(.distinct), let handler = handler.leavingOutEqualValues(options) {
      demands = options.union([.old, .new])
      unsafe self.handler = .passRetained(handler)
    } else {
      demands = options
      unsafe self.handler = .passRetained(handler)
    }
  }

  deinit {
    // SAFETY: nobody calls; a removed observer has let its handler go.
    if !isRemoved { unsafe handler.release() }
  }

  /// Whether the observer was removed, failed, or the observed object has died.
  public var isRemoved: Bool { calls.load(ordering: .acquiring) & Self.removed != 0 }

  /// The error that ended the observation: what the observer threw.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  // MARK: Removal

  /// Removes the observer: `removeObserver:forKeyPath:`.
  ///
  /// After it returns no new call starts. The closure is freed before it returns, or, if calls are
  /// under way, by the last of them.
  ///
  /// - Returns: Whether this call removed it; false if it was removed before.
  @discardableResult
  public func remove() -> Bool {
    let before = calls.bitwiseOr(Self.removed, ordering: .acquiringAndReleasing).oldValue
    guard before & Self.removed == 0 else { return false }
    let (detach, bindings) = state.withLock { state in
      defer { (state.detach, state.bindings) = (nil, []) }
      return (state.detach, state.bindings)
    }
    detach?(self)
    for binding in bindings { binding.remove() }
    // SAFETY: no call is under way, and none can begin.
    if before == 0 { unsafe handler.release() }
    return true
  }

  /// Removes the observer, and waits for its calls that are under way on other threads.
  ///
  /// Within a call of the observer it does not wait.
  ///
  /// - Returns: What `remove()` returns.
  @available(*, noasync, message: "remove, and let calls end on their own")
  @discardableResult
  public func removeAndWait() -> Bool {
    let isRemoved = remove()
    guard !isCallingHere else { return isRemoved }
    while calls.load(ordering: .acquiring) != Self.removed { cbr_observing_wait() }
    return isRemoved
  }

  /// Removes the observer when an object dies, before that object's own deinit.
  ///
  /// The object is not retained: a controller binds its observers to itself. It may be bound to
  /// several objects, and ends with the first.
  ///
  /// - Parameter object: The object; if its end is under way, or cannot be seen, the observer is
  ///   removed at once.
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

  /// Makes a token that removes the observer at its own end.
  public func scoped() -> ScopedObservation { ScopedObservation(self) }

  // MARK: What its makers do

  /// Says what is to be undone when the observer is removed; at once if it has been.
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

  // MARK: Calls

  /// Tells the observer of a change, now or at the end of the thread's transaction.
  @inlinable
  func deliver<Value>(_ object: AnyObject, _ change: Change<Value>) {
    if !cbr_observing_is_plain() { return deliverInMode(object, change) }
    call(object, change)
  }

  @inlinable
  func call<Value>(_ object: AnyObject, _ change: Change<Value>) {
    unsafe ObserverCalls.run { calls in unsafe call(object, change, calls) }
  }

  @inlinable @inline(__always)
  func call<Value>(_ object: AnyObject, _ change: Change<Value>, _ calls: ObserverCalls) {
    guard begin() else { return }
    unsafe calls.frame.pointee.observer = UnsafeRawPointer(
      Unmanaged.passUnretained(self).toOpaque())
    // SAFETY: a list of observers and its notifications agree on the type of the values; the
    // handler is kept while a call is under way.
    unsafe Unmanaged<ChangeHandler<Value>>.fromOpaque(handler.toOpaque())
      ._withUnsafeGuaranteedRef {
        do { try $0.body(object, change) } catch { fail(error) }
      }
    unsafe calls.frame.pointee.observer = nil
    end()
  }

  @inlinable
  func begin() -> Bool {
    var present = calls.load(ordering: .relaxed)
    while present & Self.removed == 0 {
      let result = calls.weakCompareExchange(
        expected: present, desired: present + 1, ordering: .acquiringAndReleasing)
      if result.exchanged { return true }
      present = result.original
    }
    return false
  }

  @inlinable
  func end() {
    let now = calls.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if now & Self.removed != 0 { endRemoved(now) }
  }

  @usableFromInline
  func endRemoved(_ now: UInt32) {
    // SAFETY: the last call of a removed observer is the last user of its handler.
    if now == Self.removed { unsafe handler.release() }
    cbr_observing_wake()
  }

  @usableFromInline
  func fail(_ error: any Error) {
    state.withLock { state in
      if state.failure == nil { state.failure = error }
    }
    remove()
  }

  /// Delivers a change where some thread records or is in a transaction.
  @usableFromInline
  func deliverInMode<Value>(_ object: AnyObject, _ change: Change<Value>) {
    if ChangeTransaction.current?.take(change, of: object, for: self) ?? false { return }
    DependencyTracker.suspended { call(object, change) }
  }

  private var isCallingHere: Bool {
    let me = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    var frame = unsafe cbr_observing_here().pointee.call
    // SAFETY: the frames of this thread's calls, innermost first.
    while let call = unsafe frame {
      if unsafe call.pointee.observer == me { return true }
      unsafe frame = call.pointee.outer
    }
    return false
  }
}

extension KeyValueObservation: CustomStringConvertible {
  /// The name, the key paths and the state.
  public var description: String {
    let name = name.map { " \"\($0)\"" } ?? ""
    let paths = stringKeyPath ?? keyPaths.map { "\($0)" }.joined(separator: ", ")
    return "KeyValueObservation\(name)(\(paths)\(isRemoved ? ", removed" : ""))"
  }
}

/// An observation that is removed when this token is dropped.
public struct ScopedObservation: ~Copyable, Sendable {
  /// The observation.
  public let observation: KeyValueObservation

  init(_ observation: KeyValueObservation) { self.observation = observation }

  deinit { observation.remove() }
}
