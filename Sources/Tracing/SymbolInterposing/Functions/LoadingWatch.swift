private import BlockRuntimeThreads
private import Glibc
private import Synchronization

/// Attempts that are repeated whenever the program has loaded objects, until they succeed.
final class LoadingWatch: Sendable {
  static let shared = LoadingWatch()

  private let attempts = Locked<[@Sendable () -> Bool]>([])

  /// How many loads were reported since a thread began to run the attempts.
  private let requests = Atomic<Int>(0)

  /// The thread that runs the attempts, which may load objects themselves; 0 if none does.
  private let thread = Atomic<UInt>(0)

  func add(_ attempt: @escaping @Sendable () -> Bool) { attempts.withLock { $0.append(attempt) } }

  /// Runs the attempts, unless another thread does: that thread then runs them once more.
  ///
  /// It never blocks, because a thread that loads objects may hold the loader's lock.
  func objectsWereLoaded() {
    let own = UInt(pthread_self())
    guard thread.load(ordering: .relaxed) != own else { return }
    var seen = requests.add(1, ordering: .sequentiallyConsistent).newValue
    guard seen == 1 else { return }
    var isDone = false
    while !isDone {
      thread.store(own, ordering: .relaxed)
      tryAll()
      thread.store(0, ordering: .relaxed)
      (isDone, seen) = requests.compareExchange(
        expected: seen, desired: 0, ordering: .sequentiallyConsistent)
    }
  }

  private func tryAll() {
    let waiting = attempts.exchange([])
    guard !waiting.isEmpty else { return }
    let rest = waiting.filter { !$0() }
    let isDone = attempts.withLock { attempts in
      attempts += rest
      return attempts.isEmpty
    }
    guard isDone else { return }
    Interposer.shared.watchLoading(false)
    // An attempt that was added meanwhile started the watch before this stopped it.
    if attempts.withLock({ !$0.isEmpty }) { Interposer.shared.watchLoading(true) }
  }
}

extension ImportedFunction {
  /// Calls `attempt` whenever `dlopen` has loaded objects, until it succeeds.
  ///
  /// - Parameter attempt: Returns whether it has succeeded. It is called on a thread that loaded
  ///   objects, and never by two threads at once.
  package static func whenObjectsAreLoaded(_ attempt: @escaping @Sendable () -> Bool) {
    LoadingWatch.shared.add(attempt)
    Interposer.shared.watchLoading(true)
  }
}
