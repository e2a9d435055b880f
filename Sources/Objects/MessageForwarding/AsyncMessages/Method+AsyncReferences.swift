public import Invocations

// The compiler cannot pass a reference to a method that takes a function as one with any number of arguments.

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls through
// a frame check argument 0.
extension Method {
  /// Creates a method from a reference to an async one with no arguments.
  public init<Receiver: AnyObject & Sendable, Outcome: Sendable>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () async throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, []) {
      (receiver: AnyObject, _: Void) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer { try await reference(receiver)() }
    }
  }

  /// Creates a method from a reference to an async one with one argument.
  public init<Receiver: AnyObject & Sendable, A: Sendable, Outcome: Sendable>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) async throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self]) {
      (receiver: AnyObject, arguments: A) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer { try await reference(receiver)(arguments) }
    }
  }

  /// Creates a method from a reference to an async one with two arguments.
  public init<Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, Outcome: Sendable>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B) async throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer { try await reference(receiver)(arguments.0, arguments.1) }
    }
  }

  /// Creates a method from a reference to an async one with three arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C) async throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self]) {
      (receiver: AnyObject, arguments: (A, B, C)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer { try await reference(receiver)(arguments.0, arguments.1, arguments.2) }
    }
  }

  /// Creates a method from a reference to an async one with four arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
    Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D) async throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self]) {
      (receiver: AnyObject, arguments: (A, B, C, D)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await reference(receiver)(arguments.0, arguments.1, arguments.2, arguments.3)
      }
    }
  }

  /// Creates a method from a reference to an async one with five arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) async throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self])
    {
      (receiver: AnyObject, arguments: (A, B, C, D, E)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await reference(receiver)(
          arguments.0, arguments.1, arguments.2, arguments.3, arguments.4)
      }
    }
  }

  /// Creates a method from a reference to an async one with six arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    F: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F) async throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self, F.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await reference(receiver)(
          arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5)
      }
    }
  }

  /// Creates a method from a reference to an async one with seven arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    F: Sendable, G: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G) async throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await reference(receiver)(
          arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6)
      }
    }
  }

  /// Creates a method from a reference to an async one with eight arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    F: Sendable, G: Sendable, H: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) async throws -> Outcome
  ) {
    self.init(
      selector, Receiver.self, isReference: true,
      [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
    ) {
      (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) -> AsyncAnswer<Outcome> in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await reference(receiver)(
          arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6,
          arguments.7)
      }
    }
  }
}
