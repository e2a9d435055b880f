public import CKeyValueObserving.Observing

extension KeyValueObservable {
  /// Makes a change by hand, and tells observers of a property before and after.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - kind: What the change does.
  ///   - indexes: Where it does it: of a removal before the change, otherwise after it.
  ///   - body: Makes the change.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; observers are told all the same.
  public func withChange<Value, Result, Failure: Error>(
    of keyPath: KeyPath<Self, Value>, _ kind: ChangeKind = .setting,
    at indexes: RangeSet<Int>? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    willChange(keyPath, kind, at: indexes)
    defer { didChange(keyPath) }
    return try body()
  }

  /// Says that a property is about to change: `willChangeValue(forKey:)`.
  ///
  /// Until as many calls of `didChange(_:)` have come, the property's setter tells nobody, on no
  /// thread; then observers are told once. Prefer `withChange(of:)`, which forgets no end.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - kind: What the change does; of calls within one another the outer one counts.
  ///   - indexes: Where it does it: of a removal before the change, otherwise after it.
  public func willChange<Value>(
    _ keyPath: KeyPath<Self, Value>, _ kind: ChangeKind = .setting,
    at indexes: RangeSet<Int>? = nil
  ) {
    // In a transaction a collection is set as a whole.
    let isWhole = ChangeTransaction.current != nil
    let outline = isWhole ? ChangeOutline(.setting) : ChangeOutline(kind, indexes)
    guard let list = ObserverRegistry.existingList(for: keyPath, of: self), list.open(outline)
    else { return }
    var old: Value?
    if list.wants(ObserverList.wantsOld), outline.kind != .insertion {
      old = members(of: self[keyPath: keyPath], at: outline.places?.indexes)
    }
    let start = list.begin(self, outline, old: old, isByHand: true)
    list.keep(start, old: old)
  }

  /// Says that a property has changed: `didChangeValue(forKey:)`.
  ///
  /// Without a call of `willChange(_:_:at:)` before it does nothing.
  ///
  /// - Parameter keyPath: The property.
  public func didChange<Value>(_ keyPath: KeyPath<Self, Value>) {
    guard let list = ObserverRegistry.existingList(for: keyPath, of: self),
      let open = list.closeChange()
    else { return }
    let new =
      open.outline.kind == .removal || !list.wants(ObserverList.wantsNew)
      ? nil : members(of: self[keyPath: keyPath], at: open.outline.places?.indexes)
    list.end(self, open.outline, open.start, old: open.old as? Value, new: new)
  }

  /// Says, in the getter of a property that is changed by hand, that the property will be read.
  ///
  /// Paths that lead through the property see its changes by this.
  ///
  /// - Parameter keyPath: The property.
  @inlinable
  public func willRead<Value>(_ keyPath: KeyPath<Self, Value>) {
    if !cbr_observing_is_plain() { DependencyTracker.current?.noteByHand(self, keyPath) }
  }

  private func members<Value>(of value: Value, at indexes: RangeSet<Int>?) -> Value {
    guard let indexes, let collection = value as? any ObservableCollection else { return value }
    return collection.members(at: indexes) as? Value ?? value
  }
}
