#if Macros
public import Invocations
public import MessageForwarding

// An `async` function that is isolated to nothing runs on no actor, unless the module has the
// feature NonisolatedNonsendingByDefault. The functions below take such closures. Nothing is sent:
// all run one after the other, without isolation.

extension ForwardingTargets {
  /// Asks targets for a requirement that is `async` and runs on no actor, one after the other.
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
  @concurrent
  public func askConcurrent<Answer, Failure: Error>(
    _ selector: @autoclosure () -> Selector,
    policy: (Requirements.Policies) -> AnswerPolicy<Answer>,
    object: @concurrent (Requirements.Target) async throws(Failure) -> Answer?,
    closure: @concurrent (Requirements.Closures) async throws(Failure) -> Answer?,
    message: @concurrent (any MessageReceiver, Selector) async throws -> Answer?,
    default value: @autoclosure () throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    // SAFETY: the caller has no isolation either, and waits.
    nonisolated(unsafe) let (object, closure, message) = (object, closure, message)
    return try await askAsync(
      selector(), policy: policy,
      object: { target throws(Failure) in
        nonisolated(unsafe) let target = target
        return unsafe try await object(target)
      },
      closure: { closures throws(Failure) in
        nonisolated(unsafe) let closures = closures
        return unsafe try await closure(closures)
      },
      message: { receiver, selector in
        nonisolated(unsafe) let receiver = receiver
        return unsafe try await message(receiver, selector)
      },
      default: try value())
  }
}

extension OptionalRequirement {
  /// Asks an object for the requirement, which is `async` and runs on no actor.
  ///
  /// - Parameters:
  ///   - target: The object.
  ///   - body: Calls the requirement.
  /// - Returns: The answer; nil if the object's type leaves the requirement out.
  /// - Throws: What `body` throws.
  @concurrent
  public func askConcurrent<Answer, Failure: Error>(
    _ target: AnyObject, _ body: @concurrent () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer? {
    // SAFETY: the caller has no isolation either, and waits.
    nonisolated(unsafe) let body = body
    return try await askAsync(target) { () throws(Failure) in unsafe try await body() }
  }

  /// Calls a closure or a receiver for the requirement, which is `async` and runs on no actor.
  ///
  /// - Parameter body: Calls the closure or the receiver.
  /// - Returns: The answer.
  /// - Throws: What `body` throws.
  @concurrent
  public func callConcurrent<Answer, Failure: Error>(
    _ body: @concurrent () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    // SAFETY: the caller has no isolation either, and waits.
    nonisolated(unsafe) let body = body
    return try await callAsync { () throws(Failure) in unsafe try await body() }
  }
}
#endif
