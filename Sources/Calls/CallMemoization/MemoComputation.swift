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

  /// Resumes who waits.
  typealias Waiter = @Sendable () -> Void

  private struct Graph {
    /// Who waits for the computations that have not ended, by numbers.
    var waiters: [ObjectIdentifier: [UInt64: Waiter]] = [:]

    /// What is awaited within computations.
    var awaited: [ObjectIdentifier: [MemoComputation]] = [:]

    /// Whether one of some computations waits for what is computed within another.
    func reaches(_ chain: [MemoComputation], from start: MemoComputation) -> Bool {
      var (open, seen) = ([start], Set<ObjectIdentifier>())
      while let next = open.popLast() {
        guard waiters[ObjectIdentifier(next)] != nil, seen.insert(ObjectIdentifier(next)).inserted
        else { continue }
        if chain.contains(where: { $0 === next }) { return true }
        open += awaited[ObjectIdentifier(next)] ?? []
      }
      return false
    }
  }

  private static let graph = Locked(Graph())

  /// The computations within which this one was begun, the innermost first.
  private let outer: [MemoComputation]

  init() {
    outer = Self.chain
    Self.graph.withLock { $0.waiters[ObjectIdentifier(self)] = [:] }
  }

  /// The computations within which this code runs, the innermost first.
  private static var chain: [MemoComputation] { current.map { [$0] + $0.outer } ?? [] }

  /// Ends the computation, and resumes all that wait.
  func end() {
    let waiters = Self.graph.withLock { $0.waiters.removeValue(forKey: ObjectIdentifier(self)) }
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
    let (number, chain) = (Self.nextNumber, Self.chain)
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let start = begin(
          number, chain, isCancelled: { Task.isCancelled }, { continuation.resume(returning: true) }
        )
        if start != .waiting { continuation.resume(returning: start == .over) }
      }
    } onCancel: {
      Self.graph.withLock { graph in
        graph.waiters[ObjectIdentifier(self)]?.removeValue(forKey: number)
      }?()
    }
    if isOver { forget(chain) }
    try Task.checkCancellation()
    return isOver
  }

  private enum Start { case never, over, waiting }

  private static let lastNumber = Atomic<UInt64>(0)

  private static var nextNumber: UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Begins to wait within computations.
  private func begin(
    _ number: UInt64, _ chain: [MemoComputation], isCancelled: () -> Bool = { false },
    _ waiter: @escaping Waiter
  ) -> Start {
    Self.graph.withLock { graph in
      if graph.reaches(chain, from: self) { return .never }
      for outer in chain { graph.awaited[ObjectIdentifier(outer), default: []].append(self) }
      if isCancelled() || graph.waiters[ObjectIdentifier(self)] == nil { return .over }
      graph.waiters[ObjectIdentifier(self)]?[number] = waiter
      return .waiting
    }
  }

  /// Notes that computations do not wait for this one any more.
  private func forget(_ chain: [MemoComputation]) {
    Self.graph.withLock { graph in
      for outer in chain {
        let id = ObjectIdentifier(outer)
        guard var awaited = graph.awaited.removeValue(forKey: id) else { continue }
        if let place = awaited.firstIndex(where: { $0 === self }) { awaited.remove(at: place) }
        if !awaited.isEmpty { graph.awaited[id] = awaited }
      }
    }
  }
}
