public import Invocations

// The compiler does not specialise parameter packs. It prefers these overloads to those for any
// number of arguments, and specialises them.

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls through
// a frame check argument 0.
extension Method {
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

  /// Creates a method from a closure that takes the receiver and five arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C, D, E) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: false, [A.self, B.self, C.self, D.self, E.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E)) throws -> Outcome in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4)
    }
  }

  /// Creates a method from a closure that takes the receiver and six arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C, D, E, F) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: false, [A.self, B.self, C.self, D.self, E.self, F.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F)) throws -> Outcome in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5)
    }
  }

  /// Creates a method from a closure that takes the receiver and seven arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C, D, E, F, G) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: false,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) throws -> Outcome in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5, arguments.6)
    }
  }

  /// Creates a method from a closure that takes the receiver and eight arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C, D, E, F, G, H) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: false,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) throws -> Outcome in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5, arguments.6, arguments.7)
    }
  }
}
