private import BlockRuntimeThreads
internal import CMessageForwarding.Messages
public import Invocations
internal import ObjectLifetimes

/// A receiver that forwards every message to several targets: a multicast delegate.
///
/// ```swift
/// let listeners = MultiTargetProxy(weak: [page])
/// listeners.add(weak: log, priority: 1)    // receives messages first
/// listeners.setPolicy(.allOf, for: "canClose")
/// try listeners.send("didLoad:", Int32(3)) // to all that have the method
/// ```
///
/// Targets are weak or strong, as the label says: weak ones are retained only while a message is
/// sent to them, and are removed when they have died. A message is sent only to targets that
/// respond: those that have a method for it, or whose `responds(to:)` returns true. A
/// `ResultPolicy` decides which of them receive it, and which answer the sender receives.
///
/// Targets may be added and removed at any time, also while a message is being sent to them: it
/// goes to those that were targets when it was sent. After a target was removed no call of it
/// begins, except one that another thread is just about to begin.
///
/// The error of a target is passed to `onError`, and the message is sent to the others. If all of
/// them fail, the sender gets the first error. A proxy may be a target of other proxies, but not of
/// itself, directly or indirectly: that is reported as `forwardingLoop`.
///
/// All functions may be called from any thread. Messages run the targets' methods on the sender's
/// thread: if several threads share a proxy, its targets must be safe to use on all of them.
@safe
public final class MultiTargetProxy: MessageReceiver {
  // SAFETY: the slot is never empty while the proxy lives, and owns a reference to its list.
  // Dispatches protect the list by hazard pointers; a replaced list is retired, and so freed after
  // them. Under the lock `changes` only one thread at a time replaces the list.

  /// Receives the errors of targets.
  public typealias ErrorHandler =
    @Sendable (
      _ target: any MessageReceiver, _ selector: Selector, _ error: MessageError
    ) -> Void

  let onError: ErrorHandler
  let ownership = ProxyOwnership()
  private let changes = Locked(())
  private let slot: UnsafeMutablePointer<UnsafeRawPointer?>

  /// Creates a proxy.
  ///
  /// - Parameters:
  ///   - weakTargets: The first targets, which are not retained.
  ///   - strongTargets: The targets after them, which the proxy retains.
  ///   - policy: The policy of messages that have none of their own.
  ///   - ignoresUnrecognized: Whether a message to which no target responds returns zero instead of
  ///     throwing an error.
  ///   - onError: Receives the errors of targets; if not given, they are written to standard error.
  public init(
    weak weakTargets: [any MessageReceiver] = [], strong strongTargets: [any MessageReceiver] = [],
    policy: ResultPolicy = .automatic,
    ignoresUnrecognized: Bool = false,
    onError: @escaping ErrorHandler = writeError
  ) {
    self.onError = onError
    unsafe slot = .allocate(capacity: 1)
    let rules = TargetList.Rules(policy: policy, ignoresUnrecognized: ignoresUnrecognized)
    unsafe slot.initialize(to: Self.retained(TargetList([], rules)))
    for target in weakTargets { add(weak: target) }
    for target in strongTargets { add(strong: target) }
  }

  /// Writes the error of a target to standard error.
  @usableFromInline
  static func writeError(
    of target: any MessageReceiver, _ selector: Selector, _ error: MessageError
  ) {
    let itself = target._messageClass
    reportError(
      error,
      from: "a target of a proxy (\(itself.isClassItself ? "the class " : "")\(itself.own.name))")
  }

  deinit {
    // SAFETY: no dispatch is in progress: its sender would retain the proxy.
    if let last = unsafe slot.pointee {
      unsafe Unmanaged<TargetList>.fromOpaque(last).release()
    }
    unsafe slot.deallocate()
  }

  /// No methods: a proxy has none of its own.
  public static var methods: MethodTable { MethodTable(MultiTargetProxy.self) }

  /// True: all messages are forwarded to the targets.
  @inlinable
  public static var _forwardsEverything: Bool { true }

  // MARK: - Targets

