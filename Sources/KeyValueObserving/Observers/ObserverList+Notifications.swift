public import Synchronization

/// What a change does, besides its values.
@usableFromInline
struct ChangeOutline {
  @usableFromInline var kind: ChangeKind
  @usableFromInline var indexes: RangeSet<Int>?

  @inlinable
  init(_ kind: ChangeKind, _ indexes: RangeSet<Int>? = nil) {
    self.kind = kind
    self.indexes = indexes
  }
}

extension ObserverList {
  /// Tells all observers of a new value that was set, where none wants anything else.
  @inlinable
  func notify<Value>(_ object: AnyObject, new: Value) {
    let table = beginNotification()
    for index in 0..<table.count {
      // SAFETY: the table is kept while a notification is under way.
      unsafe table[index]._withUnsafeGuaranteedRef {
        let value = $0.demands.contains(.new) ? new : nil
        $0.tell(object, Change(new: value))
      }
    }
    endNotification()
  }

  /// Tells observers of a change that is to come, or has come.
  ///
  /// - Parameters:
  ///   - sequence: The observers that were there when the change began have lower numbers.
  ///   - old: Given to observers that ask for it.
  ///   - new: Given to observers that ask for it.
  @inlinable
  func notify<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, isPrior: Bool = false,
    below sequence: UInt64 = .max, old: Value?, new: Value?
  ) {
    let table = beginNotification()
    for index in 0..<table.count {
      // SAFETY: the table is kept while a notification is under way.
      unsafe table[index]._withUnsafeGuaranteedRef { observer in
        guard observer.isOlder(than: sequence), !isPrior || observer.demands.contains(.prior)
        else { return }
        let change = Change(
          kind: outline.kind, old: observer.demands.contains(.old) ? old : nil,
          new: observer.demands.contains(.new) ? new : nil, indexes: outline.indexes,
          isPrior: isPrior)
        observer.tell(object, change)
      }
    }
    endNotification()
  }

  /// Changes a property, and tells its observers before and after.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: What the change does.
  ///   - old: What observers get as old, read before the change.
  ///   - new: What they get as new, read after it.
  ///   - change: Does it.
  @inlinable @inline(never)
  func change<Value, Result>(
    _ object: AnyObject, _ outline: ChangeOutline = ChangeOutline(.setting),
    old: () -> Value?, new: () -> Value?, _ change: () -> Result
  ) -> Result {
    let demands = demands.load(ordering: .acquiring)
    if demands & Self.isOpen != 0 { return change() }
    let before = demands & (Self.wantsOld | Self.wantsPrior) != 0 ? old() : nil
    let sequence = demands & Self.wantsPrior != 0 ? self.sequence : .max
    if demands & Self.wantsPrior != 0 {
      notify(object, outline, isPrior: true, old: before, new: nil)
    }
    let result = change()
    notify(object, outline, below: sequence, old: before, new: new())
    return result
  }
}

extension KeyValueObservation {
  /// Tells a user's observer or a link of a path.
  @inlinable
  func tell<Value>(_ object: AnyObject, _ change: Change<Value>) {
    if demands.contains(.link) { call(object, change) } else { deliver(object, change) }
  }

  @inlinable
  func isOlder(than sequence: UInt64) -> Bool { sequence == .max || self.sequence < sequence }
}
