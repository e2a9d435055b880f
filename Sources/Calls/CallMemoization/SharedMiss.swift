internal import BlockRuntimeThreads

/// A value that one caller computes for all that ask for it meanwhile.
final class SharedMiss<Key: Sendable, Value>: Sendable {
  let key: Key

  /// The ticket of the computation's begin.
  let ticket: UInt64

  let computation = MemoComputation()

  /// Whether a task computes the value, which may need the thread of a waiter that blocks.
  private let isAsync: Bool

  private let outcome = Locked<Result<Value?, any Error>?>(nil)

  init(_ key: Key, ticket: UInt64, isAsync: Bool) {
    self.key = key
    self.ticket = ticket
    self.isAsync = isAsync
  }

  /// Whether this thread may block: it must not be one that runs tasks.
  fileprivate var mayBlock: Bool {
    // SAFETY: the task is compared with nil only.
    unsafe !isAsync || withUnsafeCurrentTask { unsafe $0 == nil }
  }

  fileprivate func end(_ result: Result<Value?, any Error>) {
    outcome.withLock { $0 = result }
    computation.end()
  }

  /// The meaning of a computation's end for a thread or task that waited for it.
  fileprivate enum Answer {
    case value(Value)
    /// There is no value: each waiter computes its own.
    case none
    /// The error does not concern the waiter: the next one that asks computes the value.
    case again
  }

  /// - Throws: The computation's error.
  fileprivate func answer<Failure: Error>(_ type: Failure.Type) throws(Failure) -> Answer {
    switch outcome.withLock({ $0 }) {
    case .success(let value?): return .value(value)
    case .success(nil), nil: return .none
    case .failure(let error):
      guard !(error is CancellationError), let error = error as? Failure else { return .again }
      throw error
    }
  }
}

extension MemoStore {
  /// Computes the value of a missing key, or waits for another thread or task that does.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - make: Computes the value, and stores it with the ticket of the begin; returns nil if there
  ///     is no value.
  /// - Returns: The value.
  /// - Throws: The error of `make`, whether this caller ran it or waited for another that did.
  func share<Failure: Error>(
    _ key: Key, _ make: (_ ticket: UInt64) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    while true {
      let (miss, isOwn) = miss(of: key, isAsync: false)
      if isOwn {
        if let value = stored(before: miss) { return value }
        let result = MemoComputation.$current.withValue(miss.computation) {
          Result { () throws(Failure) in try make(miss.ticket) }
        }
        end(miss, result.mapError { $0 })
        return try result.get()
      }
      guard miss.key == key, miss.mayBlock, miss.computation.wait() else {
        return try make(miss.ticket)
      }
      switch try miss.answer(Failure.self) {
      case .value(let value):
        countAnswer()
        return value
      case .none: return try make(miss.ticket)
      case .again: continue
      }
    }
  }

  /// Computes the value of a missing key as `share(_:_:)` does, in a task.
  ///
  /// - Throws: Also `CancellationError`, if the task is cancelled while it waits for another.
  func share(
    _ key: Key, isolation: isolated (any Actor)?, _ make: (_ ticket: UInt64) async throws -> Value
  ) async throws -> Value where Value: Sendable {
    while true {
      let (miss, isOwn) = miss(of: key, isAsync: true)
      if isOwn {
        if let value = stored(before: miss) { return value }
        do {
          let value = try await MemoComputation.$current.withValue(miss.computation) {
            try await make(miss.ticket)
          }
          end(miss, .success(value))
          return value
        } catch {
          // The cancellation of this task does not concern the tasks that wait.
          end(miss, .failure(Task.isCancelled ? CancellationError() : error))
          throw error
        }
      }
      guard miss.key == key, try await miss.computation.wait(isolation: isolation) else {
        return try await make(miss.ticket)
      }
      switch try miss.answer((any Error).self) {
      case .value(let value):
        countAnswer()
        return value
      case .none: return try await make(miss.ticket)
      case .again: continue
      }
    }
  }

  /// The computation of a key that is in progress, or, for the caller to make, a new one.
  ///
  /// The computation may be that of another key with the same hash.
  private func miss(of key: Key, isAsync: Bool) -> (Miss, isOwn: Bool) {
    let hash = keys.hash(key)
    return change { state, _ in
      if let miss = state.shared[hash], !state.removals.covers(hash, since: miss.ticket) {
        return (miss, false)
      }
      let miss = Miss(key, ticket: state.removals.ticket, isAsync: isAsync)
      state.shared[hash] = miss
      return (miss, true)
    }
  }

  /// The value that was stored before a computation began, which it ends.
  private func stored(before miss: Miss) -> Value? {
    guard let value = peek(miss.key) else { return nil }
    countAnswer()
    end(miss, .success(value))
    return value
  }

  private func end(_ miss: Miss, _ result: Result<Value?, any Error>) {
    let hash = keys.hash(miss.key)
    change { state, _ in
      if state.shared[hash] === miss { state.shared[hash] = nil }
    }
    miss.end(result)
  }
}
