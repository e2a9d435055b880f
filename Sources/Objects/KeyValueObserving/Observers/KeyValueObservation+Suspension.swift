internal import BlockRuntimeThreads
internal import Synchronization

extension KeyValueObservation {
  // MARK: Suspension

  /// Whether the observer is suspended.
  public var isSuspended: Bool {
    calls.load(ordering: .acquiring) & (Self.suspended | Self.removed) == Self.suspended
  }

  /// Suspends the observer: no changes are delivered to it until it is resumed.
  ///
  /// After the return no new call starts, neither for changes that are made meanwhile nor for
  /// earlier ones whose calls wait: for the end of a transaction, on a target, or in order. Only an
  /// observer with the option `prior` that was called before a change is called after it too: it
  /// gets both calls or neither.
  ///
  /// Suspension is a switch, as `remove()` is, and `isSuspended` of Foundation's queues: a second
  /// call changes nothing, and one `resume(tellingLast:)` ends both. A counter, as that of a
  /// dispatch queue, leaves an observer silent for ever if one call is missing. Code that may be
  /// called within other code which suspends the observer resumes it only if its own call suspended
  /// it:
  ///
  /// ```swift
  /// let token = person.observe(\.name) { _, change in print(change) }
  /// let isMine = token.suspend()
  /// defer { if isMine { token.resume() } }
  /// ```
  ///
  /// An observer of several key paths, or of the members of a collection, is suspended as a whole;
  /// it still keeps track of its members. A sequence (`ObservedChanges.observation`) gathers
  /// nothing meanwhile; the changes that it has gathered can still be awaited. An observer with the
  /// option `old` holds the first value that it missed until it is resumed or removed.
  ///
  /// - Returns: Whether this call suspended it; false if it was suspended or removed before.
  @discardableResult
  public func suspend() -> Bool {
    let isWhole = state.withLock { $0.parts != nil }
    // A whole's own handler follows its members, and is called in any case.
    let states = isWhole ? Self.suspended : Self.suspended | Self.held
    // Under the lock, so that what is missed from here on is not forgotten.
    let (isNew, missed) = state.withLock { state in
      let before = calls.bitwiseOr(states, ordering: .acquiringAndReleasing).oldValue
      let isNew = before & (Self.suspended | Self.removed) == 0
      return (isNew, isNew ? state.missed.take() : nil)
    }
    withExtendedLifetime(missed) {}
    guard isNew else { return false }
    for part in parts { align(part) }
    return true
  }

  /// Ends the suspension of the observer.
  ///
  /// - Parameter tellingLast: Whether the observer is called for the changes that it has missed, if
  ///   any: once, on the calling thread (or on its target), with the kind `setting`, the value
  ///   before the first call that it missed as old, and the present value as new. If it asks for
  ///   `prior` calls, it is called for both, one after the other. With `distinct` it is not called
  ///   if the values are equal. The value is read, so the call needs the same protection as the
  ///   property. The old value of a collection is nil if the first change that was missed was one
  ///   of members, and was made before the suspension. An observer of several key paths, or of
  ///   members, is called for each that has changed. In a transaction, it is called at the end.
  /// - Returns: Whether the observer was suspended.
  @discardableResult
  public func resume(tellingLast: Bool = false) -> Bool {
    // The calls before and after a change belong together, even if the observer is resumed in
    // between.
    let isPaired = demands.contains(.prior)
    let states = isPaired ? Self.suspended : Self.suspended | Self.held
    let (isEnd, missed) = state.withLock { state in
      let before = calls.bitwiseAnd(~states, ordering: .acquiringAndReleasing).oldValue
      let isEnd = before & (Self.suspended | Self.removed) == Self.suspended
      return (isEnd, isEnd ? state.missed.take() : nil)
    }
    guard isEnd else { return false }
    for part in parts { align(part, tellingLast: tellingLast) }
    if tellingLast, let missed, missed.isCertain, let object = missed.owner.object {
      reader?.deliver(to: self, object, old: missed.old)
    }
    return true
  }

  // MARK: Calls

