public import Invocations

/// The answer of one of a proxy's targets to a message.
public struct Answer<Outcome> {
  /// The target.
  public let target: any MessageReceiver

  /// The answer, or the target's error.
  public let result: Result<Outcome, MessageError>
}

extension MultiTargetProxy {
  /// Sends a message to every target that responds, and collects the answers and errors of all.
  ///
  /// Policies do not apply, and `onError` is not called.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answers.
  /// - Returns: The answers in the order of the targets; none if no target responds.
  /// - Throws: `typeMismatch` for a block type; `forwardingLoop`.
  public func sendToAll<each Argument, Outcome>(
    _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> [Answer<Outcome>] {
    try BlockType.refuse(repeat (each Argument).self, type, in: selector)
    let message = Message<_, Outcome>(selector, (repeat each arguments))
    var answers: [Answer<Outcome>] = []
    // SAFETY: `forEachResponder` passes a path that is valid during the closure.
    try unsafe forEachResponder(selector, list, nil) { target, path throws(MessageError) in
      let result = Result { () throws(MessageError) in unsafe try target.send(message, path) }
      if case .failure(let error) = result, error.code == .forwardingLoop { throw error }
      answers.append(Answer(target: target.receiver, result: result))
      return true
    }
    return answers
  }
}
