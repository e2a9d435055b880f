private import BlockRuntimeThreads
private import Glibc
private import Synchronization

/// A choice of the threads whose calls run the hooks that share it; at first all threads.
///
/// Both kinds of choice nest, and end with their closure. They apply to calls that begin on the
/// thread, not to work that it passes to other threads.
public final class HookThreads: Sendable {
  private struct State {
    /// How many closures in progress exclude a thread, by thread.
    var ignored: [UInt: Int] = [:]
    /// How many closures in progress exclude all other threads, by thread.
    var alone: [UInt: Int] = [:]
  }

  private let state = GatedLock(State())

  /// Whether every thread is admitted: then `admitsCurrentThread` takes no lock.
  private let admitsAll = Atomic(true)

  /// Creates a choice of all threads.
  public init() {}

  /// Excludes this thread's calls while a closure runs.
  ///
  /// - Parameter body: Runs on this thread, under no lock.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func ignoringCurrentThread<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    count(\.ignored, 1)
    defer { count(\.ignored, -1) }
    return try body()
  }

  /// Excludes all other threads' calls while a closure runs.
  ///
  /// If several threads do this at once, the calls of all of them are admitted.
  ///
  /// - Parameter body: Runs on this thread, under no lock.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func onlyCurrentThread<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    count(\.alone, 1)
    defer { count(\.alone, -1) }
    return try body()
  }

  private func count(_ list: WritableKeyPath<State, [UInt: Int]>, _ change: Int) {
    let thread = pthread_self()
    state.withLock { state in
      let sum = state[keyPath: list][thread, default: 0] + change
      state[keyPath: list][thread] = sum == 0 ? nil : sum
      admitsAll.store(state.ignored.isEmpty && state.alone.isEmpty, ordering: .releasing)
    }
  }

  /// Whether calls of the current thread run the hooks.
  var admitsCurrentThread: Bool {
    if admitsAll.load(ordering: .acquiring) { return true }
    let thread = pthread_self()
    return state.withLock { state in
      state.ignored[thread] == nil && (state.alone.isEmpty || state.alone[thread] != nil)
    }
  }
}

extension HookThreads: ReferenceTable {}
