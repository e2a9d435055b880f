/// The first change that a suspended observer has missed; guarded by the observer's lock.
final class MissedChange {
  let owner: WeakOwner

  /// The value before the change, if the observer asks for it and it is known.
  let old: Any?

  /// Whether the observer has missed a call; otherwise it may miss one for a change that has begun.
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