  /// Adds a target that the proxy does not retain, after those of the same or a higher priority.
  ///
  /// - Parameters:
  ///   - target: The target. An object that is a target already, or the proxy itself, is not added.
  ///   - priority: Targets of a higher priority receive messages first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(weak target: any MessageReceiver, priority: Int = 0) -> Bool {
    add(target, isStrong: false, priority)
  }

  /// Adds a target that the proxy retains, after those of the same or a higher priority.
  ///
  /// It suits targets that nothing else keeps alive, such as a `WeakProxy` or another proxy.
  ///
  /// - Parameters:
  ///   - target: The target. An object that is a target already, or the proxy itself, is not added.
  ///   - priority: Targets of a higher priority receive messages first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(strong target: any MessageReceiver, priority: Int = 0) -> Bool {
    add(target, isStrong: true, priority)
  }

  private func add(_ target: any MessageReceiver, isStrong: Bool, _ priority: Int) -> Bool {
    guard target !== self else { return false }
    let reference = WeakReference(target as AnyObject)
    let new = ProxyTarget(target, reference.identity, isStrong: isStrong, priority: priority)
    return change { targets, _ in targets.join(new) }
  }

  /// Removes a target: after the return no call of it begins, except one that another thread is
  /// just about to begin.
  ///
  /// - Parameter target: The target.
  /// - Returns: Whether it was a target.
  @discardableResult
  public func remove(_ target: any MessageReceiver) -> Bool {
    let reference = WeakReference(target as AnyObject)
    return change { targets, _ in targets.leave(reference.identity) }
  }

  /// Removes all targets.
  public func removeAll() {
    change { targets, _ in targets.leaveAll() }
  }

  /// Whether an object is a target.
  ///
  /// - Parameter target: The object.
  /// - Returns: Whether it is one.
  public func contains(_ target: any MessageReceiver) -> Bool {
    let reference = WeakReference(target as AnyObject)
    return list.targets.hasMember(reference.identity)
  }

  /// The targets that are alive, in the order in which they receive messages.
  public var targets: [any MessageReceiver] { list.targets.compactMap(\.receiver) }

  /// Removes the targets that have died.
  func dropDead() {
    let dead = list.targets.filter { $0.receiver == nil }
    if dead.isEmpty { return }
    change { targets, _ in targets.removeAll { target in dead.contains { $0 === target } } }
  }

  // MARK: - Rules

  /// The policy of messages that have none of their own.
  public var policy: ResultPolicy {
    get { list.rules.policy }
    set { change { $1.policy = newValue } }
  }

  /// Whether a message to which no target responds returns zero instead of throwing an error.
  public var ignoresUnrecognized: Bool {
    get { list.rules.ignoresUnrecognized }
    set { change { $1.ignoresUnrecognized = newValue } }
  }

  /// Sets the policy of a message.
  ///
  /// - Parameters:
  ///   - policy: The policy; nil to use the proxy's.
  ///   - selector: The message.
  public func setPolicy(_ policy: ResultPolicy?, for selector: Selector) {
    change { $1.policies[selector] = policy }
  }

  /// The policy of a message.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The message's own policy, or the proxy's.
  public func policy(for selector: Selector) -> ResultPolicy { list.rules.policy(for: selector) }

  // MARK: - The current list

  /// The slot that dispatches load and protect the list from.
  var place: UnsafePointer<UnsafeRawPointer?> { unsafe UnsafePointer(slot) }

  /// The current list.
  var list: TargetList {
    let dispatch = unsafe TargetDispatch(self)
    defer { unsafe dispatch.end() }
    return unsafe dispatch.list
  }

  /// Replaces the list; no code of targets is run, and no target released, under the lock.
  @discardableResult
  private func change<Result>(
    _ body: (inout [ProxyTarget], inout TargetList.Rules) -> Result
  ) -> Result {
    let (result, last) = unsafe changes.withLock { _ -> (Result, UnsafeRawPointer?) in
      // The slot is never empty.
      let list = unsafe Unmanaged<TargetList>.fromOpaque(slot.pointee.unsafelyUnwrapped)
        .takeUnretainedValue()
      var targets = list.targets
      var rules = list.rules
      let result = body(&targets, &rules)
      return unsafe (result, cbr_slot_exchange(slot, Self.retained(TargetList(targets, rules))))
    }
    // SAFETY: the exchange has taken the slot's reference, which is released once.
    if let last = unsafe last {
      unsafe HazardPointers.retire(
        Unmanaged<TargetList>.fromOpaque(last).takeRetainedValue(), last)
    }
    return result
  }

  private static func retained(_ list: TargetList) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passRetained(list).toOpaque())
  }
}

extension MultiTargetProxy: ReferenceTable {
  package var label: String { "targets" }
  package var contents: Any { list.targets }
}
