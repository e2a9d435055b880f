internal import BlockRuntimeThreads
internal import CObservationBridge
internal import Dispatch
internal import Observation

/// The tracking of what a closure reads of Observation's properties, by its public interface: for
/// compilers whose other interface is not known.
///
/// The public interface notifies of one change, before it is made. On the main thread, `didSet` is
/// called when the main queue runs next, so that several changes count as one. On other threads it
/// is called before the change, because nothing notifies when the thread has made it.
package final class PublicTracking: Sendable {
  private let state: Locked<State>

  private struct State {
    let willSet: @Sendable () -> Void
    let didSet: @Sendable () -> Void
    var hasEnded = false
  }

  private init(willSet: @escaping @Sendable () -> Void, didSet: @escaping @Sendable () -> Void) {
    state = Locked(State(willSet: willSet, didSet: didSet))
  }

  /// Calls a closure, and notifies of the next change of what it reads.
  ///
  /// - Parameters:
  ///   - body: The closure.
  ///   - willSet: What is called before the change.
  ///   - didSet: What is called after the change.
  /// - Returns: A closure that ends the tracking; nil if `body` has read none of Observation's
  ///   properties.
  package static func begin(
    _ body: () -> Void, willSet: @escaping @Sendable () -> Void,
    didSet: @escaping @Sendable () -> Void
  ) -> (@Sendable () -> Void)? {
    var tracking = PublicTracking(willSet: willSet, didSet: didSet)
    tracking.track(body)
    // The registrars of the properties that were read retain the tracking.
    guard !isKnownUniquelyReferenced(&tracking) else { return nil }
    return { [tracking] in tracking.end() }
  }

  /// Tracks a closure; a separate function, at whose end nothing but registrars retains the
  /// closure.
  @inline(never)
  private func track(_ body: () -> Void) {
    withObservationTracking(body) { [self] in change() }
  }

  private func change() {
    call(\.willSet)
    if cbr_is_main_thread() {
      DispatchQueue.main.async { self.call(\.didSet) }
    } else {
      call(\.didSet)
    }
  }

  private func call(_ body: KeyPath<State, @Sendable () -> Void>) {
    state.withLock { $0.hasEnded ? nil : $0[keyPath: body] }?()
  }

  private func end() { state.withLock { $0.hasEnded = true } }
}
