internal import BlockRuntimeThreads

/// A change without its values: its kind and its details.
@usableFromInline
struct ChangeOutline {
  @usableFromInline var kind: ChangeKind
  @usableFromInline var details: ChangeDetails?

  @inlinable
  init(_ kind: ChangeKind, _ details: ChangeDetails? = nil) {
    self.kind = kind
    self.details = details
  }

  init(_ kind: ChangeKind, _ indexes: RangeSet<Int>?) {
    self.init(kind, indexes.map { ChangeDetails($0) })
  }
}

/// The pair of an observer's calls before and after a change: a suspended observer gets both, or
/// neither.
@usableFromInline
final class ChangePair: Sendable {
  /// The observers whose call before the change was left out.
  private let leftOut: Locked<[ObjectIdentifier]>

  init(leftOut: [ObjectIdentifier] = []) { self.leftOut = Locked(leftOut) }

  /// Notes that an observer was not called before the change.
  func leaveOut(_ observer: KeyValueObservation) {
    leftOut.withLock { $0.append(ObjectIdentifier(observer)) }
  }

  /// Whether an observer was not called before the change.
  ///
  /// When asked again, the answer is false.
  func takeLeftOut(_ observer: KeyValueObservation) -> Bool {
    leftOut.withLock { leftOut in
      guard let index = leftOut.firstIndex(of: ObjectIdentifier(observer)) else { return false }
      leftOut.remove(at: index)
      return true
    }
  }
}

/// The state of a change of a property between its beginning and its end.
@usableFromInline
struct ChangeStart {
  /// Observers with this number or a higher one were registered after the beginning.
  @usableFromInline var next: UInt64

  /// Whether the change is manual.
  var isManual: Bool

  /// The states that the paths through the property noted before the change; nil if none did.
  var paths: [ObjectIdentifier: PathStart]?

  /// The pair of calls before and after the change; nil if there are none before it.
  @usableFromInline let pair: ChangePair?

  /// Creates the state of a change with a notification at its beginning.
  @usableFromInline
  init(next: UInt64, isManual: Bool) {
    self.next = next
    self.isManual = isManual
    pair = ChangePair()
  }

  /// Creates the state of a change without a notification at its beginning.
  @usableFromInline
  init() {
    next = .max
    isManual = false
    pair = nil
  }
}

/// The state that a path noted before a change of a property that it leads through.
class PathStart {
  /// Retains the path, so that no other path gets its identity.
  private let path: AnyPathObserver

  init(_ path: AnyPathObserver) { self.path = path }
}

/// A manual change between its beginning and its end.
struct OpenChange {
  let outline: ChangeOutline
  /// The list, retained until the end of the change; nil if it is closed.
  let list: ObserverList?
  var start = ChangeStart()
  var old: Any?
  var depth: Int32 = 1
  /// How many of the nested changes notify no observers.
  var silentDepth: Int32
  /// Whether the end of the change notifies no observers.
  let isSilent: Bool
}
