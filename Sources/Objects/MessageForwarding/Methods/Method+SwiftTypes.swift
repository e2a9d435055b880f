public import Invocations

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls through
// a frame check argument 0.
extension Method {
  /// Refuses a reference to a method with more than eight arguments: the compiler crashes if one of
  /// them is a function.
  @available(
    *, unavailable,
    message:
      "a reference is to a method with at most eight arguments: list a closure that takes the receiver and the arguments, { (self: Page, a: Int, …) in self.method(a, …) }"
  )
  public init<Receiver: AnyObject, each Argument, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (repeat each Argument) async throws -> Outcome
  ) {
    self.init(selector, Implementation.invalid("the method is unavailable", selector))
  }

  /// Creates a method from a closure that takes the receiver and any number of arguments.
  ///
  /// Do not pass a function with more than eight arguments that takes a function: the compiler
  /// crashes. Pass a closure that calls it, `{ (self: Page, a: Int, …) in f(self, a, …) }`.
  public init<Receiver: AnyObject, each Argument, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, repeat each Argument) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, Self.types(repeat (each Argument).self))
    {
      (receiver: AnyObject, arguments: (repeat each Argument)) throws -> Outcome in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self), repeat each arguments)
    }
  }

  static func types<each Argument>(_ type: repeat (each Argument).Type) -> [Any.Type] {
    var types: [Any.Type] = []
    for type in repeat each type { types.append(type) }
    return types
  }
}
