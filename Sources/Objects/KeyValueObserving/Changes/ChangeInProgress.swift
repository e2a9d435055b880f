/// A change without its values: its kind, and its indexes.
@usableFromInline
struct ChangeOutline {
  @usableFromInline var kind: ChangeKind
  @usableFromInline var places: ChangePlaces?

  @inlinable
  init(_ kind: ChangeKind) {
    self.kind = kind
    places = nil
  }

  init(_ kind: ChangeKind, _ indexes: RangeSet<Int>?) {
    self.kind = kind
    places = indexes.map { ChangePlaces($0) }
  }
}

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

/// A manual change between its beginning and its end.
struct OpenChange {
  let outline: ChangeOutline
  /// The list, retained until the end of the change; nil if it is closed.
  let list: ObserverList?
  var depth = 1
  var start = ChangeStart()
  var old: Any?
}
