internal import BlockRuntimeThreads
internal import Synchronization

extension KeyValueObservation {
  // MARK: Suspension

  /// Whether the observer is suspended.
  public var isSuspended: Bool {
    calls.load(ordering: .acquiring) & (Self.suspended | Self.removed) == Self.suspended
  }

  /// Suspends the observer: it hears of no changes until it is resumed.
  ///
  /// After it returns, no new call starts, neither for changes that are made meanwhile nor for
  /// those that have not been told yet: at the end of a transaction, on a target, in order. Only an
  /// observer with the option `prior` that was called before a change is called after it, too: it
  /// hears both calls or neither.
  ///
  /// It is a switch, as `remove()` is, and `isSuspended` of Foundation's queues: a second call
  /// changes nothing, and one `resume(tellingLast:)` ends both. A counter, as that of a dispatch
  /// queue, leaves an observer silent for ever if one call is missing. Code that may be called
  /// within other code which suspends the observer resumes it only if its own call suspended it:
  ///
  /// ```swift
  /// let token = person.observe(\.name) { _, change in print(change) }
  /// let isMine = token.suspend()
  /// defer { if isMine { token.resume() } }
  /// ```
  ///
  /// An observer of several key paths, or of the members of a collection, is suspended as a whole;
  /// which members it observes, it keeps track of. A sequence (`ObservedChanges.observation`)
  /// gathers nothing meanwhile; what it has gathered is still awaited. An observer with the option
  /// `old` holds the first value that it missed until it is resumed or removed.
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
  /// - Parameter tellingLast: Whether the observer is called for what it has missed, if anything:
  ///   once, on the calling thread (or on its target), with the kind `setting`, the value before
  ///   the first call that it missed as old, and the present value as new. If it asks for `prior`
  ///   calls, it is called for both, one after the other. With `distinct` it is not called if the
  ///   values are equal. The value is read, so the call needs the same protection as the property.
  ///   The old value of a collection is nil if the first change that was missed was one of members,
  ///   and was made before the suspension. An observer of several key paths, or of members, is called for each that
  ///   has changed. In a transaction, it is called at the end.
  /// - Returns: Whether the observer was suspended.
  @discardableResult
  public func resume(tellingLast: Bool = false) -> Bool {
    // The calls before and after a change belong together also if this is between them.
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
      reader?.tell(self, object, old: missed.old)
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
      // Another thread may have resumed the observer meanwhile: it would hear of the change by
      // neither call.
      if note(missed) != nil { return }
    }
  }

  private func isOfEqualValues<Value>(_ change: Change<Value>) -> Bool {
    options.contains(.distinct) && change.kind == .setting
      && ChangeHandler<Value>.areEqual(change.old, change.new)
  }

  /// Leaves out a change of which the observer would hear later, if it is suspended now and was not
  /// called before the change.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - object: The observed object.
  /// - Returns: What to call when the observer would have heard of the change; nil if it is not
  ///   left out.
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
      // It was resumed meanwhile.
      pair?.leaveOut(self)
      return nil
    }
    return { [self] in state.withLock { _ in noted.isLater = demands.contains(.elsewhere) } }
  }

  // MARK: Missed changes

  /// Notes the value before a change of members: the change itself has only these.
  func note<Value>(_ value: Value?, of object: AnyObject, before kind: ChangeKind) {
    guard kind != .setting, isSuspended, demands.contains(.old) else { return }
    let isLater = demands.contains(.elsewhere) || demands.contains(.inOrder) && WaitingCalls.isAny
    note(MissedChange(of: WeakOwner(object), old: value, isCertain: false, isLater: isLater))
  }

  /// Notes what was missed, unless something earlier was.
  ///
  /// - Returns: What is noted in its place.
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

  // MARK: Parts

  /// Makes this the observation of several values, each of which has one that is a part of it.
  func beginParts() { state.withLock { $0.parts = [:] } }

  /// Adds a part, which is removed and suspended with this observation.
  func add(_ part: KeyValueObservation) {
    let isAdded = state.withLock { state in
      state.parts?.updateValue(part, forKey: ObjectIdentifier(part))
      return state.parts != nil
    }
    guard isAdded else {
      part.remove()
      return
    }
    part.attach { [weak self] part in
      let forgotten = self?.state.withLock {
        $0.parts?.removeValue(forKey: ObjectIdentifier(part))
      }
      withExtendedLifetime(forgotten) {}
    }
    align(part)
  }

  /// The parts, in the order of registration.
  private var parts: [KeyValueObservation] {
    state.withLock { $0.parts.map { Array($0.values) } ?? [] }.sorted { $0.number < $1.number }
  }

  /// Makes a part suspended if this observation is, also while other threads suspend and resume it.
  private func align(_ part: KeyValueObservation, tellingLast: Bool = false) {
    var isSuspended: Bool
    repeat {
      isSuspended = self.isSuspended
      if isSuspended { part.suspend() } else { part.resume(tellingLast: tellingLast) }
    } while isSuspended != self.isSuspended
  }
}

/// What a suspended observer has missed; guarded by its lock.
final class MissedChange {
  let owner: WeakOwner

  /// The value before the first call that it missed, if the observer asks for it and it is known.
  let old: Any?

  /// Whether it has missed a call; otherwise it may miss one for the change that has begun.
  var isCertain: Bool

  /// Whether calls that were waiting before the suspension, on a target or in order, come before
  /// this one.
  var isLater: Bool

  init(of owner: WeakOwner, old: Any?, isCertain: Bool, isLater: Bool) {
    self.owner = owner
    self.old = old
    self.isCertain = isCertain
    self.isLater = isLater
  }
}

extension ObserverList {
  /// Notes the value before a change of members for observers that are suspended.
  func note<Value>(_ value: Value, of object: AnyObject, before outline: ChangeOutline) {
    guard outline.kind != .setting else { return }
    let table = beginNotification()
    defer { endNotification() }
    for index in 0..<table.count {
      // SAFETY: the index is below the count; tables are not freed during a notification.
      unsafe table[index]._withUnsafeGuaranteedRef {
        $0.note(value, of: object, before: outline.kind)
      }
    }
  }
}
