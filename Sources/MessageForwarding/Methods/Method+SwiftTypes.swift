public import Invocations

// The compiler specialises the overloads for zero to four arguments, which it prefers, but not
// those with a parameter pack.

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls through
// a frame check argument 0.
extension Method {
  /// Creates a method from a reference to one with no arguments.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, []) {
      (receiver: AnyObject, _: Void) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))()
    }
  }

  /// Creates a method from a reference to one with no arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, []) {
      (receiver: AnyObject, _: Void) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))()
    }
  }

  /// Creates a method from a closure that takes the receiver and no arguments.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, []) {
      (receiver: AnyObject, _: Void) throws -> Outcome in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self))
    }
  }

  /// Creates a method from a reference to one with one argument.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self]) {
      (receiver: AnyObject, arguments: A) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments)
    }
  }

  /// Creates a method from a reference to one with one argument that throws.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self]) {
      (receiver: AnyObject, arguments: A) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments)
    }
  }

  /// Creates a method from a closure that takes the receiver and one argument.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self]) {
      (receiver: AnyObject, arguments: A) throws -> Outcome in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self), arguments)
    }
  }

  /// Creates a method from a reference to one with two arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments.0, arguments.1)
    }
  }

  /// Creates a method from a reference to one with two arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments.0, arguments.1)
    }
  }

  /// Creates a method from a closure that takes the receiver and two arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) throws -> Outcome in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1)
    }
  }

  /// Creates a method from a reference to one with three arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self]) {
      (receiver: AnyObject, arguments: (A, B, C)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2)
    }
  }

  /// Creates a method from a reference to one with three arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self]) {
      (receiver: AnyObject, arguments: (A, B, C)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2)
    }
  }

  /// Creates a method from a closure that takes the receiver and three arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self, B.self, C.self]) {
      (receiver: AnyObject, arguments: (A, B, C)) throws -> Outcome in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2)
    }
  }

  /// Creates a method from a reference to one with four arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self]) {
      (receiver: AnyObject, arguments: (A, B, C, D)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3)
    }
  }

  /// Creates a method from a reference to one with four arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self]) {
      (receiver: AnyObject, arguments: (A, B, C, D)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3)
    }
  }

  /// Creates a method from a closure that takes the receiver and four arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C, D) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self, B.self, C.self, D.self]) {
      (receiver: AnyObject, arguments: (A, B, C, D)) throws -> Outcome in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3)
    }
  }

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

  private static func types<each Argument>(_ type: repeat (each Argument).Type) -> [Any.Type] {
    var types: [Any.Type] = []
    for type in repeat each type { types.append(type) }
    return types
  }
}
