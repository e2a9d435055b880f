public import Synchronization

extension ObserverList {
  /// Notifies all observers of a new value, if none asks for old values or prior calls, and no
  /// paths lead through the property.
  @inlinable
  func notify<Value>(_ object: AnyObject, new: Value) {
    let table = beginNotification()
    defer { endNotification() }
    guard table.count > 0 else { return }
    // Created once: creating and destroying a change costs more than passing it on.
    let change = Change(setting: new)
    unsafe HandlerFrame.withNew { frame in
      for index in 0..<table.count {
        // SAFETY: the index is below the count; tables are not freed during a notification.
        unsafe table[index]._withUnsafeGuaranteedRef { observer in
          if observer.demands.rawValue & Self.wantsNew != 0 {
            unsafe observer.deliver(object, change, in: frame)
          } else {
            unsafe observer.deliverWithoutValues(object, of: Value.self, in: frame)
          }
        }
      }
    }
  }

  /// Notifies the observers that ask for prior calls of a change that is about to be made.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: The outline of the change.
  ///   - old: The old value, for observers that ask for it.
  ///   - isManual: Whether the change is manual.
  /// - Returns: The beginning of the change, for `end`.
  @inlinable @inline(never)
  func begin<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, old: Value?, isManual: Bool = false
  ) -> ChangeStart {
    var start = ChangeStart(next: KeyValueObservation.nextNumber, isManual: isManual)
    notify(object, outline, isPrior: true, &start, old: old, new: nil)
    // Observers may have led more paths through the property.
    if wants(Self.hasLinks) { noteValuesOfPaths(outline, old, &start) }
    return start
  }

  /// Notifies observers of a change that has been made.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: The outline of the change.
  ///   - start: What `begin` returned, if it was called.
  ///   - old: The old value, for observers that ask for it.
  ///   - new: The new value, for observers that ask for it.
  @inlinable @inline(never)
  func end<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, _ start: ChangeStart?, old: Value?, new: Value?
  ) {
    if start == nil, outline.kind == .setting,
      demands.load(ordering: .acquiring) == Self.hasLinks, notifyOnlyPath()
    {
      return
    }
    var start = start ?? ChangeStart()
    notify(object, outline, isPrior: false, &start, old: old, new: new)
  }

  /// Changes a property, and notifies its observers before and after.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - outline: The outline of the change.
  ///   - old: Reads the old value before the change, if an observer asks for it.
  ///   - new: Reads the new value after the change, if an observer asks for it; the whole value if
  ///     the change was not as outlined.
  ///   - change: Makes the change, and returns whether it is as outlined: a prior call of an
  ///     observer may have changed the property. If not, observers receive no old value.
  @inlinable @inline(never)
  func change<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, old: () -> Value?,
    new: (_ isWhole: Bool) -> Value?, _ change: () -> Bool
  ) {
    let demands = demands.load(ordering: .acquiring)
    if demands & Self.isOpen != 0 {
      _ = change()
      return
    }
    let before = demands & Self.wantsOld != 0 ? old() : nil
    let start = demands & Self.wantsPrior != 0 ? begin(object, outline, old: before) : nil
    let isAsOutlined = change()
    let after = wants(Self.wantsNew) ? new(!isAsOutlined) : nil
    end(
      object, isAsOutlined ? outline : ChangeOutline(.setting), start,
      // Members that were to be removed are not the value before the change.
      old: isAsOutlined || outline.kind == .setting ? before : nil, new: after)
  }

  /// Whether one of some bits of `demands` is set.
  @inlinable
  func wants(_ demands: UInt16) -> Bool {
    self.demands.load(ordering: .acquiring) & demands != 0
  }

  /// Notifies observers of a change, in the order of registration.
  ///
  /// The paths through the property are notified before any change is delivered, because a handler
  /// may change the properties that the paths lead through. For the same reason, changes that are
  /// delivered elsewhere are passed on before handlers run here: so they are passed on in their
  /// order.
  @inlinable
  func notify<Value>(
    _ object: AnyObject, _ outline: ChangeOutline, isPrior: Bool, _ start: inout ChangeStart,
    old: Value?, new: Value?
  ) {
    let table = beginNotification()
    let demands = demands.load(ordering: .acquiring)
    let isInOrder = demands & Self.wantsOrder != 0
    let outer = isInOrder ? WaitingCalls.begin() : 0
    defer { if isInOrder { WaitingCalls.end(outer) } }
    defer { endNotification() }
    let count = table.count
    var change = Change(outline, old: old, new: new, isPrior: isPrior)
    if start.pair != nil || demands & Self.wantsOrigin != 0 {
      change.add(start.pair, demands & Self.wantsOrigin == 0 ? nil : .here())
    }
    let deliveries = demands & Self.hasLinks != 0 ? notifyPaths(table, count, change, &start) : []
    let isPassedOn = demands & Self.deliversElsewhere != 0
    if isPassedOn {
      deliver(object, change, to: table, count, deliveries, start, passingOn: true)
    }
    deliver(
      object, change, to: table, count, deliveries, start, passingOn: isPassedOn ? false : nil)
  }

  /// Delivers a change to observers.
  ///
  /// - Parameters:
  ///   - object: The property's object.
  ///   - change: The change.
  ///   - table: The table of observers.
  ///   - count: The number of observers.
  ///   - deliveries: The deliveries to paths, in the order of the table.
  ///   - start: The beginning of the change.
  ///   - passingOn: Whether to deliver the change to observers that pass it on, or to the others;
  ///     nil for all.
  @inlinable
  func deliver<Value>(
    _ object: AnyObject, _ change: Change<Value>, to table: ObserverTable, _ count: Int,
    _ deliveries: ArraySlice<PathDelivery>, _ start: ChangeStart, passingOn: Bool?
  ) {
    var deliveries = deliveries
    for index in 0..<count {
      // SAFETY: the index is below the count; tables are not freed during a notification.
      unsafe table[index]._withUnsafeGuaranteedRef { observer in
        let demands = observer.demands.rawValue
        let delivery = deliveries.first?.index == index ? deliveries.removeFirst() : nil
        if let passingOn, passingOn != (demands & Self.deliversElsewhere != 0) { return }
        if demands & Self.hasLinks != 0 {
          delivery?.body()
        } else if observer.isOlder(than: start.next),
          !change.isPrior || observer.demands.contains(.prior)
        {
          let change = change.demanded(by: observer.demands)
          unsafe HandlerFrame.withNew { frame in
            unsafe observer.deliver(object, change, in: frame)
          }
        }
      }
    }
  }
}

extension KeyValueObservation {
  /// Whether the observer was registered before the one with a number.
  @inlinable
  func isOlder(than next: UInt64) -> Bool { number < next }
}
