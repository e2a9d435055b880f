public import CKeyValueObserving.Observing

extension KeyValueObservable {
  /// Makes a manual change, and notifies observers of a property: after it, and before it those
  /// that asked for `.prior`.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - kind: The kind of the change.
  ///   - indexes: The indexes of the change: for a removal before the change, otherwise after it.
  ///   - body: Makes the change.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; observers are notified all the same.
  public func withChange<Value, Result, Failure: Error>(
    of keyPath: KeyPath<Self, Value>, _ kind: ChangeKind = .setting,
    at indexes: RangeSet<Int>? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    willChange(keyPath, kind, at: indexes)
    defer { didChange(keyPath) }
    return try body()
  }

  /// Notifies observers that a property is about to change: `willChangeValue(forKey:)`.
  ///
  /// Calls nest. Until each is balanced by a call of `didChange(_:)`, the property's setter
  /// notifies no observers, on any thread; then observers are notified once. Prefer
  /// `withChange(of:)`, which balances the calls itself.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - kind: The kind of the change; in nested calls, that of the outermost counts.
  ///   - indexes: The indexes of the change: for a removal before the change, otherwise after it.
  public func willChange<Value>(
    _ keyPath: KeyPath<Self, Value>, _ kind: ChangeKind = .setting,
    at indexes: RangeSet<Int>? = nil
  ) {
    // In a transaction, a change of a collection is a setting of the whole value.
    let isWhole = ChangeTransaction.current != nil
    let outline = isWhole ? ChangeOutline(.setting) : ChangeOutline(kind, indexes)
    guard let list = ObserverRegistry.existingList(for: keyPath, of: self), list.open(outline)
    else { return }
    var old: Value?
    if list.wants(ObserverList.wantsOld) {
      let whole = self[keyPath: keyPath]
      list.note(whole, of: self, before: outline)
      if outline.kind != .insertion { old = members(of: whole, at: outline.details?.indexes) }
    }
    let start = list.begin(self, outline, old: old, isManual: true)
    list.keep(start, old: old)
  }

  /// Notifies observers that a property has changed: `didChangeValue(forKey:)`.
  ///
  /// Without a preceding call of `willChange(_:_:at:)` it does nothing, nor does it end the silence
  /// of `withoutNotifying(_:_:)`.
  ///
  /// - Parameter keyPath: The property.
  public func didChange<Value>(_ keyPath: KeyPath<Self, Value>) {
    guard let list = ObserverRegistry.existingList(for: keyPath, of: self),
      let open = list.closeChange()
    else { return }
    end(open, of: keyPath, list)
  }

  /// Calls a closure, and notifies no observers of the changes of a property that it makes.
  ///
  /// Observers of paths and computed properties that read the property are not notified either.
  /// Paths still follow it, so they notify of later changes. The old value of the property's next
  /// change is the one that the closure has left. A transaction does not contain the changes
  /// either.
  ///
  /// Calls nest, with each other and with manual changes of the property: the outermost decides
  /// whether observers are notified. As during a manual change, no thread's setting of the property
  /// notifies observers.
  ///
  /// ```swift
  /// person.withoutNotifying(\.name) { person.name = "Ada" }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The property, one of the object itself. Changes of a property that it is computed
  ///     from, or of another object's property, notify as usual; so does the end of the object to
  ///     which an `@ObservedWeak` property refers.
  ///   - body: Makes the changes.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func withoutNotifying<Value, Result, Failure: Error>(
    _ keyPath: KeyPath<Self, Value>, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The list is made even if the property was never observed: the closure may begin to observe
    // it.
    let list = ObserverRegistry.list(for: keyPath, of: self)
    _ = list.open(ChangeOutline(.setting), isSilent: true)
    defer { if let open = list.closeChange(isSilent: true) { end(open, of: keyPath, list) } }
    return try body()
  }

  func end<Value>(
    _ open: OpenChange, of keyPath: KeyPath<Self, Value>, _ list: ObserverList
  ) {
    guard !open.isSilent else { return list.followPaths() }
    let new =
      open.outline.kind == .removal || !list.wants(ObserverList.wantsNew)
      ? nil : members(of: self[keyPath: keyPath], at: open.outline.details?.indexes)
    list.end(self, open.outline, open.start, old: open.old as? Value, new: new)
  }

  /// Notes that a property is read; call it in the getter of a property that is changed manually.
  ///
  /// Paths that read the property are then evaluated again when it changes.
  ///
  /// - Parameter keyPath: The property.
  @inlinable
  public func willRead<Value>(_ keyPath: KeyPath<Self, Value>) {
    if !cbr_observing_is_plain() { DependencyTracker.noteManual(self, keyPath) }
  }
}
