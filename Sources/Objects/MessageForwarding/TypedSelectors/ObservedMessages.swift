public import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

extension MessageReceiver {
  /// Hooks a method of the class by its typed selector, whatever the number of its arguments: a
  /// closure sees them before or after the method runs.
  ///
  /// The closure runs on the sender's thread, under no lock, for the messages of instances of the
  /// class and of subclasses that inherit the method; after the method also if that throws.
  ///
  /// - Parameters:
  ///   - positions: `.before`, `.after`, or both. Before an async method means before its task
  ///     starts; to run code after the method, await `original` in a hook that runs instead of it.
  ///   - selector: The method, which the class has or inherits.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the closure; all if not given.
  ///   - handler: Runs with the receiver and the arguments: a tuple, or the argument itself if
  ///     there is only one.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noPosition` for other positions, and the errors of a hook instead of the method.
  @discardableResult
  public static func hook<Typed: TypedSelector>(
    _ positions: HookPositions, _ selector: Typed, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (Typed.Receiver, Typed.Arguments) -> Void
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions, selector.observing(positions, handler)))
  }

  /// Hooks a method of this object only by its typed selector, whatever the number of its
  /// arguments: a closure sees them before or after the method runs.
  ///
  /// The hook is removed when the object dies. It is outside of all hooks of its class.
  ///
  /// - Parameters:
  ///   - positions: `.before`, `.after`, or both, as for a method of the class.
  ///   - selector: The method.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the closure; all if not given.
  ///   - handler: Runs with the receiver and the arguments.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: The errors of hooking a method of the class, and the reason if the object can have
  ///   no associated values.
  @discardableResult
  public func hook<Typed: TypedSelector>(
    _ positions: HookPositions, _ selector: Typed, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (Typed.Receiver, Typed.Arguments) -> Void
  ) throws(MessageError) -> Hook {
    try install(
      TypedHookRequest(
        selector, name, priority, conditions, selector.observing(positions, handler)))
  }

  /// The arguments of the messages that this object receives by a typed selector, as an
  /// asynchronous sequence.
  ///
  /// The sequence gathers messages from its creation on. It ends when the object dies; messages
  /// that were gathered before are still delivered. When the sequence is released, or the task that
  /// iterates it is cancelled, the hook is removed. Only one iterator may be used.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - positions: Whether the method runs after an element is gathered, or before.
  ///   - buffering: What happens to messages that have not been awaited; all are kept if not given.
  /// - Returns: The sequence: of tuples, or of the argument itself if there is only one.
  /// - Throws: The errors of a hook of this object.
  public func messages<Typed: TypedSelector>(
    of selector: Typed, _ positions: HookPositions = .before,
    buffering: AsyncStream<Typed.Arguments>.Continuation.BufferingPolicy = .unbounded
  ) throws(MessageError) -> AsyncStream<Typed.Arguments> where Typed.Arguments: Sendable {
    let (stream, continuation) = AsyncStream<Typed.Arguments>.makeStream(bufferingPolicy: buffering)
    // The handler, which is released with the hook, and so with the object, retains `end`.
    let end = AtEnd { continuation.finish() }
    let hook = try hook(positions, selector) { _, arguments in
      _ = withExtendedLifetime(end) { continuation.yield(arguments) }
    }
    continuation.onTermination = { _ in hook.remove() }
    return stream
  }
}

extension TypedMessageReceiver {
  /// Hooks a method of the class by its typed selector, whatever the number of its arguments: a
  /// closure sees them before or after the method runs.
  ///
  /// `try Weather.hook(.before, \.degrees) { weather, city in print("asked for", city) }`
  ///
  /// - Parameters:
  ///   - positions: `.before`, `.after`, or both.
  ///   - selector: The method, `\.degrees`.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the closure; all if not given.
  ///   - handler: Runs with the receiver and the arguments: a tuple, or the argument itself if
  ///     there is only one.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noPosition` for other positions, and the errors of a hook instead of the method.
  @discardableResult
  public static func hook<Typed: TypedSelector>(
    _ positions: HookPositions, _ selector: (Messages) -> Typed, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (Typed.Receiver, Typed.Arguments) -> Void
  ) throws(MessageError) -> Hook {
    try hook(
      positions, selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of this object only by its typed selector, whatever the number of its
  /// arguments.
  ///
  /// - Parameters:
  ///   - positions: `.before`, `.after`, or both.
  ///   - selector: The method, `\.degrees`.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the closure; all if not given.
  ///   - handler: Runs with the receiver and the arguments.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: The errors of hooking a method of the class, and the reason if the object can have
  ///   no associated values.
  @discardableResult
  public func hook<Typed: TypedSelector>(
    _ positions: HookPositions, _ selector: (Messages) -> Typed, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (Typed.Receiver, Typed.Arguments) -> Void
  ) throws(MessageError) -> Hook {
    try hook(
      positions, selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// The arguments of the messages that this object receives by a typed selector, as an
  /// asynchronous sequence.
  ///
  /// `for await city in try weather.messages(of: \.degrees) { print("asked for", city) }`
  ///
  /// - Parameters:
  ///   - selector: The method, `\.degrees`.
  ///   - positions: Whether the method runs after an element is gathered, or before.
  ///   - buffering: What happens to messages that have not been awaited; all are kept if not given.
  /// - Returns: The sequence: of tuples, or of the argument itself if there is only one.
  /// - Throws: The errors of a hook of this object.
  public func messages<Typed: TypedSelector>(
    of selector: (Messages) -> Typed, _ positions: HookPositions = .before,
    buffering: AsyncStream<Typed.Arguments>.Continuation.BufferingPolicy = .unbounded
  ) throws(MessageError) -> AsyncStream<Typed.Arguments> where Typed.Arguments: Sendable {
    try messages(of: selector(Messages()), positions, buffering: buffering)
  }
}

extension TypedSelector {
  /// Makes an implementation that calls a closure before or after another implementation.
  ///
  /// - Throws: `noPosition` for positions that are not those of an observer.
  fileprivate func observing(
    _ positions: HookPositions,
    _ handler: @escaping @Sendable (Receiver, Arguments) -> Void
  ) throws(MessageError) -> @Sendable (Implementation, AnyClass, HandlerMark) -> Implementation {
    let isAsync = Outcome.self is any AnyAsyncAnswer.Type
    guard !positions.isEmpty, positions.isSubset(of: isAsync ? .before : [.before, .after]) else {
      throw MessageError(
        .noPosition,
        isAsync
          ? "`\(selector)` is async: await `original` in a hook instead of it to run code after it"
          : "messages are observed before or after the method; to run instead of it, leave out the "
            + "position", selector: selector)
    }
    return TypedImplementation<Arguments, Outcome>.wrapping(selector) { original in
      MethodBody { receiver, arguments in
        // SAFETY: hooks are refused for receivers of other classes.
        let object = unsafe unsafeDowncast(receiver, to: Receiver.self)
        if positions.contains(.before) { handler(object, arguments) }
        defer { if positions.contains(.after) { handler(object, arguments) } }
        return try original.call(receiver, arguments)
      }
    }
  }
}
