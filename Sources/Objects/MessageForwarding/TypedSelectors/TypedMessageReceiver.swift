public import BlockHooks
public import DelayedBlocks
public import Invocations

/// A class that lists the typed selectors of its methods, so that they are named by key path.
///
/// ```swift
/// class Weather: TypedMessageReceiver {
///   func degrees(_ city: String) -> Double { Double(city.count) }
///   struct Messages: MessageNames {
///     var degrees: TypedSelector1<Weather, String, Double> { .init("degrees:") }
///   }
///   class var methods: MethodTable {
///     MethodTable(Weather.self) { Method("degrees:", Weather.degrees) }
///   }
/// }
/// try Weather.hook(\.degrees) { original, weather, city in try original(city) + 1 }
/// print(try Weather().send(\.degrees, "Oslo"))
/// ```
///
/// The macro `@Messages` of the module `MessageMacros` writes the table and the selectors.
/// Selectors that a subclass adds are passed as values, `Forecast.Messages().outlook`.
public protocol TypedMessageReceiver: MessageReceiver {
  /// The selectors.
  associatedtype Messages: MessageNames
}

/// The typed selectors of a class's methods, each a property.
public protocol MessageNames: Sendable {
  /// Creates the selectors.
  init()
}

extension TypedMessageReceiver {
  /// Hooks a method of the class by its typed selector: a closure, which gets the method, runs
  /// instead of it.
  ///
  /// - Parameters:
  ///   - selector: The method, `\.degrees`.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the method, with the method, the receiver and the arguments.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
  ///   those of the method's signature; `invalidCondition`, `tooManyHooks`.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, _ handler: Typed.Handler
  ) throws(MessageError) -> Hook {
    try hook(
      selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of this object only by its typed selector.
  ///
  /// The hook is removed when the object dies. It is outside of all hooks of its class.
  ///
  /// - Parameters:
  ///   - selector: The method, `\.degrees`.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the method, with the method, the receiver and the arguments.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: The errors of hooking a method of the class, and the reason if the object can have
  ///   no associated values.
  @inlinable
  @inline(__always)
  @discardableResult
  public func hook<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, _ handler: Typed.Handler
  ) throws(MessageError) -> Hook {
    try hook(
      selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Replaces a method of the class by a closure: see `ClassObject.replaceMethod(_:)`.
  ///
  /// - Parameters:
  ///   - selector: The method, `\.degrees`.
  ///   - body: Runs with the receiver and the arguments.
  /// - Returns: The class's own method before.
  @discardableResult
  public static func replaceMethod<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ body: Typed.Body
  ) -> Method? {
    replaceMethod(selector(Messages()), body)
  }

  /// Sends a message by its typed selector.
  ///
  /// - Parameters:
  ///   - selector: The message, `\.degrees`.
  ///   - arguments: The arguments; more than four are of exactly the method's types.
  /// - Returns: The answer.
  /// - Throws: The errors of `send(_:_:returning:)`; `thrown` with the error that the method threw.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector, each Argument>(
    _ selector: (Messages) -> Typed, _ arguments: repeat each Argument
  ) throws(MessageError) -> Typed.Outcome where Typed.Arguments == (repeat each Argument) {
    try MessageSending.send(self, selector(Messages()).selector, (repeat each arguments))
  }

  /// Sends a message to an async method by its typed selector, and awaits its answer.
  ///
  /// The method runs in the current task, and is cancelled with it.
  ///
  /// - Parameters:
  ///   - selector: The message, `\.degrees`.
  ///   - arguments: The arguments; more than four are of exactly the method's types.
  /// - Returns: The answer.
  /// - Throws: The errors of `send(async:_:returning:)`.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, each Argument, Value: Sendable>(
    _ selector: (Messages) -> Typed, _ arguments: repeat each Argument
  ) async throws(MessageError) -> Value
  where Typed.Arguments == (repeat each Argument), Typed.Outcome == AsyncAnswer<Value> {
    try await send(selector(Messages()), repeat each arguments)
  }

  /// Makes an invocation of a message by its typed selector.
  ///
  /// - Parameters:
  ///   - selector: The message, `\.degrees`.
  ///   - arguments: The arguments, of the method's types, which are retained.
  /// - Returns: The message, which can be sent any number of times, to the receiver or to others.
  /// - Throws: The errors of `record(_:)`.
  public func record<Typed: TypedSelector, each Argument>(
    _ selector: (Messages) -> Typed, _ arguments: repeat each Argument
  ) throws(MessageError) -> Invocation where Typed.Arguments == (repeat each Argument) {
    try record(selector(Messages()), repeat each arguments)
  }
}

extension TypedMessageReceiver where Self: Sendable {
  /// Sends a message by its typed selector after a delay.
  ///
  /// - Parameters:
  ///   - selector: The message, `\.degrees`; its answer is ignored.
  ///   - arguments: The arguments, of the method's types, which are retained; C strings are copied.
  ///   - delay: The time from now.
  ///   - target: Where the message is sent; the timer's own target if nil.
  ///   - keepsReceiver: Whether the receiver is retained.
  ///   - timer: The timer.
  ///   - onError: Receives the errors of sending; if nil, they are written to standard error.
  /// - Returns: The token; cancelling it releases the arguments and the receiver.
  /// - Throws: The errors of `perform(_:_:after:on:keepsReceiver:timer:onError:)`.
  @discardableResult
  public func perform<Typed: TypedSelector, each Argument: Sendable>(
    _ selector: (Messages) -> Typed, _ arguments: repeat each Argument, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock where Typed.Arguments == (repeat each Argument) {
    try perform(
      selector(Messages()), repeat each arguments, after: delay, on: target,
      keepsReceiver: keepsReceiver, timer: timer, onError: onError)
  }
}
