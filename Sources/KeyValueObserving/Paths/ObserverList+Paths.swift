/// A change of a property between its beginning and its end.
@usableFromInline
struct ChangeStart {
  /// Observers with this number or a higher one were registered after the beginning.
  @usableFromInline var next: UInt64

  /// Whether the change is by hand.
  var isByHand: Bool

  /// What the paths through the property noted before the change.
  var paths: [ObjectIdentifier: PathStart] = [:]

  /// Makes the beginning of a change that was not told before.
  @usableFromInline
  init(next: UInt64 = .max, isByHand: Bool = false) {
    self.next = next
    self.isByHand = isByHand
  }
}

/// What a path noted before a change of a property that it leads through.
class PathStart {
  /// Keeps the path, so that no other one has its identity.
  private let path: AnyPathObserver

  init(_ path: AnyPathObserver) { self.path = path }
}

/// A call of a path's observer, and where its link is among a property's observers.
@usableFromInline
struct PathCall {
  @usableFromInline let index: Int
  @usableFromInline let body: () -> Void
}

extension ObserverList {
  /// Lets the paths through the property see a change, before anybody is told of it.
  ///
  /// - Parameters:
  ///   - table: The observers.
  ///   - count: How many of them there are.
  ///   - change: The change, to come or come.
  ///   - start: What the paths noted, or note, before it.
  /// - Returns: The calls of the paths' observers, in the order of the table.
  @usableFromInline
  func callsOfPaths<Value>(
    _ table: ObserverTable, _ count: Int, _ change: Change<Value>, _ start: inout ChangeStart
  ) -> ArraySlice<PathCall> {
    var calls: ArraySlice<PathCall> = []
    let property = ObjectIdentifier(self)
    for index in 0..<count {
      // SAFETY: the caller notifies, which keeps the table.
      let link = unsafe table[index].takeUnretainedValue()
      guard let path = link.path, !link.isRemoved else { continue }
      let identity = ObjectIdentifier(path)
      if Self.isAnyAccessed, !start.isByHand, path.leadsThroughAccess {
        // It could not be evaluated: the end of that access tells of this change too.
        if !change.isPrior { path.hold(start.paths[identity]) }
      } else if path.number >= start.next {
        if !change.isPrior { path.follow() }
      } else if !change.isPrior {
        let call = path.didChange(property, change, start.paths[identity], start.isByHand)
        if let call { calls.append(PathCall(index: index, body: call)) }
      } else if start.paths[identity] == nil, start.isByHand || link.demands.contains(.prior) {
        let (noted, call) = path.willChange(property, change, start.isByHand)
        start.paths[identity] = noted
        guard let call else { continue }
        calls.append(PathCall(index: index) { if !link.isRemoved { call() } })
      }
    }
    return calls
  }

  /// Lets paths that came to lead through the property note their values before a change.
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
