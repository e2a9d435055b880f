internal import CKeyValueObserving.Observing

/// Calls a closure, and tells observers of all changes that it makes once, at the end.
///
/// Each observer that would have been called is called once, in the order of their first changes,
/// with kind `setting`, the value before the first change as old, and the one after the last as new:
/// also of collections, whose single changes are not told. With `distinct` nothing is told of a
/// value that is in the end what it was. Calls with `prior` come at the first change. Where a
/// transaction is made within another, the outer one tells. Only changes that the calling thread
/// makes belong to it. If the closure throws, what was changed is told all the same.
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

/// The changes that a thread makes in one go, gathered for each observation.
final class ChangeTransaction {
  private var order: [ObjectIdentifier] = []
  private var pending: [ObjectIdentifier: any PendingChange] = [:]

  /// The calling thread's.
  static var current: ChangeTransaction? {
    guard !cbr_observing_is_plain(),
      let transaction = unsafe cbr_observing_here().pointee.transaction
    else { return nil }
    // SAFETY: `withChangeTransaction` keeps it.
    return unsafe Unmanaged<ChangeTransaction>.fromOpaque(transaction).takeUnretainedValue()
  }

  func begin() {
    unsafe cbr_observing_here().pointee.transaction = Unmanaged.passUnretained(self).toOpaque()
    cbr_observing_begin_mode()
  }

  func end() {
    unsafe cbr_observing_here().pointee.transaction = nil
    cbr_observing_end_mode()
    // All values are those at the end: observers may change them.
    let changes = order.compactMap { pending[$0] }
    for change in changes { change.readNew() }
    for change in changes { change.deliver() }
  }

  /// Takes a change that is to be told later.
  ///
  /// - Returns: False if it is to be told now.
  func take<Value>(
    _ change: Change<Value>, of object: AnyObject, for observation: KeyValueObservation
  ) -> Bool {
    let identity = ObjectIdentifier(observation)
    if let present = pending[identity] as? Pending<Value> {
      if change.isPrior { return true }
      if present.isPrior { order.append(identity) }
      present.merge()
    } else {
      pending[identity] = Pending(observation, object, change)
      // The change itself comes next; another prior call does not.
      if change.isPrior { observation.call(object, change) } else { order.append(identity) }
    }
    return true
  }

  private protocol PendingChange: AnyObject {
    func readNew()
    func deliver()
  }

  private final class Pending<Value>: PendingChange {
    private let observation: KeyValueObservation
    private let object: AnyObject
    private var change: Change<Value>

    /// Whether only the call before the first change has come.
    var isPrior: Bool { change.isPrior }

    init(_ observation: KeyValueObservation, _ object: AnyObject, _ change: Change<Value>) {
      self.observation = observation
      self.object = object
      self.change = change
      if change.kind == .setting { self.change.new = nil }
    }

    func merge() {
      change.isPrior = false
      change.kind = .setting
      change.indexes = nil
    }

    /// Reads the new value only at the end: one that is kept would be copied by the next change.
    func readNew() {
      guard change.kind == .setting, observation.demands.contains(.new), !observation.isRemoved,
        let reader = observation.reader as? ValueReader<Value>
      else { return }
      change.new = DependencyTracker.suspended { reader.body(object) }
    }

    func deliver() { observation.call(object, change) }
  }
}
