public import IsolatedClosures
internal import LoadedClasses
internal import Synchronization

// SAFETY: `@unchecked Sendable`: `body` is read only by calls that `calls` counts, and written by
// the one thread that then sees that the hook was removed and that no such call is left.
/// A closure that runs whenever an object of a class is destroyed; returned by
/// `onDeinit(ofInstances:includingSubclasses:_:_:)`.
///
/// Releasing the hook does not remove it.
public final class ClassDeinitHook: Removable, @unchecked Sendable {
  enum Body: Sendable {
    case plain(@Sendable (DestroyedObject) -> Void)
    case lending(@Sendable (AnyObject) -> Void)
  }

  /// When the hook runs.
  public let position: DeinitHook.Position

  let type: ClassMetadata
  let includesSubclasses: Bool

  @exclusivity(unchecked) private var body: Body?

  /// Twice the number of calls that are running, plus 1 if the hook was removed.
  private let calls = Atomic<UInt>(0)

  init(
    _ type: ClassMetadata, includesSubclasses: Bool, _ position: DeinitHook.Position, _ body: Body
  ) {
    self.type = type
    self.includesSubclasses = includesSubclasses
    self.position = position
    unsafe self.body = body
  }

  /// Whether the hook has not been removed.
  public var isInstalled: Bool { calls.load(ordering: .acquiring) & 1 == 0 }

  /// Removes the hook; may be called on any thread, also by the closure.
  ///
  /// No call begins after this has returned; calls that have begun may still be running. The
  /// closure is freed before this returns, or by the last of these calls.
  ///
  /// - Returns: Whether this call removed the hook; false if it was removed before.
  @discardableResult
  public func remove() -> Bool {
    let calls = calls.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
    guard calls & 1 == 0 else { return false }
    HookedClasses.remove(self)
    if calls == 0 { free() }
    return true
  }

  /// Includes the subclasses of libraries that have been loaded since the hook was installed.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`; subclasses before the one that failed are
  ///   included.
  public func includeLoadedSubclasses() throws(LifetimeError) {
    guard isInstalled else { return }
    try HookedClasses.include(self)
  }

  /// Runs the closure, unless the hook was removed.
  func run(_ destroyed: DestroyedObject, _ object: borrowing DyingObject?) {
    guard begin() else { return }
    switch unsafe body {
    case .plain(let run): run(destroyed)
    // SAFETY: by the contract of `onDeinit(lendingInstances:…)`, the closure leaves no reference.
    case .lending(let run):
      switch object {
      case .some(let object): unsafe object.withObject(run)
      case .none: break
      }
    case nil: break
    }
    if calls.subtract(2, ordering: .acquiringAndReleasing).newValue == 1 { free() }
  }

  private func begin() -> Bool {
    var present = calls.load(ordering: .relaxed)
    while present & 1 == 0 {
      let (exchanged, original) = calls.weakCompareExchange(
        expected: present, desired: present + 2, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      present = original
    }
    return false
  }

  private func free() {
    // The closure is released after the access: that may run any code.
    let body = unsafe body.take()
    withExtendedLifetime(body) {}
  }
}

extension ClassDeinitHook: CustomStringConvertible {
  /// The position, the class and whether the hook is installed.
  public var description: String {
    "<hook \(position) deinit of \(type.name)\(isInstalled ? "" : ", removed")>"
  }
}
