private import BlockRuntimeThreads
public import Foundation
public import KeyValueObserving

/// An async closure as an operation of a Foundation queue: it ends when the closure has ended.
///
/// Use it where code with operations calls async methods: where other operations depend on it, a
/// queue limits how many run, or its end is observed. Cancelling it cancels the closure's task.
/// Code without operations awaits the method itself, and a message that is known only at run time
/// is an `InvocationOperation`.
///
/// ```swift
/// let load = TaskOperation { try await Task.sleep(for: .milliseconds(1)); return 3 }
/// load.observe(\.isFinished) { load, _ in print(load.result as Any) }
/// OperationQueue().addOperation(load)
/// ```
///
/// Observers of `isFinished` are called where the closure has ended, or where the queue started an
/// operation that was cancelled before, and before operations begin that depend on this one. (The
/// `Operation` of Foundation on Linux has no key-value observing.)
///
/// The corresponding Objective-C code is a subclass of `NSOperation` that overrides `start`,
/// `isExecuting` and `isFinished`, and calls `willChangeValueForKey:`.
public final class TaskOperation<Value: Sendable>: Operation, KeyValueObservable,
  @unchecked Sendable
{
  // SAFETY: `@unchecked Sendable` is inherited; the only stored property is a constant that is
  // Sendable.

  private enum State {
    case waiting(@Sendable () async throws -> Value)
    /// The task is nil until it has been made.
    case running(Task<Void, Never>?)
    case ended(Result<Value, any Error>)
  }

  private let state: Locked<State>

  /// Makes an operation.
  ///
  /// - Parameter body: The closure; it is called once, in a task of its own, and freed after that.
  public init(_ body: @escaping @Sendable () async throws -> Value) {
    state = Locked(.waiting(body))
    super.init()
  }

  /// True: the operation may run longer than `start()`.
  public override var isAsynchronous: Bool { true }

  /// Whether the closure runs.
  public override var isExecuting: Bool {
    if case .running = state.withLock({ $0 }) { true } else { false }
  }

  /// Whether the closure has ended, or the operation was cancelled before it began; it can be
  /// observed.
  public override var isFinished: Bool {
    willRead(\.isFinished)
    return result != nil
  }

  /// What the closure returned or threw; nil until it has ended, and `CancellationError` if the
  /// operation was cancelled before it began.
  public var result: Result<Value, any Error>? {
    if case .ended(let result) = state.withLock({ $0 }) { result } else { nil }
  }

  /// Cancels the operation, and the closure's task.
  public override func cancel() {
    super.cancel()
    if case .running(let task?) = state.withLock({ $0 }) { task.cancel() }
  }

  /// Begins the closure's task; Foundation calls this method.
  public override func start() {
    willChangeValue(for: \.isExecuting)
    let body = state.withLock { state -> (@Sendable () async throws -> Value)? in
      guard case .waiting(let body) = state else { return nil }
      state = .running(nil)
      return body
    }
    didChangeValue(for: \.isExecuting)
    guard let body else { return }
    guard !isCancelled else { return end(.failure(CancellationError())) }
    let task = Task.detached {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      self.end(result)
    }
    state.withLock { state in
      // The task may have ended already.
      if case .running = state { state = .running(task) }
    }
    if isCancelled { task.cancel() }
  }

  private func end(_ result: Result<Value, any Error>) {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    withChange(of: \.isFinished) { state.withLock { $0 = .ended(result) } }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}
