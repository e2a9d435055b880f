internal import BlockRuntimeThreads
internal import CObservationBridge
@_spi(SwiftUI) internal import Observation

#if compiler(>=6.2) && compiler(<6.4)
/// The tracking of what a closure reads of Observation's properties, by the interface that notifies
/// before and after each change.
///
/// The interface is not public: Swift's own user interfaces use it. It notifies of changes, again
/// and again, until the tracking is cancelled, but hands out the means to cancel it only in a
/// notification. Therefore the closure also reads a property that is made for this, changes at
/// once, and is destroyed. Other threads may change what was read at the same time: the change of
/// the made property is known by its thread.
final class BothSidesTracking: Sendable {
  private let willSet: @Sendable () -> Void
  private let didSet: @Sendable () -> Void
  private let state = Locked(State())

  private struct State {
    /// The thread that is changing the made property; 0 before and afterwards.
    var probing: UInt = 0
    /// The means to cancel the tracking.
    var tracking: ObservationTracking?
  }

  private init(willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable () -> Void) {
    (self.willSet, self.didSet) = (willSet, didSet)
  }

  /// Calls a closure, and notifies of changes of what it reads.
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

  /// Tracks a closure; a separate function, at whose end nothing but registrars retains the
  /// closures.
  @inline(never)
  private func track(_ body: () -> Void) {
    let first = TrackedProperty()
    withObservationTracking {
      body()
      first.read()
    } willSet: { [self] tracking in
      if !isProbe(tracking) { willSet() }
    } didSet: { [self] _ in
      didSet()
    }
    state.withLock { $0.probing = cbr_this_thread() }
    first.willSet()
    state.withLock { $0.probing = 0 }
  }

  /// Stores the means to cancel the tracking, if the change is that of the made property.
  ///
  /// - Returns: Whether it is.
  private func isProbe(_ tracking: ObservationTracking) -> Bool {
    state.withLock { state in
      guard state.probing == cbr_this_thread() else { return false }
      state.tracking = tracking
      return true
    }
  }

  private func cancel() {
    state.withLock { $0.tracking }?.cancel()
  }
}
#endif
