/// Initialisers of methods.
let methods = """
  public import Invocations

  // The compiler ends where a function that takes a function is passed as one with a parameter pack:
  // each number of arguments has initialisers of its own. It prefers those for methods of the main
  // actor, because the others do not show the isolation. Messages run such methods on the main
  // actor only: elsewhere they throw `wrongExecutor`. A reference that does not throw is called
  // directly only if it is passed as one.

  // SAFETY: the casts of the receiver in this file are right because messages run a method only for
  // instances of its receiver class: dictionaries refuse a method of another class, and calls
  // through a frame check argument 0.

  extension Method {
  \(Arity.all.flatMap(initializers).joined(separator: "\n\n"))
  }

  """

private let receiver = "unsafe unsafeDowncast(receiver, to: Receiver.self)"

private func initializers(_ arity: Arity) -> [String] {
  let types = list(arity.types)
  let counted = arity.counted("argument")
  return [
    initializer(
      arity, "a reference to one with \(counted)",
      "_ reference: @escaping @Sendable (Receiver) -> (\(types)) -> Outcome",
      "self.init(selector, Receiver.self, isReference: true, \(arity.metatypes)) "
        + arity.closure(after: "receiver") { "reference(\(receiver))(\(list($0)))" }),
    initializer(
      arity, "a reference to one with \(counted) that throws",
      "_ reference: @escaping @Sendable (Receiver) -> (\(types)) throws -> Outcome",
      "self.init(selector, Receiver.self, isReference: true, \(arity.metatypes)) "
        + arity.closure(after: "receiver") { "try reference(\(receiver))(\(list($0)))" }),
    initializer(
      arity, "a reference to one of the main actor with \(counted)",
      "_ reference: @escaping @Sendable (Receiver) -> @MainActor (\(types)) throws -> Outcome",
      """
      let anywhere: @Sendable (Receiver) -> (\(types)) throws -> Outcome = reference
      self = Method(selector, anywhere).isolated(to: MainActor.shared)
      """),
    initializer(
      arity, "a reference to an async one with \(counted)",
      "_ reference: @escaping @Sendable (Receiver) -> (\(types)) async throws -> Outcome",
      """
      self.init(async: selector, isReference: true) { \
      (\(list(["self: Receiver"] + arity.declarations))) in
        try await reference(self)(\(list(arity.names)))
      }
      """,
      isAsync: true),
    initializer(
      arity, "a closure that takes the receiver and \(counted)",
      "body: @escaping @Sendable (\(list(["_ receiver: Receiver"] + arity.types))) throws -> Outcome",
      "self.init(selector, Receiver.self, isReference: false, \(arity.metatypes)) "
        + arity.closure(after: "receiver") { "try body(\(list([receiver] + $0)))" }),
  ]
}

private func initializer(
  _ arity: Arity, _ source: String, _ parameter: String, _ body: String, isAsync: Bool = false
) -> String {
  let sendable = isAsync ? ": Sendable" : ""
  let types = (arity.types + ["Outcome"]).map { $0 + sendable }
  return """
      /// Creates a method from \(source).
    \(isAsync ? "" : "  @inlinable\n")\
      public init\(generic(["Receiver: AnyObject\(isAsync ? " & Sendable" : "")"] + types))(
        _ selector: Selector, \(parameter)
      ) {
        \(body)
      }
    """
}

/// Closures of delegates.
let delegateMethods = """
  public import Invocations

  // As for methods.

  extension DynamicDelegate {
  \(Arity.all.map(implementation).joined(separator: "\n\n"))
  }

  """

private func implementation(_ arity: Arity) -> String {
  """
    /// Implements a message by a Swift closure with \(arity.counted("argument")).
    @inlinable
    @discardableResult
    public func implement\(generic(arity.types + ["Outcome"]))(
      _ selector: Selector, options: ImplementOptions = [],
      _ body: @escaping @Sendable (\(list(arity.types))) throws -> Outcome
    ) throws(MessageError) -> DelegateMethod {
      try implement(selector, options, \(arity.metatypes)) \
  \(arity.closure(after: "_") { "try body(\(list($0)))" })
    }
  """
}

/// Properties that are methods of delegates.
let linkedMethods = """
  public import Invocations

  // A function type with a parameter pack cannot be a generic argument.

  extension LinkedMethod {
  \(Arity.few.map(link).joined(separator: "\n\n"))
  }

  """

private func link(_ arity: Arity) -> String {
  """
    /// Links a property to a message with \(arity.counted("argument")).
    ///
    /// - Parameter selector: The message.
    public init\(generic(arity.types + ["Outcome"]))(
      _ selector: Selector
    ) where Value == (@Sendable (\(list(arity.types))) -> Outcome)? {
      self.init(selector) { delegate, body throws(MessageError) in
        try delegate.implement(selector, body)
      }
    }
  """
}
