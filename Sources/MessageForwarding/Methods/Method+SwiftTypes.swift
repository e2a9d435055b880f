public import Invocations

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls through
// a frame check argument 0.
extension Method {
  /// Creates a method from a reference to one with any number of arguments.
  public init<Receiver: AnyObject, each Argument, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (repeat each Argument) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, Self.types(repeat (each Argument).self)) {
      (receiver: AnyObject, arguments: (repeat each Argument)) throws -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(repeat each arguments)
    }
  }

  /// Creates a method from a reference to one with any number of arguments that throws.
  public init<Receiver: AnyObject, each Argument, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (repeat each Argument) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, Self.types(repeat (each Argument).self)) {
      (receiver: AnyObject, arguments: (repeat each Argument)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(repeat each arguments)
    }
  }

  /// Creates a method from a closure that takes the receiver and any number of arguments.
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
