public import Invocations
internal import TypeEncodings

extension MessageReceiver {
  /// Sends a message to an async method, and awaits its answer.
  ///
  /// The method runs in the current task, and is cancelled with it. A method that is not async
  /// answers at once.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: The errors of `send(_:_:returning:)`; `thrown` with the error that the method threw,
  ///   such as a `CancellationError`.
  @discardableResult
  nonisolated(nonsending) public func send<each Argument, Outcome: Sendable>(
    async selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) async throws(MessageError) -> Outcome {
    guard methodSignature(for: selector)?.result.isAwaitedAnswer ?? true else {
      return try send(selector, repeat each arguments, returning: type)
    }
    let answer = try send(
      selector, repeat each arguments, returning: AsyncAnswer<Outcome>.self)
    do { return try await answer.value } catch {
      throw MessageError(thrown: error, by: selector)
    }
  }
}

extension Invocation {
  /// Sends the message to its receiver, and awaits the answer of an async method.
  ///
  /// - Parameter type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: The errors of `send()`; `thrown` with the error that the method threw.
  nonisolated(nonsending) public func sendAsync<Outcome: Sendable>(
    returning type: Outcome.Type = Outcome.self
  ) async throws(MessageError) -> Outcome {
    try send()
    guard isAsync else { return try answer(as: type) }
    let answer = try answer(as: AsyncAnswer<Outcome>.self)
    do { return try await answer.value } catch {
      throw MessageError(thrown: error, by: selector ?? "")
    }
  }
}

extension Invocation {
  /// What an async method answered; nil for other results.
  var asyncAnswer: (any AnyAsyncAnswer)? {
    guard isAsync, let answer: AnyObject = try? loadResult() else { return nil }
    return answer as? any AnyAsyncAnswer
  }

  /// Sends the message, and awaits an answer of any type if the method is async.
  ///
  /// - Returns: What awaits the answer; nil if the method is not async.
  /// - Throws: The errors of `send()`.
  package func sendForAnswer() throws(MessageError) -> (
    @Sendable () async throws -> any Sendable
  )? {
    try send()
    guard let answer = asyncAnswer else { return nil }
    let selector = selector ?? ""
    return {
      do { return try await answer.anyValue() } catch {
        throw MessageError(thrown: error, by: selector)
      }
    }
  }

  /// Whether the message's method is async.
  package var isAsync: Bool { signature.result.isAwaitedAnswer }
}

extension MessageError {
  /// The error for an awaited answer that is of another type than the one asked for.
  package static func unexpected(
    _ answer: (any Sendable)?, _ type: Any.Type, by selector: Selector?
  ) -> MessageError {
    MessageError(
      .typeMismatch,
      "`\(selector?.name ?? "")`: the answer is \(answer.map { "a \(Swift.type(of: $0))" } ?? "nil"), not "
        + "\(type); ask for that", selector: selector)
  }
}
