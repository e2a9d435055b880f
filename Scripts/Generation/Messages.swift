/// `send` by a selector.
let sends = """
  public import Invocations

  // The compiler does not specialise parameter packs. It prefers these overloads to those for any
  // number of arguments, and specialises them.

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

/// The types of typed selectors.
let typedSelectors = """
  public import Invocations

  // The compiler infers the types of a closure's parameters from those of a method, but not from a
  // parameter pack, and does not specialise packs: each number of arguments has a type of its own.

  // SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class;
  // `installHook` refuses selectors of methods of other classes.

  \(Arity.all.map(typedSelector).joined(separator: "\n\n"))

  """

private func typedSelector(_ arity: Arity) -> String {
  let aliases = zip(["First", "Second", "Third", "Fourth"], arity.types).map { name, type in
    """
      /// The type of the \(name.lowercased()) argument.
      public typealias \(name) = \(type)

    """
  }
  let arguments =
    arity.count == 1 ? ["arguments"] : arity.names.indices.map { "arguments.\($0)" }
  let body = "MethodBody<\(arity.tuple), Outcome>"
  let names = arity.count == 0 ? "" : "\(list(arity.names)) in "
  return """
    /// The selector of a method with \(arity.counted("argument")).
    public struct TypedSelector\(arity.count)\
    \(generic(["Receiver: AnyObject"] + arity.types + ["Outcome"])): SyncTypedSelector {
      /// The arguments.
      public typealias Arguments = \(arity.tuple)
    \(arity.count > aliases.count ? "" : aliases.joined())\
      /// Runs instead of the method.
      public typealias Handler =
        @Sendable \(handler(arity)) throws -> Outcome
      /// Is the method.
      public typealias Body = @Sendable (\(list(["Receiver"] + arity.types))) throws -> Outcome

      /// The selector.
      public let selector: Selector

      /// Creates a selector with the types of this type's parameters.
      public init(_ selector: Selector) { self.selector = selector }

      /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
      public init(_ selector: Selector, _ method: (Receiver) -> (\(list(arity.types))) throws -> Outcome) {
        self.selector = selector
      }

      /// The types of the arguments.
      public static var _argumentTypes: [Any.Type] { [\(list(arity.types.map { "\($0).self" }))] }

      /// Makes a body that runs a handler around another one.
      @inlinable
      @inline(__always)
      public static func _wrapping(
        _ handler: @escaping Handler
      ) -> @Sendable (\(body)) -> \(body) {
        { original in
          MethodBody { receiver, \(arity.count == 0 ? "_" : "arguments") in
            try handler(
              { \(names)try original.call(receiver, \(arity.value)) },
              \(list(["unsafe unsafeDowncast(receiver, to: Receiver.self)"] + arguments)))
          }
        }
      }

      /// The method of a closure.
      @inlinable
      public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
        Method(selector, body: body)
      }
    }
    """
}

/// The parameters of a closure that runs instead of a method.
private func handler(_ arity: Arity) -> String {
  let original = "_ original: (\(list(arity.types))) throws -> Outcome"
  return "(\(list([original, "Receiver"] + arity.types)))"
}

/// `hook` by a typed selector: a value, a member of the class's selectors, or a method.
let typedSelectorHooks = """
  public import Invocations

  // The compiler specialises the closure of a hook if its type is spelled out for each number of
  // arguments; the functions for any typed selector call it through another closure.

  extension MessageReceiver {
  \(Arity.all.map(hookOfSelector).joined(separator: "\n\n"))

  \(Arity.all.map(hookOfMethod).joined(separator: "\n\n"))
  }

  extension TypedMessageReceiver {
  \(Arity.all.map(hookOfMember).joined(separator: "\n\n"))
  }

  """

private func hook(
  _ arity: Arity, _ comment: String, _ parameters: String, _ body: String
) -> String {
  """
  \(comment)
  \(inline)\
    @discardableResult
    public static func hook\(generic(["Receiver: AnyObject"] + arity.types + ["Outcome"]))(
      \(parameters), name: String? = nil, priority: Int = 0,
      _ handler: @escaping @Sendable \(handler(arity)) throws -> Outcome
    ) throws(MessageError) -> MethodHook {
  \(body)
    }
  """
}

private func typed(_ arity: Arity) -> String {
  "TypedSelector\(arity.count)\(generic(["Receiver"] + arity.types + ["Outcome"]))"
}

private func hookOfSelector(_ arity: Arity) -> String {
  hook(
    arity,
    "  /// Hooks a method of the class with \(arity.counted("argument")) by its typed selector.",
    "_ selector: \(typed(arity))",
    """
        try classObject.installHook(
          TypedHookRequest(selector), name, priority,
          TypedImplementation.wrapping(selector.selector, \(typed(arity))._wrapping(handler)))
    """)
}

private func hookOfMember(_ arity: Arity) -> String {
  hook(
    arity,
    "  /// Hooks a method of the class with \(arity.counted("argument")) by its typed selector.",
    "_ selector: (Messages) -> \(typed(arity))",
    "    try hook(selector(Messages()), name: name, priority: priority, handler)")
}

private func hookOfMethod(_ arity: Arity) -> String {
  hook(
    arity,
    arity.count == 0
      ? hookOfMethodComment
      : "  /// Hooks a method with \(arity.counted("argument")) by its Swift types.",
    "_ selector: Selector, _ method: (Receiver) -> (\(list(arity.types))) throws -> Outcome",
    "    try hook(TypedSelector\(arity.count)(selector, method), name: name, priority: priority, handler)"
  )
}

private let hookOfMethodComment = """
    /// Hooks a method of the class by its Swift types: a closure runs instead of it, and gets it.
    ///
    /// ```swift
    /// class Weather: MessageReceiver {
    ///   func degrees(_ city: String) -> Double { Double(city.count) }
    ///   class var methods: MethodTable {
    ///     MethodTable(Weather.self) { Method("degrees:", Weather.degrees) }
    ///   }
    /// }
    /// try Weather.hook("degrees:", Weather.degrees) { original, weather, city in
    ///   try original(city) + 1
    /// }
    /// ```
    ///
    /// The closure gets the method as a function, the receiver and the arguments, and returns the
    /// answer. What the method throws, `original` throws; what the closure throws, the sender gets, as if
    /// the method had thrown it. It runs for the messages of instances of the class and of subclasses
    /// that inherit the method, on the sender's thread, under no lock.
    ///
    /// No frame is made, so that a message of the method's types costs little more than without the
    /// hook. Hooks with frames (`hook(_:_:name:priority:when:onError:_:)`) are outside of typed ones,
    /// and do not list them. If the method is replaced by one of another signature, messages skip the
    /// hook.
    ///
    /// - Parameters:
    ///   - selector: The method, which the class has or inherits.
    ///   - method: A reference to the method, of the class or a superclass, such as `Weather.degrees`: it
    ///     gives the types, and is not called.
    ///   - name: A name for the token.
    ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
    ///   - handler: Runs instead of the method.
    /// - Returns: The token that removes the hook. Dropping the token does not remove it.
    /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
    ///   those of the method's signature.
  """
