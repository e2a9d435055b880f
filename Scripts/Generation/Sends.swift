/// `send` by a selector.
let sends = """
  public import Invocations

  // The compiler prefers these overloads to those for any number of arguments. They are specialised,
  // and refuse a block before the tuple of the arguments is made, which cannot be.

  extension MessageReceiver {
  \(Arity.all.map(sends(with:)).joined(separator: "\n\n"))
  }

  """

private func sends(with arity: Arity) -> String {
  func refusal(_ types: [String]) -> String {
    let conditions = types.map { "BlockType.isBlock(\($0).self)" }
    guard !conditions.isEmpty else { return "" }
    return "    if \(conditions.joined(separator: " || ")) { throw BlockType.refused(selector) }\n"
  }
  let parameters = arity.parameters(after: "_ selector: Selector")
  return """
      /// Sends a message with \(arity.counted("argument")).
      @_transparent
      @discardableResult
      public func send\(generic(arity.types + ["Outcome"]))(
        \(parameters), returning type: Outcome.Type = Outcome.self
      ) throws(MessageError) -> Outcome {
    \(refusal(arity.types + ["Outcome"]))\
        return try MessageSending.send(self, selector, \(arity.value))
      }

      /// Sends a message with \(arity.counted("argument")) and ignores the answer.
      @_transparent
      public func send\(generic(arity.types))(\(parameters)) throws(MessageError) {
    \(refusal(arity.types))\
        try MessageSending.send(self, selector, \(arity.value)) as Void
      }
    """
}
