#if Macros
/// A requirement that types may leave out.
///
/// A forwarder asks an object whether its type has the requirement by calling it: the default
/// implementation, which runs only if the type leaves the requirement out, says so to the forwarder
/// that asked. The question is that of a thread or a task, of an object and of a requirement, so
/// that calls in between, of other objects or requirements, do not answer it.
public struct OptionalRequirement: Sendable {
  @usableFromInline let requirements: ObjectIdentifier
  @usableFromInline let number: Int

  /// Describes a requirement.
  ///
  /// - Parameters:
  ///   - number: The number of the requirement among the optional ones of its protocol.
  ///   - requirements: The requirements of its protocol.
  @inlinable
  public init<Requirements: ForwardedRequirements>(
    _ number: Int, of requirements: Requirements.Type
  ) {
    self.requirements = ObjectIdentifier(requirements)
    self.number = number
  }

  /// Asks an object for the requirement.
  ///
  /// - Parameters:
  ///   - target: The object.
  ///   - body: Calls the requirement.
  /// - Returns: The answer; nil if the object's type leaves the requirement out.
  @inlinable
  public func ask<Answer>(_ target: AnyObject, _ body: () -> Answer) -> Answer? {
    var question = ThreadQuestion(self, to: target)
    // SAFETY: the question is the thread's until `body` has returned, on this thread.
    return unsafe withUnsafeMutablePointer(to: &question) { question in
      unsafe ThreadQuestion.begin(question)
      let answer = body()
      return unsafe ThreadQuestion.end(question) ? nil : answer
    }
  }

  /// Asks an object for the requirement, which throws.
  ///
  /// - Parameters:
  ///   - target: The object.
  ///   - body: Calls the requirement.
  /// - Returns: The answer; nil if the object's type leaves the requirement out.
  /// - Throws: What `body` throws.
  @inlinable
  public func askThrowing<Answer, Failure: Error>(
    _ target: AnyObject, _ body: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer? {
    var result: Result<Answer, Failure>?
    let isAnswered: Void? = ask(target) {
      result = Result { () throws(Failure) in try body() }
    }
    return isAnswered == nil ? nil : try result?.get()
  }

  /// Asks an object for the requirement, which is `async`.
  ///
  /// - Parameters:
  ///   - target: The object.
  ///   - body: Calls the requirement.
  /// - Returns: The answer; nil if the object's type leaves the requirement out.
  /// - Throws: What `body` throws.
  nonisolated(nonsending)
    public func askAsync<Answer, Failure: Error>(
      _ target: AnyObject, _ body: nonisolated(nonsending) () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer?
  {
    let question = TaskQuestion(self, to: target)
    let result = await TaskQuestion.$current.withValue(question) {
      do throws(Failure) { return Result<Answer, Failure>.success(try await body()) } catch {
        return .failure(error)
      }
    }
    return question.isLeftOut ? nil : try result.get()
  }

  /// Says that an object's type leaves the requirement out.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - value: Its answer if no forwarder has asked.
  /// - Returns: The answer.
  public func leftOut<Answer>(by object: AnyObject, answering value: Answer) -> Answer {
    ThreadQuestion.leaveOut(self, by: object)
    return value
  }

  /// Says that an object's type leaves the requirement out, which is `async`.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - value: Its answer if no forwarder has asked.
  /// - Returns: The answer.
  public func leftOutAsync<Answer>(by object: AnyObject, answering value: Answer) -> Answer {
    TaskQuestion.leaveOut(self, by: object)
    return value
  }

  @inlinable
  static func == (first: Self, second: Self) -> Bool {
    first.requirements == second.requirements && first.number == second.number
  }
}
#endif
