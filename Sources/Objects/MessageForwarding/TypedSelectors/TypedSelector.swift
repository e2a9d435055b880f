public import BlockHooks
public import DelayedBlocks
public import Invocations

/// A selector with the Swift types of its method: messages, hooks and methods of that name are
/// checked when they are compiled.
///
/// ```swift
/// class Weather: MessageReceiver {
///   func degrees(_ city: String) -> Double { Double(city.count) }
///   class var methods: MethodTable {
///     MethodTable(Weather.self) { Method("degrees:", Weather.degrees) }
///   }
/// }
/// let degrees = TypedSelector1("degrees:", Weather.degrees)
/// try Weather.hook(degrees) { original, weather, city in try original(city) + 1 }
/// print(try Weather().send(degrees, "Oslo"))
/// ```
///
/// There is a type for each number of arguments, `TypedSelector0` to `TypedSelector8`, and
/// `AsyncTypedSelector0` to `AsyncTypedSelector4` for async methods. A class that lists its
/// selectors as a ``TypedMessageReceiver`` has them by key path, `\.degrees`.
///
/// Do not declare other types of selectors: the requirements with underscores may change.
public protocol TypedSelector: Sendable {
  /// The class that has the method.
  associatedtype Receiver: AnyObject

  /// The arguments: a tuple, or the argument itself if there is only one.
  associatedtype Arguments

  /// The type of the first argument of at most four; none if it is `Never`.
  associatedtype First = Never
  /// The type of the second argument of at most four; none if it is `Never`.
  associatedtype Second = Never
  /// The type of the third argument of at most four; none if it is `Never`.
  associatedtype Third = Never
  /// The type of the fourth argument of at most four; none if it is `Never`.
  associatedtype Fourth = Never

  /// The answer; that of an async method is an `AsyncAnswer`.
  associatedtype Outcome

  /// A closure that runs instead of the method: it takes the method as a function, the receiver and
  /// the arguments, and returns the answer.
  associatedtype Handler: Sendable

  /// A closure that can replace the method: it takes the receiver and the arguments, and returns
  /// the answer.
  associatedtype Body: Sendable

  /// The selector.
  var selector: Selector { get }

  /// Creates a selector with the types of its type's parameters.
  ///
  /// - Parameter selector: The selector, with a colon for each argument.
  init(_ selector: Selector)

  /// The types of the arguments.
  static var _argumentTypes: [Any.Type] { get }

  /// Makes a body that runs a handler around another body.
  static func _wrapping(
    _ handler: Handler
  ) -> @Sendable (MethodBody<Arguments, Outcome>) -> MethodBody<Arguments, Outcome>

  /// Makes a method of a closure.
  static func _method(_ selector: Selector, _ body: Body) -> Method
}

/// The typed selector of a method that is not async.
///
/// A message to an async method by its typed selector is awaited, since a task runs the method;
/// code that cannot wait starts a task, or sends the message in a statement by its name, `try
/// saver.send("save")`.
public protocol SyncTypedSelector: TypedSelector {}

