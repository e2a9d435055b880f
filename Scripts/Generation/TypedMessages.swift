/// Messages by typed selectors, as values and as members of the class's selectors.
let typedMessages = """
  public import DelayedBlocks
  public import Invocations

  // As the functions that take a parameter pack, for one to four arguments: an argument may be an
  // Optional's value, since its type is known from the selector.

  \([
    messages(
      of: "MessageReceiver", selector: "Typed", name: "selector.selector"),
    messages(
      of: "TypedMessageReceiver", selector: "(Messages) -> Typed",
      name: "selector(Messages()).selector"),
  ].joined(separator: "\n\n"))

  """

/// The messages of a class of receivers: the type of the parameter that is the selector, and its name without
/// types.
private func messages(of receiver: String, selector: String, name: String) -> String {
  let arities = Arity.few.dropFirst()
  return """
    extension \(receiver) {
    \(arities.flatMap { sends($0, selector, name) }.joined(separator: "\n\n"))
    }

    extension \(receiver) where Self: Sendable {
    \(arities.map { perform($0, selector, name) }.joined(separator: "\n\n"))
    }
    """
}

extension Arity {
  private var ordinals: [String] { Array(["First", "Second", "Third", "Fourth"].prefix(count)) }
  fileprivate var typed: [String] { ordinals.map { "Typed.\($0)" } }
  fileprivate var arguments: [String] { ordinals.map { $0.lowercased() } }

  /// The parameters: _ selector: Typed, _ first: Typed.First.
  fileprivate func typedParameters(_ selector: String) -> String {
    list(["_ selector: \(selector)"] + zip(arguments, typed).map { "_ \($0): \($1)" })
  }

  /// The requirement that the selector has these arguments.
  fileprivate var requirement: String {
    "Typed.Arguments == \(count == 1 ? typed[0] : "(\(list(typed)))")"
  }
}

private func sends(_ arity: Arity, _ selector: String, _ name: String) -> [String] {
  let parameters = arity.typedParameters(selector)
  let arguments = list(arity.arguments)
  let counted = arity.counted("argument")
  return [
    """
      /// Sends a message with \(counted) by its typed selector.
    \(inline)\
      @discardableResult
      public func send<Typed: SyncTypedSelector>(
        \(parameters)
      ) throws(MessageError) -> Typed.Outcome where \(arity.requirement) {
        try MessageSending.send(self, \(name), \(arity.count == 1 ? arguments : "(\(arguments))"))
      }
    """,
    """
      /// Sends a message with \(counted) to an async method by its typed selector, and awaits its answer.
      @discardableResult
      nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
        \(parameters)
      ) async throws(MessageError) -> Value
      where \(arity.requirement), Typed.Outcome == AsyncAnswer<Value> {
        try await send(async: \(name), \(arguments), returning: Value.self)
      }
    """,
    """
      /// Makes an invocation of a message with \(counted) by its typed selector.
      public func record<Typed: TypedSelector>(
        \(parameters)
      ) throws(MessageError) -> Invocation where \(arity.requirement) {
        try record { try $0.send(\(name), \(arguments)) }
      }
    """,
  ]
}

private func perform(_ arity: Arity, _ selector: String, _ name: String) -> String {
  let sendable = arity.typed.map { "\($0): Sendable" }
  return """
      /// Sends a message with \(arity.counted("argument")) by its typed selector after a delay.
      @discardableResult
      public func perform<Typed: TypedSelector>(
        \(arity.typedParameters(selector)), after delay: Duration,
        on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
        onError: MessageErrorHandler? = nil
      ) throws(MessageError) -> DelayedBlock
      where \(list([arity.requirement] + sendable)) {
        try perform(
          \(name), \(list(arity.arguments)), after: delay, on: target, keepsReceiver: keepsReceiver,
          timer: timer, onError: onError)
      }
    """
}
