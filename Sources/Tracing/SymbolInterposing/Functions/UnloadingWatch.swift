private import BlockABI
private import BlockRuntimeThreads
internal import Invocations
private import Synchronization

/// What is to be forgotten when the program has unloaded objects, because other code may come to
/// their addresses.
///
/// It is looked at when `dlopen` is called, before other code can be there, and after that.
package final class UnloadingWatch: Sendable {
  package static let shared = UnloadingWatch()

  private struct State: Sendable {
    var forgetting: [Int: @Sendable () -> Void] = [:]
    var count = 0
  }

  private let state = GatedLock(State())

  /// How many objects had been unloaded when that was last looked at.
  private let unloadCount = Atomic(LoadedImage.unloadCount)

  /// Calls `forget` from now on when objects were unloaded.
  ///
  /// - Parameter forget: Takes no lock under which the loader is called: the thread may hold the
  ///   loader's own. No fork interrupts it.
  /// - Returns: What `remove` takes.
  @discardableResult
  package func add(_ forget: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.count += 1
      state.forgetting[state.count] = forget
      return state.count
    }
  }

  /// Ends what `add` began.
  package func remove(_ number: Int) {
    let removed = state.withLock { $0.forgetting.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }

  /// Forgets, if objects were unloaded since the last call.
  ///
  /// - Parameter count: How many objects have been unloaded so far.
  func look(at count: UInt64) {
    guard unloadCount.load(ordering: .relaxed) != count else { return }
    ReentrancyGuard.ignoringThread {
      _ = ForkGate.inside {
        for forget in state.withLock({ $0.forgetting }).values { forget() }
        unloadCount.store(count, ordering: .relaxed)
      }
    }
  }
}
