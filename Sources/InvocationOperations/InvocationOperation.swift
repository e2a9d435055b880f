private import BlockRuntimeThreads
public import Foundation
public import Invocations
public import MessageForwarding

/// An invocation as an operation of a Foundation queue.
///
/// ```swift
/// let operation = InvocationOperation(try counter.record { try $0.send("add:to:", 1, 2) })
/// OperationQueue().addOperations([operation], waitUntilFinished: true)
/// let sum = try operation.result(as: Int.self)
/// ```
///
/// The corresponding Foundation class is `NSInvocationOperation`, which Linux does not have.
public final class InvocationOperation: Operation, @unchecked Sendable {
  // SAFETY: the operation owns the invocation, which only `main` uses before the operation is
  // finished; the state is guarded by a lock.

  private enum State {
    case waiting
    case done
    case failed(MessageError)
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

  /// Makes the call; Foundation calls this method unless the operation was cancelled before.
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
    if case .failed(let error) = state.withLock({ $0 }) { throw error }
    do throws(InvocationError) { return try invocation.result(as: type) } catch {
      throw MessageError(error, invocation.selector)
    }
  }
}

extension ErrorCode {
  /// A result was requested from an operation that was cancelled.
  public static let cancelled = ErrorCode(rawValue: "cancelled")
}