extension MessageReceiver {
  /// Hooks a method of the class by its typed selector: a closure, which gets the method, runs
  /// instead of it.
  ///
  /// The closure gets the method as a function, the receiver and the arguments, and returns the
  /// answer. What the method throws, `original` throws; what the closure throws, the sender gets,
  /// as if the method had thrown it. It runs for the messages of instances of the class and of
  /// subclasses that inherit the method, on the sender's thread, under no lock; that of an async
  /// method runs in the task that awaits the answer. If the method is isolated to an actor, the
  /// closure runs elsewhere too, where `original` throws `wrongExecutor`.
  ///
  /// No frame is made, so that a message of the method's types costs little more than without the
  /// hook, unless the hook has conditions: those see the message as a frame. If the method is
  /// replaced by one of another signature, messages skip the hook.
  ///
  /// The handler of an async method belongs to the answer: a message that was sent before the hook
  /// was removed still runs it, and `removeAndWait()` does not wait for its task.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
  ///   those of the method's signature; `invalidCondition`, `tooManyHooks`.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Typed: TypedSelector>(
    _ selector: Typed, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, _ handler: Typed.Handler
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(selector, name, priority, conditions, selector.wrapping(handler)))
  }

  /// Hooks a method of this object only by its typed selector, by the rules for methods of a class.
  ///
  /// The hook is removed when the object dies. It is outside of all hooks of its class.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: The errors of hooking a method of the class, and the reason if the object can have
  ///   no associated values.
  @inlinable
  @inline(__always)
  @discardableResult
  public func hook<Typed: TypedSelector>(
    _ selector: Typed, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, _ handler: Typed.Handler
  ) throws(MessageError) -> Hook {
    try install(TypedHookRequest(selector, name, priority, conditions, selector.wrapping(handler)))
  }

  /// Replaces a method of the class by a closure: see `ClassObject.replaceMethod(_:)`.
  ///
  /// A method in place of one that is isolated to an actor is isolated to it too.
  ///
  /// - Parameters:
  ///   - selector: The method; that of a class method has the receiver `ClassObject`.
  ///   - body: Runs with the receiver and the arguments.
  /// - Returns: The class's own method before.
  @discardableResult
  public static func replaceMethod<Typed: TypedSelector>(
    _ selector: Typed, _ body: Typed.Body
  ) -> Method? {
    let name = selector.selector
    var method = Typed._method(name, body)
    if Typed.Receiver.self is ClassObject.Type { method = method.ofClass() }
    let last = method.isClassMethod ? classObject.classMethod(name) : classObject.method(name)
    if let actor = last?.actor { method = method.isolated(to: actor) }
    return replaceMethod(method)
  }

  /// Sends a message by its typed selector.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments; more than four are of exactly the method's types.
  /// - Returns: The answer.
  /// - Throws: The errors of `send(_:_:returning:)`; `thrown` with the error that the method threw.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector, each Argument>(
    _ selector: Typed, _ arguments: repeat each Argument
  ) throws(MessageError) -> Typed.Outcome where Typed.Arguments == (repeat each Argument) {
    try MessageSending.send(self, selector.selector, (repeat each arguments))
  }

  /// Sends a message to an async method by its typed selector, and awaits its answer.
  ///
  /// The method runs in the current task, and is cancelled with it.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments; more than four are of exactly the method's types.
  /// - Returns: The answer.
  /// - Throws: The errors of `send(async:_:returning:)`.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, each Argument, Value: Sendable>(
    _ selector: Typed, _ arguments: repeat each Argument
  ) async throws(MessageError) -> Value
  where Typed.Arguments == (repeat each Argument), Typed.Outcome == AsyncAnswer<Value> {
    try await send(async: selector.selector, repeat each arguments, returning: Value.self)
  }

  /// Makes an invocation of a message by its typed selector.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments, of the method's types, which are retained.
  /// - Returns: The message, which can be sent any number of times, to the receiver or to others.
  /// - Throws: The errors of `record(_:)`.
  public func record<Typed: TypedSelector, each Argument>(
    _ selector: Typed, _ arguments: repeat each Argument
  ) throws(MessageError) -> Invocation where Typed.Arguments == (repeat each Argument) {
    try record { try $0.send(selector.selector, repeat each arguments) }
  }
}

extension MessageReceiver where Self: Sendable {
  /// Sends a message by its typed selector after a delay.
  ///
  /// - Parameters:
  ///   - selector: The message; its answer is ignored.
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
    _ selector: Typed, _ arguments: repeat each Argument, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock where Typed.Arguments == (repeat each Argument) {
    try perform(
      selector.selector, repeat each arguments, after: delay, on: target,
      keepsReceiver: keepsReceiver, timer: timer, onError: onError)
  }
}
