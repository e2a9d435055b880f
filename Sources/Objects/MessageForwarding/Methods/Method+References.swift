public import Invocations

// The compiler does not specialise parameter packs. It prefers these overloads to those for any
// number of arguments, and specialises them.

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

  /// Creates a method from a reference to one with five arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self])
    {
      (receiver: AnyObject, arguments: (A, B, C, D, E)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4)
    }
  }

  /// Creates a method from a reference to one with five arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self])
    {
      (receiver: AnyObject, arguments: (A, B, C, D, E)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4)
    }
  }

  /// Creates a method from a reference to one with six arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F) -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self, F.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5)
    }
  }

  /// Creates a method from a reference to one with six arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self, F.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5)
    }
  }

  /// Creates a method from a reference to one with seven arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G) -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6)
    }
  }

  /// Creates a method from a reference to one with seven arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6)
    }
  }

  /// Creates a method from a reference to one with eight arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) -> Outcome in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6,
        arguments.7)
    }
  }

  /// Creates a method from a reference to one with eight arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) throws -> Outcome in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6,
        arguments.7)
    }
  }
}
