internal import Invocations

/// An `AsyncAnswer` of any type.
protocol AnyAsyncAnswer: AnyObject, Sendable {
  /// Awaits the answers of several targets, all of this type, as a policy says.
  static func combining(_ answers: AsyncAnswers) -> Self

  /// Answers with the zero of the type, if it has one.
  static func zero() throws(MessageError) -> Self

  /// Runs the method in a task of its own.
  func start()
}

/// The answers of a proxy's targets to an async message.
struct AsyncAnswers: Sendable {
  let policy: ResultPolicy
  let selector: Selector
  let onError: MultiTargetProxy.ErrorHandler

  // SAFETY: the array is filled by the thread that sends the message, before any other has it. The targets
  // are only passed to `onError`: that closure knows which of them other threads may use.
  /// The answers in the order of the targets, each with its target.
  nonisolated(unsafe) var all: [(target: any MessageReceiver, answer: any AnyAsyncAnswer)] = []
}

extension AsyncAnswer: AnyAsyncAnswer {
  static func zero() throws(MessageError) -> AsyncAnswer {
    let zero = try ZeroValue.of(Outcome.self)
    return AsyncAnswer { zero }
  }

  static func combining(_ answers: AsyncAnswers) -> AsyncAnswer {
    AsyncAnswer { try await value(of: answers) }
  }

  private static func value(of answers: AsyncAnswers) async throws -> Outcome {
    var fold = try AnswerFold<Outcome>(answers.policy, answers.selector)
    if Outcome.self == Void.self { fold.goesToAll = fold.goesToAll ?? true }
    var firstError: MessageError?
    let results = answers.policy.isConcurrent ? await results(of: answers) : nil
    for (index, (target, answer)) in unsafe answers.all.enumerated() {
      do {
        let value: Outcome
        if let results {
          value = try results[index].get()
        } else if let answer = answer as? AsyncAnswer {
          value = try await answer.value
        } else {
          continue
        }
        guard fold.take({ value }) else { break }
      } catch {
        let error = MessageError(thrown: error, by: answers.selector)
        answers.onError(target, answers.selector, error)
        firstError = firstError ?? error
        guard fold.goesToAll ?? false else { break }
      }
    }
    if let value = try fold.result() ?? NoAnswer.value(of: Outcome.self) { return value }
    throw firstError
      ?? MessageError(
        .unrecognizedSelector, "no target answers `\(answers.selector)`",
        selector: answers.selector)
  }

  /// Awaits all answers at once.
  private static func results(of answers: AsyncAnswers) async -> [Result<Outcome, any Error>] {
    await withTaskGroup(of: (Int, Result<Outcome, any Error>).self) { group in
      let answers = unsafe answers.all.compactMap { $0.answer as? AsyncAnswer }
      for (index, answer) in answers.enumerated() {
        group.addTask {
          do { return (index, .success(try await answer.value)) } catch {
            return (index, .failure(error))
          }
        }
      }
      var results: [Int: Result<Outcome, any Error>] = [:]
      for await (index, result) in group { results[index] = result }
      return answers.indices.compactMap { results[$0] }
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
    let selector = message.selector
    let policy = list.rules.policy(for: selector)
    var answers = AsyncAnswers(policy: policy, selector: selector, onError: onError)
    let goesToAll = policy.goesToAll ?? (Outcome.self == AsyncAnswer<Void>.self)
    var firstError: MessageError?
    try unsafe forEachResponder(selector, list, outer) { target, path throws(MessageError) in
      do throws(MessageError) {
        let answer = unsafe try target.send(message, path)
        if let answer = answer as? any AnyAsyncAnswer {
          unsafe answers.all.append((target.receiver, answer))
        }
      } catch {
        if error.code == .forwardingLoop { throw error }
        onError(target.receiver, selector, error)
        firstError = firstError ?? error
      }
      return goesToAll
    }
    if unsafe !answers.all.isEmpty { return type.combining(answers) as? Outcome }
    if let firstError { throw firstError }
    return nil
  }
}
