#if Macros
public import Invocations
public import MessageForwarding

extension ForwardingTargets {
  /// Asks targets for a requirement that throws; without an answer, `Answer` is `Void`.
  ///
  /// - Parameters:
  ///   - selector: The requirement as a message.
  ///   - policy: Finds the requirement's policy.
  ///   - object: Asks an object; nil if it leaves the requirement out.
  ///   - closure: Asks a closure; nil if there is none.
  ///   - message: Sends the message; nil if the requirement is no message.
  ///   - value: The answer if no target responds.
  /// - Returns: The answer.
  /// - Throws: The first error of a target, if none answers.
  @inlinable
  public func askThrowing<Answer>(
    _ selector: @autoclosure () -> Selector,
    policy: (Requirements.Policies) -> AnswerPolicy<Answer>,
    object: (Requirements.Target) throws -> Answer?,
    closure: (Requirements.Closures) throws -> Answer?,
    message: (any MessageReceiver, Selector) throws -> Answer?,
    default value: @autoclosure () throws -> Answer
  ) throws -> Answer {
    let list = list
    var errors = TargetErrors<any Error>(list.onError)
    let answer = collect(
      list, policy(list.policies), selector,
      object: { target in
        do { return try object(target) } catch {
          errors.add(error, target as AnyObject, selector())
          return nil
        }
      },
      closure: { closures in
        do { return try closure(closures) } catch {
          errors.add(error, nil, selector())
          return nil
        }
      },
      message: { receiver, selector in
        do { return try message(receiver, selector) } catch {
          errors.add(error, fromMessageTo: receiver, selector)
          return nil
        }
      })
    if let answer {
      errors.report()
      return answer
    }
    try errors.throwFirst()
    return try value()
  }

  // A function of its own, because the compiler specialises none for a type of errors.

  /// Asks targets for a requirement that throws errors of one type.
  ///
  /// - Parameters:
  ///   - selector: The requirement as a message.
  ///   - policy: Finds the requirement's policy.
  ///   - object: Asks an object; nil if it leaves the requirement out.
  ///   - closure: Asks a closure; nil if there is none.
  ///   - message: Sends the message; nil if the requirement is no message.
  ///   - value: The answer if no target responds.
  /// - Returns: The answer.
  /// - Throws: The first error of a target, if none answers.
  @inlinable
  public func askTyped<Answer, Failure: Error>(
    _ selector: @autoclosure () -> Selector,
    policy: (Requirements.Policies) -> AnswerPolicy<Answer>,
    object: (Requirements.Target) throws(Failure) -> Answer?,
    closure: (Requirements.Closures) throws(Failure) -> Answer?,
    message: (any MessageReceiver, Selector) throws -> Answer?,
    default value: @autoclosure () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let list = list
    var errors = TargetErrors<Failure>(list.onError)
    let answer = collect(
      list, policy(list.policies), selector,
      object: { target in
        do throws(Failure) { return try object(target) } catch {
          errors.add(error, target as AnyObject, selector())
          return nil
        }
      },
      closure: { closures in
        do throws(Failure) { return try closure(closures) } catch {
          errors.add(error, nil, selector())
          return nil
        }
      },
      message: { receiver, selector in
        do { return try message(receiver, selector) } catch {
          errors.add(error, fromMessageTo: receiver, selector)
          return nil
        }
      })
    if let answer {
      errors.report()
      return answer
    }
    try errors.throwFirst()
    return try value()
  }

  /// Asks targets for a requirement that is `async`, one after the other.
  ///
  /// - Parameters:
  ///   - selector: The requirement as a message.
  ///   - policy: Finds the requirement's policy.
  ///   - object: Asks an object; nil if it leaves the requirement out.
  ///   - closure: Asks a closure; nil if there is none.
  ///   - message: Sends the message; nil if the requirement is no message.
  ///   - value: The answer if no target responds.
  /// - Returns: The answer.
  /// - Throws: The first error of a target, if none answers.
  @inlinable
  nonisolated(nonsending)
    public func askAsync<Answer, Failure: Error>(
      _ selector: @autoclosure () -> Selector,
      policy: (Requirements.Policies) -> AnswerPolicy<Answer>,
      object: nonisolated(nonsending) (Requirements.Target) async throws(Failure) -> Answer?,
      closure: nonisolated(nonsending) (Requirements.Closures) async throws(Failure) -> Answer?,
      message: nonisolated(nonsending) (any MessageReceiver, Selector) async throws -> Answer?,
      default value: @autoclosure () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer
  {
    let list = list
    var isDeadSeen = false
    var fold = AnswerFold(policy(list.policies))
    var errors = TargetErrors<Failure>(list.onError)
    for target in list.targets where !target.removal.isRemoved {
      do throws(Failure) {
        let answer: Answer?
        switch target.kind {
        case .object:
          guard let value = target.object else {
            target.removal.remove()
            isDeadSeen = true
            continue
          }
          answer = try await object(value)
        case .closures: answer = try await closure(target.closures)
        case .receiver:
          guard let receiver = target.receiver else {
            target.removal.remove()
            isDeadSeen = true
            continue
          }
          let selector = selector()
          guard receiver.responds(to: selector) else { continue }
          do { answer = try await message(receiver, selector) } catch {
            errors.add(error, fromMessageTo: receiver, selector)
            continue
          }
        }
        if let answer, !fold.take(answer) { break }
      } catch {
        errors.add(error, target.object as AnyObject?, selector())
      }
    }
    if isDeadSeen { dropRemoved() }
    if let answer = fold.answer {
      errors.report()
      return answer
    }
    try errors.throwFirst()
    return try value()
  }
}

extension ForwardedRequirements {
  /// Throws the error of a requirement that no target answered.
  ///
  /// - Parameter selector: The requirement as a message.
  /// - Returns: Nothing, as it throws.
  /// - Throws: `deadReceiver`.
  public static func unanswered<Answer>(_ selector: Selector) throws(MessageError) -> Answer {
    throw MessageError(
      .deadReceiver,
      "no target of the forwarder responds to `\(selector)`; add one, or mark the requirement as "
        + "@Optional")
  }
}

/// The errors of the targets of one call.
@usableFromInline
struct TargetErrors<Failure: Error> {
  @usableFromInline let onError: ForwardingErrorHandler
  @usableFromInline var first: (target: AnyObject?, selector: Selector, error: Failure)?

  @inlinable
  init(_ onError: @escaping ForwardingErrorHandler) { self.onError = onError }

  /// Keeps the first error, and reports the others.
  @inlinable
  mutating func add(_ error: Failure, _ target: AnyObject?, _ selector: Selector) {
    if first == nil {
      first = (target, selector, error)
    } else {
      onError(target, selector, error)
    }
  }

  /// Adds the error of a message, as the error that the method threw, if that is one of the
  /// requirement's; reports it otherwise.
  @inlinable
  mutating func add(
    _ error: any Error, fromMessageTo target: any MessageReceiver, _ selector: Selector
  ) {
    if target.leavesOut(selector, error) { return }
    if let error = error as? MessageError, error.code == .thrown,
      let cause = error.underlyingError as? Failure
    {
      add(cause, target, selector)
    } else if let error = error as? Failure {
      add(error, target, selector)
    } else {
      onError(target, selector, error)
    }
  }

  /// Reports the first error, because another target has answered.
  @inlinable
  func report() {
    if let first { onError(first.target, first.selector, first.error) }
  }

  /// Throws the first error.
  @inlinable
  func throwFirst() throws(Failure) {
    if let first { throw first.error }
  }
}
#endif
