// SAFETY: `@unchecked Sendable`: `work` is accessed only by the thread that changed the state from
// `pending`. That thread writes `result` before it changes the state to `finished`, with release;
// others read it after they have loaded `finished`, with acquire.
/// A delayed block that returns or throws something.
public final class DelayedValue<Value: Sendable>: DelayedBlock, @unchecked Sendable {
  /// The closure; nil once the block has begun to run or was cancelled.
  private var work: (@Sendable () throws -> Value)?

  /// The closure's result, written once before the state is `finished`.
  private var result: Result<Value, any Error>?

  init(
    _ work: @escaping @Sendable () throws -> Value, at instant: UInt64, tolerance: UInt64,
    target: DelayTarget, timer: DelayTimer
  ) {
    self.work = work
    super.init(nil, at: instant, tolerance: tolerance, target: target, timer: timer)
  }

  /// Awaits what the block returns.
  ///
  /// Cancelling the task that waits cancels the block.
  ///
  /// - Throws: What the block throws; `CancellationError` if it was cancelled.
  public var value: Value {
    get async throws {
      _ = await end
      return try finishedValue()
    }
  }

  /// What the block returned or threw; nil if it has not run.
  public var resultIfFinished: Result<Value, any Error>? { state == .finished ? result : nil }

  private func finishedValue() throws -> Value {
    guard let resultIfFinished else { throw CancellationError() }
    return try resultIfFinished.get()
  }

  override func perform() -> Bool {
    if let work {
      self.work = nil
      result = Result { try work() }
    }
    end(.finished)
    return true
  }

  override func dropBody() { work = nil }
}
