internal import BlockRuntimeThreads
private import Dispatch
internal import Synchronization

/// A computation of a value, for whose end other threads and tasks wait.
///
/// A task-local variable says within which computation code runs, also in synchronous code, and in
/// child tasks. So code that would wait for itself, through any number of other computations, is
/// recognised: it computes the value itself.
final class MemoComputation: Sendable {
  @TaskLocal static var current: MemoComputation?

  /// Resumes a thread or task that waits.
  typealias Waiter = @Sendable () -> Void

  private struct Graph {
    /// The threads and tasks that wait for each computation, by numbers.
    var waiters: [UInt64: [UInt64: Waiter]] = [:]

    /// The computations that are awaited within each computation.
    var awaited: [UInt64: [UInt64]] = [:]

    /// Whether a computation waits, directly or through others, for a computation of a chain.
    func reaches(_ chain: [UInt64], from start: UInt64) -> Bool {
      var (open, seen) = ([start], Set<UInt64>())
      while let next = open.popLast() {
        guard waiters[next] != nil, seen.insert(next).inserted else { continue }
        if chain.contains(next) { return true }
        open += awaited[next] ?? []
      }
      return false
    }
  }

  private static let graph = Locked(Graph())

  /// A number that distinguishes the computation from all others.
  private let number = nextNumber

  /// The computations within which this one was begun and that had not ended, the innermost first.
  ///
  /// They are not retained: a task may outlive the computation that begins it, and begin others.
  private let outer: [UInt64]

  init() {
    let (number, chain) = (number, Self.chain)
    outer = Self.graph.withLock { graph in
      graph.waiters[number] = [:]
      return chain.filter { graph.waiters[$0] != nil }
    }
  }

  /// The computations within which this code runs, the innermost first.
  private static var chain: [UInt64] { current.map { [$0.number] + $0.outer } ?? [] }

  /// Ends the computation, and resumes all threads and tasks that wait.
  func end() {
    let waiters = Self.graph.withLock { $0.waiters.removeValue(forKey: number) }
    for waiter in (waiters ?? [:]).values { waiter() }
  }

  /// Waits for the end.
  ///
  /// - Returns: False, at once, if the end would never come.
  func wait() -> Bool {
    let (semaphore, chain) = (DispatchSemaphore(value: 0), Self.chain)
    switch begin(Self.nextNumber, chain, { semaphore.signal() }) {
    case .never: return false
    case .over: break
    case .waiting: ReentrancyGuard.ignoringThread { semaphore.wait() }
    }
    forget(chain)
    return true
  }

  /// Waits for the end, without a thread.
  ///
  /// - Returns: False, at once, if the end would never come.
  /// - Throws: `CancellationError`, at once, if the task is cancelled.
  func wait(isolation: isolated (any Actor)?) async throws -> Bool {
    let (waiter, chain) = (Self.nextNumber, Self.chain)
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let start = begin(
          waiter, chain, isCancelled: { Task.isCancelled }, { continuation.resume(returning: true) }
        )
        if start != .waiting { continuation.resume(returning: start == .over) }
      }
    } onCancel: {
      Self.graph.withLock { graph in
        graph.waiters[number]?.removeValue(forKey: waiter)
      }?()
    }
    if isOver { forget(chain) }
    try Task.checkCancellation()
    return isOver
  }

  private enum Start { case never, over, waiting }

  private static let lastNumber = Atomic<UInt64>(0)

  private static var nextNumber: UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Notes that code within some computations begins to wait for this one.
  private func begin(
    _ key: UInt64, _ chain: [UInt64], isCancelled: () -> Bool = { false },
    _ waiter: @escaping Waiter
  ) -> Start {
    Self.graph.withLock { graph in
      if graph.reaches(chain, from: number) { return .never }
      for outer in chain { graph.awaited[outer, default: []].append(number) }
      if isCancelled() || graph.waiters[number] == nil { return .over }
      graph.waiters[number]?[key] = waiter
      return .waiting
    }
  }

  /// Notes that code within some computations does not wait for this one any more.
  private func forget(_ chain: [UInt64]) {
    Self.graph.withLock { graph in
      for outer in chain {
        guard var awaited = graph.awaited.removeValue(forKey: outer) else { continue }
        if let place = awaited.firstIndex(of: number) { awaited.remove(at: place) }
        if !awaited.isEmpty { graph.awaited[outer] = awaited }
      }
    }
  }
}