  /// Runs the handler for a change, unless the observer is removed or suspended.
  @usableFromInline @inline(never)
  func runHeldHandler<Value>(_ object: AnyObject, _ change: Change<Value>) {
    runHandler(for: change, of: WeakOwner(object)) { change in
      // SAFETY: as in `runHandler(_:_:in:)`.
      try unsafe Unmanaged<ChangeHandler<Value>>.fromOpaque(handler.toOpaque())
        ._withUnsafeGuaranteedRef { try $0.body(object, change) }
    }
  }

  /// Runs a closure that belongs to the handler for a change, unless the observer is removed or
  /// suspended.
  ///
  /// A call before a change that was left out is made after it, if the observer has been resumed
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - owner: The observed object.
  ///   - isSent: Whether the change was sent to a target, where the closure runs.
  ///   - body: The closure.
  func runHandler<Value>(
    for change: Change<Value>, of owner: @autoclosure () -> WeakOwner, isSent: Bool = false,
    _ body: (Change<Value>) throws -> Void
  ) {
    let pair = demands.contains(.prior) ? change.details?.pair : nil
    let isLate = !change.isPrior && pair?.takeLeftOut(self) ?? false
    let isOwed = !change.isPrior && !isLate && pair != nil
    while true {
      let isRun = runHandler(unless: isOwed ? Self.removed : Self.removed | Self.suspended) {
        // The handler leaves out a setting to an equal value itself.
        if isLate, !isOfEqualValues(change) {
          var prior = change
          (prior.isPrior, prior.new) = (true, nil)
          try body(prior)
        }
        if !isLate || !isRemoved { try body(change) }
      }
      guard !isRun, !isRemoved else { return }
      guard !change.isPrior else {
        pair?.leaveOut(self)
        return
      }
      let old = change.kind == .setting ? change.old : nil
      let isLater = demands.contains(.elsewhere) && !isSent
      let missed = MissedChange(of: owner(), old: old, isCertain: true, isLater: isLater)
      // Another thread may have resumed the observer meanwhile, without a call for this change.
      if note(missed) != nil { return }
    }
  }

  private func isOfEqualValues<Value>(_ change: Change<Value>) -> Bool {
    options.contains(.distinct) && change.kind == .setting
      && ChangeHandler<Value>.areEqual(change.old, change.new)
  }

  /// Leaves out a change that would be delivered later, if the observer is suspended now and was
  /// not called before the change.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - object: The observed object.
  /// - Returns: What to call when the change would have been delivered; nil if it is not left out.
  func leaveOut<Value>(_ change: Change<Value>, of object: AnyObject) -> (() -> Void)? {
    guard isSuspended else { return nil }
    let pair = demands.contains(.prior) ? change.details?.pair : nil
    guard !change.isPrior else {
      pair?.leaveOut(self)
      return {}
    }
    if let pair, !pair.takeLeftOut(self) { return nil }
    let old = change.kind == .setting ? change.old : nil
    let missed = MissedChange(of: WeakOwner(object), old: old, isCertain: true, isLater: true)
    guard let noted = note(missed) else {
      // The observer was resumed meanwhile.
      pair?.leaveOut(self)
      return nil
    }
    return { [self] in state.withLock { _ in noted.isLater = demands.contains(.elsewhere) } }
  }

  // MARK: Missed changes

  /// Notes the value before a change of members: the change itself has only the members.
  func note<Value>(_ value: Value?, of object: AnyObject, before kind: ChangeKind) {
    guard kind != .setting, isSuspended, demands.contains(.old) else { return }
    let isLater = demands.contains(.elsewhere) || demands.contains(.inOrder) && WaitingCalls.isAny
    note(MissedChange(of: WeakOwner(object), old: value, isCertain: false, isLater: isLater))
  }

  /// Notes a missed change, unless an earlier one is noted.
  ///
  /// - Returns: The noted change; nil if the observer is not suspended.
  @discardableResult
  private func note(_ change: MissedChange) -> MissedChange? {
    var dropped: MissedChange?
    let noted = state.withLock { state -> MissedChange? in
      guard isSuspended else { return nil }
      guard let first = state.missed, !first.isLater || change.isLater else {
        dropped = state.missed
        state.missed = change
        return change
      }
      if change.isCertain { first.isCertain = true }
      return first
    }
    // Values are released while no lock is held.
    withExtendedLifetime(dropped) {}
    return noted
  }
}
