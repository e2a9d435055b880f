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
  let inlined = isAsync ? "" : inline
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

/// `hook` by a typed selector: a value, a member of the class's selectors, or a method.
let typedSelectorHooks = """
  public import BlockHooks
  public import Invocations

  // The compiler specialises the closure of a hook if its type is spelled out for each number of
  // arguments; the functions for any typed selector call it through another closure.

  extension MessageReceiver {
  \(Arity.all.map(hookOfSelector).joined(separator: "\n\n"))

  \(Arity.all.map(hookOfMethod).joined(separator: "\n\n"))

  \(Arity.few.map(hookOfAsyncMethod).joined(separator: "\n\n"))
  }

  extension TypedMessageReceiver {
  \(Arity.all.map(hookOfMember).joined(separator: "\n\n"))
  }

  """

private func hook(
  _ arity: Arity, _ comment: String, _ parameters: String, _ body: String, isAsync: Bool = false
) -> String {
  let types = (arity.types + ["Outcome"]).map { $0 + (isAsync ? ": Sendable" : "") }
  return """
    \(comment)
    \(isAsync ? "" : inline)\
      @discardableResult
      public static func hook\(generic(["Receiver: AnyObject\(isAsync ? " & Sendable" : "")"] + types))(
        \(parameters), name: String? = nil, priority: Int = 0,
        when conditions: HookConditions = .always,
        _ handler: @escaping @Sendable \(handler(arity, isAsync: isAsync)) \(isAsync ? "async " : "")throws -> Outcome
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
    "  /// Hooks a method of the class with \(arity.counted("argument")) by its typed selector.",
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
    "  /// Hooks a method of the class with \(arity.counted("argument")) by its typed selector.",
    "_ selector: (Messages) -> \(typed(arity))",
    "    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)")
}

private func hookOfMethod(_ arity: Arity) -> String { hookOfMethod(arity, isAsync: false) }

private func hookOfAsyncMethod(_ arity: Arity) -> String { hookOfMethod(arity, isAsync: true) }

private func hookOfMethod(_ arity: Arity, isAsync: Bool) -> String {
  let comment =
    arity.count > 0
    ? "  /// Hooks \(isAsync ? "an async" : "a") method with \(arity.counted("argument")) by its Swift types."
    : isAsync ? hookOfAsyncMethodComment : hookOfMethodComment
  let selector = "\(isAsync ? "Async" : "")TypedSelector\(arity.count)(selector, method)"
  return hook(
    arity, comment,
    "_ selector: Selector, _ method: (Receiver) -> (\(list(arity.types))) "
      + "\(isAsync ? "async " : "")throws -> Outcome",
    "    try hook(\(selector), name: name, priority: priority, when: conditions, handler)", isAsync: isAsync)
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
    /// hook, unless the hook has conditions: those see the message as a frame. If the method is
    /// replaced by one of another signature, messages skip the hook.
    ///
    /// - Parameters:
    ///   - selector: The method, which the class has or inherits.
    ///   - method: A reference to the method, of the class or a superclass, such as `Weather.degrees`: it
    ///     gives the types, and is not called.
    ///   - name: A name for the token.
    ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
    ///   - conditions: Which calls run the handler; all if not given.
    ///   - handler: Runs instead of the method.
    /// - Returns: The token that removes the hook. Dropping the token does not remove it.
    /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
    ///   those of the method's signature; `invalidCondition`, `tooManyHooks`.
  """

private let hookOfAsyncMethodComment = """
    /// Hooks an async method of the class by its Swift types: an async closure runs instead of it, and gets
    /// it.
    ///
    /// ```swift
    /// final class Weather: MessageReceiver, Sendable {
    ///   func degrees(_ city: String) async throws -> Double { 21 }
    ///   class var methods: MethodTable { MethodTable(Weather.self) { Method("degrees:", Weather.degrees) } }
    /// }
    /// try Weather.hook("degrees:", Weather.degrees) { original, weather, city in
    ///   try await original(city) + 1
    /// }
    /// ```
    ///
    /// The closure runs in the task that awaits the answer; what it throws, the sender gets. Otherwise the
    /// hook is like one of a method that is not async. A message that was sent before the hook was
    /// removed runs it; `removeAndWait()` does not wait for its task.
    ///
    /// - Parameters:
    ///   - selector: The method, which the class has or inherits.
    ///   - method: A reference to the method: it gives the types, and is not called.
    ///   - name: A name for the token.
    ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
    ///   - conditions: Which calls run the handler; all if not given.
    ///   - handler: Runs instead of the method.
    /// - Returns: The token that removes the hook. Dropping the token does not remove it.
    /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
    ///   those of the method's signature; `invalidCondition`, `tooManyHooks`.
  """
