public import Invocations

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls through
// a frame check argument 0.
extension Method {
  /// Creates a method of an actor from a closure that runs on the actor and takes any number of
  /// arguments.
  ///
  /// ```swift
  /// actor Counter: MessageReceiver {
  ///   var count = 0
  ///   func add(_ number: Int) { count += number }
  ///   static var methods: MethodTable {
  ///     MethodTable(Counter.self) {
  ///       Method("add:") { (counter: isolated Counter, number: Int) in counter.add(number) }
  ///     }
  ///   }
  /// }
  /// try await Counter().send(async: "add:", 2, returning: Void.self)
  /// ```
  ///
  /// Its messages are answered by an `AsyncAnswer`, even if the closure waits for nothing: the
  /// sender may be outside of the actor. The compiler refuses references to methods of actors.
  ///
  /// Do not pass a function that takes a function: the compiler crashes. Pass a closure that calls
  /// it, `{ (self: isolated Counter, a: Int, …) in f(self, a, …) }`.
  public init<Receiver: Actor, each Argument: Sendable, Outcome: Sendable>(
    _ selector: Selector,
    body:
      @escaping @Sendable (_ receiver: isolated Receiver, repeat each Argument) async throws
      -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, Self.types(repeat (each Argument).self))
    {
      (receiver: AnyObject, arguments: (repeat each Argument)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer { try await body(receiver, repeat each arguments) }
    }
  }

  /// Creates a method from an async closure that takes the receiver and any number of arguments.
  ///
  /// Do not pass a function that takes a function: the compiler crashes. Pass a closure that calls
  /// it, `{ (self: Page, a: Int, …) in await f(self, a, …) }`.
  public init<Receiver: AnyObject & Sendable, each Argument: Sendable, Outcome: Sendable>(
    _ selector: Selector,
    body:
      @escaping @Sendable (_ receiver: Receiver, repeat each Argument) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: false, body)
  }

  init<Receiver: AnyObject & Sendable, each Argument: Sendable, Outcome: Sendable>(
    async selector: Selector, isReference: Bool,
    _ body: @escaping @Sendable (Receiver, repeat each Argument) async throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: isReference, Self.types(repeat (each Argument).self)
    ) {
      (receiver: AnyObject, arguments: (repeat each Argument)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer { try await body(receiver, repeat each arguments) }
    }
  }
}

extension DynamicDelegate {
  /// Implements an async message by an async closure with any number of arguments.
  ///
  /// The protocol declares an async message with an `AsyncAnswer` as its result:
  /// `.required("load:", taking: String.self, returning: AsyncAnswer<Int>.self)`.
  ///
  /// Do not pass a function that takes a function: the compiler crashes. Pass a closure that calls
  /// it, `{ (a: Int, b: …) in await f(a, b) }`.
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - options: Exceptions from the protocol's declaration.
  ///   - body: The closure, which runs in the task that awaits the answer.
  /// - Returns: The token that removes the method.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod`.
  @discardableResult
  public func implement<each Argument: Sendable, Outcome: Sendable>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options: options) { (arguments: repeat each Argument) in
      AsyncAnswer { try await body(repeat each arguments) }
    }
  }
}
