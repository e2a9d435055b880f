internal import BlockRuntimeThreads
@_spi(SwiftUI) internal import Observation

#if compiler(>=6.2) && compiler(<6.4)
/// What a closure has read of Observation's properties, by the interface that tells of both sides of
/// each change.
///
/// It is not public: Swift's own user interfaces use it. It tells of changes, again and again, until it
/// is cancelled, but hands out the means to cancel it only when it tells of one. Therefore the closure
/// also reads a property that is made for this, changes at once, and is destroyed.
final class BothSidesTracking: Sendable {
  private let willSet: @Sendable () -> Void
  private let didSet: @Sendable () -> Void
  private let tracking = Locked<ObservationTracking?>(nil)

  private init(willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable () -> Void) {
    (self.willSet, self.didSet) = (willSet, didSet)
  }

  /// Calls a closure, and tells of changes of what it reads.
  ///
  /// - Parameters:
  ///   - body: The closure.
  ///   - willSet: What is called before each change.
  ///   - didSet: What is called after each change.
  /// - Returns: A closure that ends the tracking; nil if `body` has read none of Observation's
  ///   properties.
  static func begin(
    _ body: () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable () -> Void
  ) -> (@Sendable () -> Void)? {
    var tracking = BothSidesTracking(willSet: willSet, didSet: didSet)
    tracking.track(body)
    // The registrars of the properties that were read retain the tracking.
    guard !isKnownUniquelyReferenced(&tracking) else { return nil }
    return { [tracking] in tracking.cancel() }
  }

  /// In a function of its own, at whose end nothing but registrars retains the closures.
  @inline(never)
  private func track(_ body: () -> Void) {
    let first = TrackedProperty()
    withObservationTracking {
      body()
      first.read()
    } willSet: { [self] tracking in
      if !begins(tracking) { willSet() }
    } didSet: { [self] _ in
      didSet()
    }
    first.willSet()
  }

  /// Stores the means to cancel the tracking.
  ///
  /// - Returns: Whether it was not stored yet.
  private func begins(_ present: ObservationTracking) -> Bool {
    tracking.withLock { tracking in
      guard tracking == nil else { return false }
      tracking = present
      return true
    }
  }

  private func cancel() {
    tracking.withLock { $0 }?.cancel()
  }
}
#endif
