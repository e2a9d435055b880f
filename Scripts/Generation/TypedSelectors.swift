let inline = "  @inlinable\n  @inline(__always)\n"

/// The types of typed selectors.
let typedSelectors = """
  public import Invocations

  // The compiler infers the types of a closure's parameters from those of a method, but not from a
  // parameter pack: each number of arguments has a type of its own.

  // SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class;
  // `installHook` refuses selectors of methods of other classes.

  \((Arity.all.map { typedSelector($0) } + Arity.few.map { typedSelector($0, isAsync: true) })
    .joined(separator: "\n\n"))

  """

private func typedSelector(_ arity: Arity, isAsync: Bool = false) -> String {
  let aliases = zip(["First", "Second", "Third", "Fourth"], arity.types).map { name, type in
    """
      /// The type of the \(name.lowercased()) argument.
      public typealias \(name) = \(type)

    """
  }
  let outcome = """
      /// The answer as a message has it.
      public typealias Outcome = AsyncAnswer<Value>

    """
  let result = isAsync ? "Value" : "Outcome"
  let effects = isAsync ? "async throws" : "throws"
  let tried = isAsync ? "try await" : "try"
  let sendable = isAsync ? ": Sendable" : ""
  let receiver = isAsync ? "Receiver: AnyObject & Sendable" : "Receiver: AnyObject"
  let parameters = generic([receiver] + (arity.types + [result]).map { $0 + sendable })
  let types = list(arity.types)
  let body = "MethodBody<\(arity.tuple), Outcome>"
  // Code that is not specialised passes one argument and the answer on where they are, which takes
  // less than loading and storing them; several are copied into a tuple.
  let inlined = isAsync || arity.count < 2 ? "" : inline
  let arguments =
    arity.count == 1 ? ["arguments"] : arity.names.indices.map { "arguments.\($0)" }
  let original = """
    { \(arity.count == 0 ? "" : "\(list(arity.names)) in ")\
    \(tried) original.call(receiver, \(arity.value))\(isAsync ? ".value" : "") }
    """
  let handled = "\(tried) handler(\(list([original, "receiver"] + arguments)))"
  return """
    /// The selector of \(isAsync ? "an async" : "a") method with \(arity.counted("argument")).
    public struct \(isAsync ? "Async" : "")TypedSelector\(arity.count)\(parameters): \
    \(isAsync ? "" : "Sync")TypedSelector {
      /// The arguments.
      public typealias Arguments = \(arity.tuple)
    \(arity.count > aliases.count ? "" : aliases.joined())\
    \(isAsync ? outcome : "")\
      /// Runs instead of the method.
      public typealias Handler =
        @Sendable \(handler(arity, isAsync: isAsync, result: result)) \(effects) -> \(result)
      /// Is the method.
      public typealias Body = @Sendable (\(list(["Receiver"] + arity.types))) \(effects) -> \(result)

      /// The selector.
      public let selector: Selector

      /// Creates a selector with the types of this type's parameters.
      @inlinable
      public init(_ selector: Selector) { self.selector = selector }

      /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
      public init(_ selector: Selector, _ method: (Receiver) -> (\(types)) \(effects) -> \(result)) {
        self.selector = selector
      }

      /// The types of the arguments.
      public static var _argumentTypes: [Any.Type] { \(arity.metatypes) }

      /// Makes a body that runs a handler around another one.
    \(inlined)\
      public static func _wrapping(
        _ handler: @escaping Handler
      ) -> @Sendable (\(body)) -> \(body) {
        { original in
          MethodBody { receiver, \(arity.count == 0 ? "_" : "arguments") in
            let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
            return \(isAsync ? "AsyncAnswer { \(handled) }" : handled)
          }
        }
      }

      /// The method of a closure.
    \(isAsync ? "" : "  @inlinable\n")\
      public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
        Method(selector, body: body)
      }\(isAsync ? "" : methods(arity))
    }
    """
}

/// The methods of references: the types of a selector's type tell them from overloads.
private func methods(_ arity: Arity) -> String {
  ["", "@MainActor "].map { "\n\n" + method(arity, $0) }.joined()
}

private func method(_ arity: Arity, _ actor: String) -> String {
  """
    /// Makes the method of a reference to one \
  \(actor.isEmpty ? "with the types of this type's parameters" : "of the main actor").
    @inlinable
    public static func method(
      _ selector: Selector,
      _ reference: @escaping @Sendable (Receiver) -> \(actor)(\(list(arity.types))) throws -> Outcome
    ) -> Method { Method(selector, reference) }
  """
}

/// The parameters of a closure that runs instead of a method.
private func handler(
  _ arity: Arity, isAsync: Bool = false, result: String = "Outcome"
) -> String {
  let types = list(arity.types)
  let original = isAsync ? "@Sendable (\(types)) async throws" : "(\(types)) throws"
  return "(\(list(["_ original: \(original) -> \(result)", "Receiver"] + arity.types)))"
}

/// `hook` by a typed selector: a value, or a member of the class's selectors.
let typedSelectorHooks = """
  public import BlockHooks

  // The compiler specialises the closure of a hook if its type is spelled out for each number of
  // arguments; the functions for any typed selector call it through another closure.

  extension MessageReceiver {
  \(Arity.all.map(hookOfSelector).joined(separator: "\n\n"))
  }

  extension TypedMessageReceiver {
  \(Arity.all.map(hookOfMember).joined(separator: "\n\n"))
  }

  """

private func hook(_ arity: Arity, _ parameters: String, _ body: String) -> String {
  """
    /// Hooks a method of the class with \(arity.counted("argument")) by its typed selector.
  \(inline)\
    @discardableResult
    public static func hook\(generic(["Receiver: AnyObject"] + arity.types + ["Outcome"]))(
      \(parameters), name: String? = nil, priority: Int = 0,
      when conditions: HookConditions = .always,
      _ handler: @escaping @Sendable \(handler(arity)) throws -> Outcome
    ) throws(MessageError) -> Hook {
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
    "_ selector: \(typed(arity))",
    """
        try classObject.install(
          TypedHookRequest(
            selector, name, priority, conditions,
            TypedImplementation.wrapping(selector.selector, \(typed(arity))._wrapping(handler))))
    """)
}

private func hookOfMember(_ arity: Arity) -> String {
  hook(
    arity,
    "_ selector: (Messages) -> \(typed(arity))",
    "    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)")
}
