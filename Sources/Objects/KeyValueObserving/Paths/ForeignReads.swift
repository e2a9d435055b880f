internal import BlockRuntimeThreads

/// The properties of another system that an evaluation of a path has read, as if they were one
/// property, of which the path is an observer.
final class ForeignReads: Sendable {
  /// The observers: the path's link.
  let list: ObserverList

  private let state = Locked(State())

  private struct State {
    /// The number of changes in progress that were announced.
    var depth = 0
    /// What the path noted before the first of them.
    var start: ChangeStart?
    var end: (@Sendable () -> Void)?
    /// The path, once it is an observer.
    weak var path: AnyPathObserver?

    /// Counts the beginning of a change.
    ///
    /// - Returns: Whether no other change is in progress.
    mutating func beginChange() -> Bool {
      depth += 1
      return depth == 1
    }

    /// Counts the end of a change; its beginning was not counted if it was announced to an earlier
    /// evaluation.
    ///
    /// - Returns: What was noted before the change; nil if another change is in progress.
    mutating func endChange() -> (change: ChangeStart?, Void)? {
      if depth > 0 { depth -= 1 }
      guard depth == 0 else { return nil }
      defer { start = nil }
      return (start, ())
    }
  }

  private init() {
    let name = PropertyName(\ForeignReads.list)
    list = ObserverList(of: name, name.hash, in: nil)
  }

  /// Calls a closure, and observes what it reads of a system's properties.
  ///
  /// - Parameters:
  ///   - system: The system, which calls the closure once.
  ///   - body: The closure.
  /// - Returns: The reads; nil if there were none.
  static func of(_ system: any ForeignObserving, _ body: () -> Void) -> ForeignReads? {
    let reads = ForeignReads()
    guard let end = system.track(body, willSet: reads.willSet, didSet: reads.didSet) else {
      return nil
    }
    // Changes that were in progress meanwhile may have been announced, without a notification of
    // their end.
    reads.state.withLock { ($0.end, $0.depth) = (end, 0) }
    return reads
  }

  /// Notifies a path of changes from now on.
  ///
  /// Some may have been made before the path was last evaluated.
  func beginNotifying(_ path: AnyPathObserver) { state.withLock { $0.path = path } }

  /// Ends the observation of what was read, which retains this object until then.
  func end() {
    let end = state.withLock { $0.end.take() }
    end?()
  }

  /// The dependency of the path's value on what was read.
  var dependency: DependencyTracker.Dependency {
    DependencyTracker.Dependency(
      list: list, owner: ObjectIdentifier(self), key: \ForeignReads.list, storage: nil,
      readCollection: nil)
  }

  @Sendable private func willSet() {
    guard state.withLock({ $0.beginChange() }), list.wants(ObserverList.wantsPrior) else { return }
    let start = list.begin(self, ChangeOutline(.setting), old: Void?.none)
    state.withLock { if $0.depth > 0 { $0.start = start } }
  }

  @Sendable private func didSet() {
    let (ended, path) = state.withLock { ($0.endChange(), $0.path) }
    guard let ended, let path else { return }
    let start = ended.change?.paths?[ObjectIdentifier(path)]
    if ObserverList.isAnyChangedInPlace, path.leadsThroughInPlaceChange { return path.hold(start) }
    let isInOrder = list.wants(ObserverList.wantsOrder)
    let outer = isInOrder ? WaitingCalls.begin() : 0
    // Not by the list: the path may have left it since the change was made.
    var change = Change<Void>()
    if list.wants(ObserverList.wantsOrigin) { change.add(nil, .here()) }
    path.didChange(ObjectIdentifier(list), change, start, false)?()
    if isInOrder { WaitingCalls.end(outer) }
  }
}
