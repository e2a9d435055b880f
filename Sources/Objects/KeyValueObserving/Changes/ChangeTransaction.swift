internal import CKeyValueObserving.Observing

/// Calls a closure, and notifies observers once, at the end, of all changes that it makes.
///
/// Each observer that would have been called is called once, in the order of their first changes.
/// Its change has the kind `setting`, also for a collection; `old` is the value before the first
/// change, and `new` the value after the last. With `distinct`, an observer is not called if the
/// value in the end equals the value at the beginning. Prior calls are made at the first change. In
/// a nested transaction, the outermost one notifies. Only changes that the calling thread makes
/// belong to a transaction. If the closure throws, observers are notified all the same.
///
/// ```swift
/// withChangeTransaction {
///   rectangle.width = 3
///   rectangle.height = 4
/// }  // an observer of \.area is called once
/// ```
///
/// - Parameter body: The closure.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
public func withChangeTransaction<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  guard ChangeTransaction.current == nil else { return try body() }
  let transaction = ChangeTransaction()
  transaction.begin()
  defer { transaction.end() }
  return try body()
}

/// The changes that a thread makes in a transaction, merged into one for each observation.
final class ChangeTransaction {
  private var order: [ObjectIdentifier] = []
  private var pending: [ObjectIdentifier: any PendingChange] = [:]

  /// The calling thread's transaction.
  static var current: ChangeTransaction? {
    guard !cbr_observing_is_plain(),
      let transaction = unsafe cbr_observing_here().pointee.transaction
    else { return nil }
    // SAFETY: `withChangeTransaction` retains it until it has ended, on this thread.
    return unsafe Unmanaged<ChangeTransaction>.fromOpaque(transaction).takeUnretainedValue()
  }

  func begin() {
    unsafe cbr_observing_here().pointee.transaction = Unmanaged.passUnretained(self).toOpaque()
    cbr_observing_begin_mode()
  }

  func end() {
    unsafe cbr_observing_here().pointee.transaction = nil
    cbr_observing_end_mode()
    // All values are read before the first handler runs, because handlers may change them.
    let changes = order.compactMap { pending[$0] }
    for change in changes { change.readNew() }
    let isInOrder = changes.contains(where: \.isInOrder)
    let outer = isInOrder ? WaitingCalls.begin() : 0
    // Handlers that run elsewhere come first: those that run here may make changes, which are
    // delivered after these.
    for change in changes where change.isElsewhere { change.runHandler() }
    for change in changes where !change.isElsewhere { change.runHandler() }
    if isInOrder { WaitingCalls.end(outer) }
  }

  /// Records a change that is delivered to an observation, whose handler runs at the end.
  ///
  /// For the first prior call, the handler runs at once. A change while the observer is suspended
  /// is not recorded, unless an earlier one was.
  func take<Value>(
    _ change: Change<Value>, of object: AnyObject, for observation: KeyValueObservation
  ) {
    let identity = ObjectIdentifier(observation)
    if let present = pending[identity] as? Pending<Value> {
      if change.isPrior { return }
      if present.isPrior { order.append(identity) }
      present.merge(change.origin)
    } else if let settle = observation.leaveOut(change, of: object) {
      // Calls for earlier changes may wait until the end of a notification that is in progress.
      if isInOrder(observation) { WaitingCalls.append(settle) } else { settle() }
    } else {
      pending[identity] = Pending(observation, object, change)
      // The call for the change itself follows; further prior calls are dropped.
      if change.isPrior {
        observation.runHandlerInOrder(object, change)
      } else {
        order.append(identity)
      }
    }
  }

  private func isInOrder(_ observation: KeyValueObservation) -> Bool {
    observation.demands.contains(.inOrder) && WaitingCalls.isAny
  }

  private protocol PendingChange: AnyObject {
    var isInOrder: Bool { get }
    var isElsewhere: Bool { get }
    func readNew()
    func runHandler()
  }

  private final class Pending<Value>: PendingChange {
    private let observation: KeyValueObservation
    private let object: AnyObject
    private var change: Change<Value>

    /// Whether only the prior call of the first change has been made.
    var isPrior: Bool { change.isPrior }

    init(_ observation: KeyValueObservation, _ object: AnyObject, _ change: Change<Value>) {
      self.observation = observation
      self.object = object
      self.change = change
      if change.kind == .setting { self.change.new = nil }
    }

    func merge(_ origin: ChangeOrigin?) {
      change.isPrior = false
      // If a manual change began earlier, `old` has the members that it removed, not the value
      // before.
      if change.kind != .setting { change.old = nil }
      change.kind = .setting
      change.details = ChangeDetails.of(nil, change.details?.pair, origin)
    }

    /// Reads the new value, only at the end: while a value is stored, the next change would copy
    /// it.
    func readNew() {
      guard change.kind == .setting, observation.demands.contains(.new), !observation.isRemoved,
        let reader = observation.reader as? ValueReader<Value>
      else { return }
      change.new = reader.value(of: object)
    }

    var isInOrder: Bool { observation.demands.contains(.inOrder) }

    var isElsewhere: Bool { observation.demands.contains(.elsewhere) }

    func runHandler() { observation.runHandlerInOrder(object, change) }
  }
}
