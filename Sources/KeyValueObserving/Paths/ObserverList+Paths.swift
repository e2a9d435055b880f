/// The state of a change of a property between its beginning and its end.
@usableFromInline
struct ChangeStart {
  /// Observers with this number or a higher one were registered after the beginning.
  @usableFromInline var next: UInt64

  /// Whether the change is manual.
  var isManual: Bool

  /// The states that the paths through the property noted before the change.
  var paths: [ObjectIdentifier: PathStart] = [:]

  /// Creates the state of a change; by default of one without a notification at its beginning.
  @usableFromInline
  init(next: UInt64 = .max, isManual: Bool = false) {
    self.next = next
    self.isManual = isManual
  }
}

/// The state that a path noted before a change of a property that it leads through.
class PathStart {
  /// Retains the path, so that no other one gets its identity.
  private let path: AnyPathObserver

  init(_ path: AnyPathObserver) { self.path = path }
}

/// A call of a path's observer, and the index of the path's link among a property's observers.
@usableFromInline
struct PathCall {
  @usableFromInline let index: Int
  @usableFromInline let body: () -> Void
}

extension ObserverList {
  /// Notifies the paths through the property of a change, before any observer is called.
  ///
  /// - Parameters:
  ///   - table: The table of observers.
  ///   - count: The number of observers.
  ///   - change: The change, before it is made (`isPrior`) or after.
  ///   - start: The states that the paths note before the change.
  /// - Returns: The calls of the paths' observers, in the order of the table.
  @usableFromInline
  func callsOfPaths<Value>(
    _ table: ObserverTable, _ count: Int, _ change: Change<Value>, _ start: inout ChangeStart
  ) -> ArraySlice<PathCall> {
    var calls: ArraySlice<PathCall> = []
    let property = ObjectIdentifier(self)
    for index in 0..<count {
      // SAFETY: the index is below the count, and the table is not freed during the caller's
      // notification.
      let link = unsafe table[index].takeUnretainedValue()
      guard let path = link.path, !link.isRemoved else { continue }
      let identity = ObjectIdentifier(path)
      if Self.isAnyChangedInPlace, !start.isManual, path.leadsThroughInPlaceChange {
        // A property on the path is being changed in place, so the path cannot be evaluated now. It
        // is notified of this change at the end of that one.
        if !change.isPrior { path.hold(start.paths[identity]) }
      } else if path.number >= start.next {
        // The path was registered after the change began: it only renews its links.
        if !change.isPrior { path.follow() }
      } else if !change.isPrior {
        let call = path.didChange(property, change, start.paths[identity], start.isManual)
        if let call { calls.append(PathCall(index: index, body: call)) }
      } else if start.paths[identity] == nil, start.isManual || link.demands.contains(.prior) {
        let (noted, call) = path.willChange(property, change, start.isManual)
        start.paths[identity] = noted
        guard let call else { continue }
        calls.append(PathCall(index: index) { if !link.isRemoved { call() } })
      }
    }
    return calls
  }

  /// Makes the paths that a prior call has just led through the property store their values from
  /// before the change; prior calls of their own are not made.
  @usableFromInline
  func noteValuesOfPaths<Value>(
    _ outline: ChangeOutline, _ old: Value?, _ start: inout ChangeStart
  ) {
    let table = beginNotification()
    defer { endNotification() }
    let change = Change(outline, old: old, new: nil, isPrior: true)
    _ = callsOfPaths(table, table.count, change, &start)
  }
}
