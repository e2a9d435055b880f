internal import Invocations

/// An `AsyncAnswer` of any type.
protocol AnyAsyncAnswer: AnyObject, Sendable {
  /// Makes an answer that awaits those of several targets, all of this type, as their policy says.
  static func combining(_ answers: AsyncAnswers) -> Self

  /// Makes an answer whose value is the zero of its type.
  static func zero() throws(MessageError) -> Self

  /// Runs the method, and awaits its answer.
  ///
  /// - Returns: The answer.
  /// - Throws: What the method throws.
  func anyValue() async throws -> any Sendable
}

extension AnyAsyncAnswer {
  /// Runs the method in a task of its own, because nobody awaits its answer.
  ///
  /// - Parameter onError: Receives what the method throws.
  func start(onError: @escaping @Sendable (any Error) -> Void = reportHandlerError) {
    Task.detached {
      do { _ = try await self.anyValue() } catch { onError(error) }
    }
  }
}

/// The answers of a proxy's targets to an async message.
struct AsyncAnswers: Sendable {
  let policy: ResultPolicy
  let selector: Selector
  let onError: MultiTargetProxy.ErrorHandler

  // SAFETY: the array is filled by the thread that sends the message, before any other thread has
  // it. The targets are only passed to `onError`: that closure knows which of them other threads
  // may use.
  /// The answers in the order of the targets, each with its target.
  nonisolated(unsafe) var all: [(target: any MessageReceiver, answer: any AnyAsyncAnswer)] = []
}

extension AsyncAnswer: AwaitedAnswer {}

extension AsyncAnswer: AnyAsyncAnswer {
  func anyValue() async throws -> any Sendable { try await value }

  static func zero() throws(MessageError) -> AsyncAnswer {
    let zero = try ZeroValue.of(Outcome.self)
    return AsyncAnswer { zero }
  }

  static func combining(_ answers: AsyncAnswers) -> AsyncAnswer {
    AsyncAnswer { try await value(of: answers) }
  }

  private static func value(of answers: AsyncAnswers) async throws -> Outcome {
    let isVoid = Outcome.self == Void.self
    var fold = try AnswerFold<Outcome>(answers.policy, answers.selector) {
      isVoid || Nothing.isNothing($0)
    }
    if isVoid { fold.goesToAll = fold.goesToAll ?? true }
    var firstError: MessageError?
    let results = answers.policy.isConcurrent ? await results(of: answers) : [:]
    for (index, (target, answer)) in unsafe answers.all.enumerated() {
      // An answer of another type does not count.
      guard let answer = answer as? AsyncAnswer else { continue }
      do {
        let value =
          if let result = results[index] { try result.get() } else { try await answer.value }
        guard fold.take({ value }) else { break }
      } catch {
        let error = MessageError(thrown: error, by: answers.selector)
        answers.onError(target, answers.selector, error)
        firstError = firstError ?? error
        guard fold.goesToAll ?? false else { break }
      }
    }
    if let value = try fold.result() { return value }
    if firstError == nil, let nothing = NoAnswer.value(of: Outcome.self) { return nothing }
    throw firstError
      ?? MessageError(
        .unrecognizedSelector, "no target answers `\(answers.selector)`",
        selector: answers.selector)
  }

  /// Awaits all answers at once.
  ///
  /// - Returns: The results by the places of the answers.
  private static func results(of answers: AsyncAnswers) async -> [Int: Result<Outcome, any Error>] {
    await withTaskGroup(of: (Int, Result<Outcome, any Error>).self) { group in
      for (index, (_, answer)) in unsafe answers.all.enumerated() {
        guard let answer = answer as? AsyncAnswer else { continue }
        group.addTask {
          do { return (index, .success(try await answer.value)) } catch {
            return (index, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }
}

extension MultiTargetProxy {
  /// Sends an async message to the targets that respond, as many as its policy may need.
  ///
  /// - Returns: The combined answer, which awaits theirs; nil if no target responds.
  /// - Throws: `forwardingLoop`; the error of a target that cannot be sent the message, if no other
  ///   answers.
  func forwardAsync<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, as type: any AnyAsyncAnswer.Type, _ list: TargetList,
    _ outer: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome? {
    // SAFETY: paths are valid during the call, as `ProxyPath` requires.
    let answers = try unsafe asyncAnswers(message.selector, list, outer) {
      target, path throws(MessageError) in
      unsafe try target.send(message, path) as? any AnyAsyncAnswer
    }
    return answers.map { type.combining($0) } as? Outcome
  }

  /// Sends an invocation of an async message to the targets that respond, as many as its policy may
  /// need.
  ///
  /// - Returns: The combined answer, which awaits theirs; nil if no target responds.
  /// - Throws: The errors of the function for messages.
  func forwardAsync(
    _ invocation: Invocation, _ selector: Selector, _ list: TargetList,
    _ outer: ProxyPath.Pointer?
  ) throws(MessageError) -> (any AnyAsyncAnswer)? {
    // SAFETY: as above.
    let answers = try unsafe asyncAnswers(selector, list, outer) {
      target, path throws(MessageError) in
      let copy = invocation.copied()
      unsafe try target.send(copy, path)
      return copy.asyncAnswer
    }
    guard let answers, let first = unsafe answers.all.first?.answer else { return nil }
    return type(of: first).combining(answers)
  }

  /// Collects the answers of the targets that respond; nil if none does.
  private func asyncAnswers(
    _ selector: Selector, _ list: TargetList, _ outer: ProxyPath.Pointer?,
    _ send: (PathTarget, ProxyPath.Pointer) throws(MessageError) -> (any AnyAsyncAnswer)?
  ) throws(MessageError) -> AsyncAnswers? {
    let policy = list.rules.policy(for: selector)
    var answers = AsyncAnswers(policy: policy, selector: selector, onError: onError)
    var firstError: MessageError?
    try unsafe forEachResponder(selector, list, outer) { target, path throws(MessageError) in
      do throws(MessageError) {
        if let answer = unsafe try send(target, path) {
          unsafe answers.all.append((target.receiver, answer))
        }
      } catch {
        if error.code == .forwardingLoop { throw error }
        onError(target.receiver, selector, error)
        firstError = firstError ?? error
      }
      // An async message without a result goes to all targets, as any message without a result
      // does.
      return unsafe policy.goesToAll ?? (answers.all.last?.answer is AsyncAnswer<Void>)
    }
    if unsafe !answers.all.isEmpty { return answers }
    if let firstError { throw firstError }
    return nil
  }
}
