extension ObserverList {
  /// Notifies the path that is the property's only observer of a setting that was not announced.
  ///
  /// - Returns: Whether it was notified; if not, `notifyPaths` must be called.
  @usableFromInline
  func notifyOnlyPath() -> Bool {
    guard !Self.isAnyChangedInPlace else { return false }
    let table = beginNotification()
    defer { endNotification() }
    guard table.count == 1 else { return false }
    // SAFETY: there is an observer, and tables are not freed during a notification.
    return unsafe table[0]._withUnsafeGuaranteedRef { link in
      guard let path = link.path, !link.isRemoved else { return false }
      return path.deliveryOfPlainChange(isAlone: true) != nil
    }
  }

  /// Notifies the paths through the property of a change, before it is delivered to any observer.
  ///
  /// - Parameters:
  ///   - table: The table of observers.
  ///   - count: The number of observers.
  ///   - change: The change, before it is made (`isPrior`) or after.
  ///   - start: The states that the paths note before the change.
  ///   - isDelivered: Whether the change is delivered to the paths' observations.
  /// - Returns: The deliveries to the paths' observations, in the order of the table.
  @usableFromInline
  func notifyPaths<Value>(
    _ table: ObserverTable, _ count: Int, _ change: Change<Value>, _ start: inout ChangeStart,
    isDelivered: Bool = true
  ) -> ArraySlice<PathDelivery> {
    var deliveries: ArraySlice<PathDelivery> = []
    let property = ObjectIdentifier(self)
    let isPlain =
      !change.isPrior && change.kind == .setting && !start.isManual && start.paths == nil
      && !Self.isAnyChangedInPlace
    for index in 0..<count {
      // SAFETY: the index is below the count, and the table is not freed during the caller's
      // notification.
      let link = unsafe table[index].takeUnretainedValue()
      guard let path = link.path, !link.isRemoved else { continue }
      if isPlain, path.number < start.next,
        let deliver = path.deliveryOfPlainChange(isAlone: false)
      {
        deliveries.append(PathDelivery(index: index, body: deliver))
        continue
      }
      let identity = ObjectIdentifier(path)
      if Self.isAnyChangedInPlace, !start.isManual, path.leadsThroughInPlaceChange {
        // A property on the path is being changed in place, so the path cannot be evaluated now. It
        // is notified of this change at the end of that one.
        if !change.isPrior { path.hold(start.paths?[identity]) }
      } else if path.number >= start.next {
        // The path was registered after the change began: it only renews its links.
        if !change.isPrior { path.follow() }
      } else if !change.isPrior {
        let deliver = path.didChange(property, change, start.paths?[identity], start.isManual)
        if let deliver { deliveries.append(PathDelivery(index: index, body: deliver)) }
      } else if start.paths?[identity] == nil, start.isManual || link.demands.contains(.prior) {
        let (noted, deliver) = path.willChange(property, change, start.isManual, isDelivered)
        start.paths = start.paths ?? [:]
        start.paths?[identity] = noted
        guard let deliver else { continue }
        deliveries.append(PathDelivery(index: index) { if !link.isRemoved { deliver() } })
      }
    }
    return deliveries
  }

  /// Makes the paths through the property follow a change of which no observer is notified.
  ///
  /// Paths that hold a change of another property, made during an in-place change of this one, are
  /// notified of that.
  func followPaths() {
    let table = beginNotification()
    defer { endNotification() }
    for index in 0..<table.count {
      // SAFETY: the index is below the count; tables are not freed during a notification.
      let link = unsafe table[index].takeUnretainedValue()
      guard let path = link.path, !link.isRemoved else { continue }
      // A path through a property that is being changed in place follows at the end of that change.
      if Self.isAnyChangedInPlace, path.leadsThroughInPlaceChange { continue }
      if path.isHolding {
        path.didChange(ObjectIdentifier(self), Change<Never>(), nil, false)?()
      } else {
        path.follow()
      }
    }
  }

  /// Makes the paths that a handler, in a prior call, has just led through the property store their
  /// values from before the change; the prior call is not delivered to their own observations.
  @usableFromInline
  func noteValuesOfPaths<Value>(
    _ outline: ChangeOutline, _ old: Value?, _ start: inout ChangeStart
  ) {
    let table = beginNotification()
    defer { endNotification() }
    let change = Change(outline, old: old, new: nil, isPrior: true)
    _ = notifyPaths(table, table.count, change, &start, isDelivered: false)
  }
}
