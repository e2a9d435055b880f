private import BlockRuntimeThreads
internal import CMessageForwarding.Messages
public import Invocations
internal import ObjectLifetimes

// SAFETY, for the whole file: the slot holds a reference to the list in it; a list that was
// replaced is let go of when no dispatch is inside of it.

/// A receiver that sends every message on to several targets: a multicast delegate.
///
/// ```swift
/// let listeners = MultiTargetProxy()
/// listeners.add(page)
/// listeners.add(log, priority: 1)          // gets messages first
/// listeners.setPolicy(.allOf, for: "canClose")
/// try listeners.send("didLoad:", Int32(3)) // to all that have the method
/// ```
///
/// Targets are not kept alive, unless they are added so; they are while a message is sent to them,
/// and dead ones are dropped. Only those that respond to a message get it: who has a method for it,
/// and whose `responds(to:)` says so otherwise. Who gets it and whose answer counts says a
/// `ResultPolicy`.
///
/// Targets may be added and removed at any time, also while a message is being sent to them: it
/// goes to those that were there when it was sent. Of a target that is removed meanwhile no call
/// begins any more, except one that another thread is just about to begin.
///
/// The error of a target goes to `onError`, and the message on to the others. A proxy may be a
/// target, but not its own: that is reported as `forwardingLoop`.
///
/// All functions may be called from any thread; who shares a proxy with another thread answers for
/// its targets, which messages reach on the sender's.
@safe
public final class MultiTargetProxy: MessageReceiver {
  /// Receives what targets throw.
  public typealias ErrorHandler =
    @Sendable (
      _ target: any MessageReceiver, _ selector: Selector, _ error: MessageError
    ) -> Void

  let onError: ErrorHandler
  let ownership = ProxyOwnership()
  private let changes = Locked(())
  private let slot: UnsafeMutablePointer<UnsafeRawPointer?>

  /// Makes a proxy.
  ///
  /// - Parameters:
  ///   - targets: The targets, which are not kept alive.
  ///   - policy: Who gets messages that have no policy of their own.
  ///   - ignoresUnrecognized: Whether a message that no target responds to is answered with zero,
  ///     and is no error.
  ///   - onError: Receives what each target throws. Standard error if not given.
  public init(
    _ targets: [any MessageReceiver] = [], policy: ResultPolicy = .automatic,
    ignoresUnrecognized: Bool = false,
    onError: @escaping ErrorHandler = { _, _, error in reportHandlerError(error) }
  ) {
    self.onError = onError
    unsafe slot = .allocate(capacity: 1)
    let rules = TargetList.Rules(policy: policy, ignoresUnrecognized: ignoresUnrecognized)
    unsafe slot.initialize(to: Self.retained(TargetList([], rules)))
    for target in targets { add(target) }
  }

  deinit {
    // Nobody sends it messages any more.
    if let last = unsafe slot.pointee {
      unsafe Unmanaged<TargetList>.fromOpaque(last).release()
    }
    unsafe slot.deallocate()
  }

  /// A proxy has no methods of its own.
  public static var methods: MethodTable { MethodTable(MultiTargetProxy.self) }

  /// True: the targets answer.
  @inlinable
  public static var _forwardsEverything: Bool { true }

  // MARK: - Targets

  /// Adds a target behind those of the same or a higher priority.
  ///
  /// - Parameters:
  ///   - target: The target; one that is there already stays as it is. The proxy itself is none.
  ///   - isStrong: Whether it is kept alive.
  ///   - priority: Higher gets messages first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(
    _ target: any MessageReceiver, strongly isStrong: Bool = false, priority: Int = 0
  ) -> Bool {
    guard target !== self else { return false }
    let reference = WeakReference(target as AnyObject)
    let new = ProxyTarget(target, reference.identity, isStrong: isStrong, priority: priority)
    return change { targets, _ in
      guard !targets.contains(where: { $0.identity == new.identity }) else { return false }
      let place = targets.firstIndex { $0.priority < priority } ?? targets.count
      targets.insert(new, at: place)
      return true
    }
  }

  /// Removes a target: when this returns no call of it begins any more.
  ///
  /// - Parameter target: The target.
  /// - Returns: Whether it was there.
  @discardableResult
  public func remove(_ target: any MessageReceiver) -> Bool {
    let reference = WeakReference(target as AnyObject)
    return change { targets, _ in
      guard let index = targets.firstIndex(where: { $0.identity == reference.identity }) else {
        return false
      }
      targets.remove(at: index).remove()
      return true
    }
  }

  /// Removes all targets.
  public func removeAll() {
    change { targets, _ in
      for target in targets { target.remove() }
      targets = []
    }
  }

  /// Whether an object is a target.
  ///
  /// - Parameter target: The object.
  /// - Returns: Whether messages go to it.
  public func contains(_ target: any MessageReceiver) -> Bool {
    let reference = WeakReference(target as AnyObject)
    return list.targets.contains { $0.identity == reference.identity }
  }

  /// The targets that are alive, in the order in which they get messages.
  public var targets: [any MessageReceiver] { list.targets.compactMap(\.receiver) }

  /// Drops the targets that have died.
  func dropDead() {
    let dead = list.targets.filter { $0.receiver == nil }
    if dead.isEmpty { return }
    change { targets, _ in targets.removeAll { target in dead.contains { $0 === target } } }
  }

  // MARK: - Rules

  /// Who gets messages that have no policy of their own.
  public var policy: ResultPolicy {
    get { list.rules.policy }
    set { change { $1.policy = newValue } }
  }

  /// Whether a message that no target responds to is answered with zero, and is no error.
  public var ignoresUnrecognized: Bool {
    get { list.rules.ignoresUnrecognized }
    set { change { $1.ignoresUnrecognized = newValue } }
  }

  /// Gives a message a policy of its own.
  ///
  /// - Parameters:
  ///   - policy: The policy; nil for the proxy's.
  ///   - selector: The message.
  public func setPolicy(_ policy: ResultPolicy?, for selector: Selector) {
    change { $1.policies[selector] = policy }
  }

  /// The policy of a message.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Its own, or the proxy's.
  public func policy(for selector: Selector) -> ResultPolicy { list.rules.policy(for: selector) }

  // MARK: - The list of the moment

  /// Where the list is; dispatches protect it.
  var place: UnsafePointer<UnsafeRawPointer?> { unsafe UnsafePointer(slot) }

  /// The list of the moment.
  var list: TargetList {
    let dispatch = unsafe TargetDispatch(self)
    defer { unsafe dispatch.end() }
    return unsafe dispatch.list
  }

  /// Replaces the list; nothing of the targets' is run or let go of under the lock.
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
