// SAFETY: `@unchecked Sendable`: `work` is accessed only by the thread that changed the state from
// `pending`. That thread, or the task that it starts, writes `result` before it changes the state
// to `finished`, with release; others read it after they have loaded `finished`, with acquire.
/// A delayed block whose closure returns a value or throws an error.
public final class DelayedValue<Value: Sendable>: DelayedBlock, @unchecked Sendable {
  /// The work of the block.
  enum Work: Sendable {
    case call(@Sendable () throws -> Value)
    /// A call, and the closure that it returns, which a task awaits.
    case awaiting(@Sendable () throws -> @Sendable () async throws -> Value)
  }

  /// The closure; nil once the block has begun to run or was cancelled.
  private var work: Work?

  /// The closure's result, written once before the state is `finished`.
  private var result: Result<Value, any Error>?

  init(
    _ work: Work, at instant: UInt64, tolerance: UInt64,
    target: DelayTarget, timer: DelayTimer
  ) {
    self.work = work
    super.init(nil, at: instant, tolerance: tolerance, target: target, timer: timer)
  }

  /// Awaits the value that the block returns.
  ///
  /// Cancelling the task that waits cancels the block.
  ///
  /// - Throws: The error that the block throws; `CancellationError` if the block was cancelled.
  public var value: Value {
    get async throws {
      _ = await end
      return try finishedValue()
    }
  }

  /// The value or error with which the block has ended; nil if it has not run.
  public var resultIfFinished: Result<Value, any Error>? { state == .finished ? result : nil }

  private func finishedValue() throws -> Value {
    guard let resultIfFinished else { throw CancellationError() }
    return try resultIfFinished.get()
  }

  override func perform() -> Bool {
    if let result = runWork() { finish(result) }
    return true
  }

  /// Runs the closure, and frees it: before anybody learns of the end.
  ///
  /// - Returns: Its result; nil if a task awaits that.
  private func runWork() -> Result<Value, any Error>? {
    switch work.take() {
    case nil: return nil
    case .call(let call): return Result { try call() }
    case .awaiting(let call):
      do {
        let answer = try call()
        Task.detached {
          let result: Result<Value, any Error>
          do { result = .success(try await answer()) } catch { result = .failure(error) }
          self.finish(result)
        }
        return nil
      } catch { return .failure(error) }
    }
  }

  private func finish(_ result: Result<Value, any Error>) {
    self.result = result
    end(.finished)
  }

  override func dropBody() { work = nil }
}
