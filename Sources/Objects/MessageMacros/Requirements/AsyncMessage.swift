#if Macros
public import Invocations
public import MessageForwarding

/// Requirements that are `async`, as messages: these they are if their answers are `Sendable`.
///
/// Macros do not see whether a type is `Sendable`: each function has a second form for types that
/// are not.
public enum AsyncMessage {
  /// Sends the message.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - receiver: The receiver.
  ///   - arguments: The arguments.
  ///   - type: The type of the answer.
  /// - Returns: The answer.
  /// - Throws: The error of the message.
  nonisolated(nonsending)
    public static func send<each Argument, Answer: Sendable>(
      _ selector: Selector, to receiver: any MessageReceiver, _ arguments: repeat each Argument,
      returning type: Answer.Type
    ) async throws -> Answer?
  {
    try await receiver.send(async: selector, repeat each arguments, returning: type)
  }

  /// Sends no message, because the answer is not `Sendable`.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - receiver: The receiver.
  ///   - arguments: The arguments.
  ///   - type: The type of the answer.
  /// - Returns: Nil.
  /// - Throws: Nothing; but calls of both forms look the same.
  nonisolated(nonsending)
    public static func send<each Argument, Answer>(
      _ selector: Selector, to receiver: any MessageReceiver, _ arguments: repeat each Argument,
      returning type: Answer.Type
    ) async throws -> Answer?
  {
    nil
  }

  /// Describes the message.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - isRequired: Whether every object has the requirement.
  ///   - types: The types of the arguments.
  ///   - type: The type of the answer.
  /// - Returns: The description, whose result is an `AsyncAnswer`.
  public static func described<each Argument, Answer: Sendable>(
    _ selector: Selector, isRequired: Bool, taking types: repeat (each Argument).Type,
    returning type: Answer.Type
  ) -> MethodDescription? {
    isRequired
      ? .required(selector, taking: repeat each types, returning: AsyncAnswer<Answer>.self)
      : .optional(selector, taking: repeat each types, returning: AsyncAnswer<Answer>.self)
  }

  /// Describes no message, because the answer is not `Sendable`.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - isRequired: Whether every object has the requirement.
  ///   - types: The types of the arguments.
  ///   - type: The type of the answer.
  /// - Returns: Nil.
  public static func described<each Argument, Answer>(
    _ selector: Selector, isRequired: Bool, taking types: repeat (each Argument).Type,
    returning type: Answer.Type
  ) -> MethodDescription? {
    nil
  }
}
#endif
