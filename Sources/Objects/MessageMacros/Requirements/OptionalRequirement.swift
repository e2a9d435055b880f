#if Macros
/// A requirement that types may leave out.
///
/// A forwarder asks an object whether its type has the requirement by calling it: the default
/// implementation, which runs only if the type leaves the requirement out, says so to the forwarder
/// that asked. The question is that of a thread or a task, of an object and of a requirement, so
/// that calls in between, of other objects or requirements, do not answer it.
public struct OptionalRequirement: Sendable {
  @usableFromInline let requirements: any ForwardedRequirements.Type
  @usableFromInline let name: StaticString

  /// Describes a requirement.
  ///
  /// - Parameters:
  ///   - name: The requirement as it is declared, without its answer.
  ///   - requirements: The requirements of its protocol.
  @inlinable
  public init(_ name: StaticString, of requirements: any ForwardedRequirements.Type) {
    self.requirements = requirements
    self.name = name
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
  ///   - value: The object's answer if no forwarder has asked.
  /// - Returns: The answer.
  public func leftOut<Answer>(by object: AnyObject, answering value: Answer) -> Answer {
    ThreadQuestion.leaveOut(self, by: object)
    return value
  }

  /// Says that an object's type leaves the requirement out, which is `async`.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - value: The object's answer if no forwarder has asked.
  /// - Returns: The answer.
  public func leftOutAsync<Answer>(by object: AnyObject, answering value: Answer) -> Answer {
    TaskQuestion.leaveOut(self, by: object)
    return value
  }

  /// Calls a closure or a receiver for the requirement: calls of other targets that it makes do not
  /// answer the question that is asked of the forwarder.
  ///
  /// - Parameter body: Calls the closure or the receiver.
  /// - Returns: The answer.
  @inlinable
  public func call<Answer>(_ body: () -> Answer) -> Answer {
    var question = ThreadQuestion(self, to: nil)
    // SAFETY: as in `ask`.
    return unsafe withUnsafeMutablePointer(to: &question) { question in
      unsafe ThreadQuestion.begin(question)
      defer { _ = unsafe ThreadQuestion.end(question) }
      return body()
    }
  }

  /// Calls a closure or a receiver for the requirement, which throws.
  ///
  /// - Parameter body: Calls the closure or the receiver.
  /// - Returns: The answer.
  /// - Throws: What `body` throws.
  @inlinable
  public func callThrowing<Answer, Failure: Error>(
    _ body: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try call { Result { () throws(Failure) in try body() } }.get()
  }

  /// Calls a closure or a receiver for the requirement, which is `async`.
  ///
  /// - Parameter body: Calls the closure or the receiver.
  /// - Returns: The answer.
  /// - Throws: What `body` throws.
  nonisolated(nonsending)
    public func callAsync<Answer, Failure: Error>(
      _ body: nonisolated(nonsending) () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer
  {
    let result = await TaskQuestion.$current.withValue(nil) {
      do throws(Failure) { return Result<Answer, Failure>.success(try await body()) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Whether a default implementation of this requirement answers a question for the given one: the
  /// same, or one that this restates.
  func answers(_ question: Self) -> Bool {
    name.isEqual(to: question.name) && requirements.inherits(from: question.requirements)
  }
}

extension ForwardedRequirements {
  /// Whether the protocol is the other one, or inherits from it.
  static func inherits(from other: any ForwardedRequirements.Type) -> Bool {
    self == other || _inherited.contains { $0.inherits(from: other) }
  }
}

extension StaticString {
  fileprivate func isEqual(to other: StaticString) -> Bool {
    // SAFETY: the text of a static string is never freed.
    unsafe utf8CodeUnitCount == other.utf8CodeUnitCount
      && UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
        .elementsEqual(UnsafeBufferPointer(start: other.utf8Start, count: utf8CodeUnitCount))
  }
}
#endif
