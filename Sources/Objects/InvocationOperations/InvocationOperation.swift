private import BlockRuntimeThreads
public import Foundation
public import Invocations
public import MessageForwarding

/// A message or call that is known at run time, as an operation of a Foundation queue.
///
/// Use it where operations depend on each other, are cancelled, or are awaited for their result;
/// for code that is written down, `BlockOperation` with a closure is enough, and a message that is
/// only to be sent later needs no Foundation queue: `perform(_:after:)`.
///
/// ```swift
/// let operation = InvocationOperation(try counter.record { try $0.send("add:to:", 1, 2) })
/// OperationQueue().addOperations([operation], waitUntilFinished: true)
/// let sum = try operation.result(as: Int.self)
/// ```
///
/// The operation of an async message is asynchronous: it ends when the method has ended, and
/// cancelling it cancels the method's task.
///
/// The corresponding Foundation class is `NSInvocationOperation`, which Linux does not have.
public final class InvocationOperation: Operation, @unchecked Sendable {
  // SAFETY: the operation owns the invocation, which only `main` uses before the operation is
  // finished; the state is guarded by a lock.

  private enum State {
    case waiting
    case running
    /// The task awaits an async method.
    case awaiting(Task<Void, Never>)
    case done
    case answered(any Sendable)
    case failed(MessageError)

    var isFinished: Bool {
      switch self {
      case .waiting, .running, .awaiting: false
      case .done, .answered, .failed: true
      }
    }
  }

  /// The invocation; it retains its arguments, and must not be used until the operation is
  /// finished.
  public let invocation: Invocation

  private let state = Locked(State.waiting)

  /// Makes an operation of an invocation.
  ///
  /// The objects that the invocation refers to are used on the thread of the queue, and must be
  /// safe to use there.
  ///
  /// - Parameter invocation: A message with its receiver, or a call with its target; the operation
  ///   takes it over.
  public init(_ invocation: Invocation) {
    self.invocation = invocation
    super.init()
    invocation.retainArguments()
  }

  /// Whether the operation awaits an async method.
  public override var isAsynchronous: Bool { isAsync }

  private var isAsync: Bool { invocation.target == nil && invocation.isAsync }

  /// Whether the call is being made, or awaited.
  public override var isExecuting: Bool {
    guard isAsync else { return super.isExecuting }
    return state.withLock { state in
      switch state {
      case .running, .awaiting: true
      case .waiting, .done, .answered, .failed: false
      }
    }
  }

  /// Whether the call has ended, or was cancelled before it began.
  public override var isFinished: Bool {
    isAsync ? state.withLock { $0.isFinished } : super.isFinished
  }

  /// Cancels the operation, and the task of an async method.
  public override func cancel() {
    super.cancel()
    if case .awaiting(let task) = state.withLock({ $0 }) { task.cancel() }
  }

  /// Begins the call; Foundation calls this method.
  public override func start() {
    guard isAsync else { return super.start() }
    willChangeValue(for: \.isExecuting)
    let begins = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .running
      return true
    }
    didChangeValue(for: \.isExecuting)
    guard begins else { return }
    guard !isCancelled else {
      return finish(.failed(MessageError(.cancelled, "the operation was cancelled")))
    }
    do throws(MessageError) {
      guard let answer = try invocation.sendForAnswer() else { return finish(.done) }
      wait(for: answer)
    } catch { finish(.failed(error)) }
  }

  private func wait(
    for answer: @escaping @Sendable () async throws -> any Sendable
  ) {
    let task = Task.detached {
      let end: State
      do { end = .answered(try await answer()) } catch {
        end = .failed(
          error as? MessageError ?? MessageError(.thrown, "\(error)", underlying: error))
      }
      self.finish(end)
    }
    state.withLock { state in
      // The task may have finished already.
      if case .running = state { state = .awaiting(task) }
    }
    if isCancelled { task.cancel() }
  }

  private func finish(_ end: State) {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    state.withLock { $0 = end }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }

  /// Makes the call of a method that is not async; Foundation calls this method unless the
  /// operation was cancelled before.
  public override func main() {
    let end: State
    do throws(MessageError) {
      try call()
      end = .done
    } catch {
      end = .failed(error)
    }
    state.withLock { $0 = end }
  }

  private func call() throws(MessageError) {
    guard invocation.target != nil else { return try invocation.send() }
    do throws(InvocationError) { try invocation.invoke() } catch {
      throw MessageError(error, nil)
    }
  }

  /// The result of the call.
  ///
  /// - Parameter type: The Swift type of the result.
  /// - Returns: The result; nil if the operation is not finished yet.
  /// - Throws: `cancelled` if the operation was cancelled before it was finished; `noResult` if the
  ///   call returns nothing; `typeMismatch`, `valueOutOfRange`, `unexpectedNull`; the error of the
  ///   call.
  public func result<Value>(as type: Value.Type = Value.self) throws(MessageError) -> Value? {
    guard !isCancelled else {
      throw MessageError(
        .cancelled, "the operation was cancelled; check isCancelled first",
        selector: invocation.selector)
    }
    guard isFinished else { return nil }
    switch state.withLock({ $0 }) {
    case .failed(let error): throw error
    case .answered(let answer):
      guard let value = answer as? Value else {
        throw MessageError.unexpected(answer, type, by: invocation.selector)
      }
      return value
    case .waiting, .running, .awaiting, .done: break
    }
    do throws(InvocationError) { return try invocation.result(as: type) } catch {
      throw MessageError(error, invocation.selector)
    }
  }
}

extension ErrorCode {
  /// A result was requested from an operation that was cancelled.
  public static let cancelled = ErrorCode(rawValue: "cancelled")
}
