// Made by Scripts/generate: change Scripts/Generation.

public import Invocations

// The compiler ends where a function that takes a function is passed as one with a parameter pack:
// each number of arguments has initialisers of its own. It prefers those for methods of the main
// actor, because the others do not show the isolation. Messages run such methods on the main
// actor only: elsewhere they throw `wrongExecutor`. A reference that does not throw is called
// directly only if it is passed as one.

// SAFETY: the casts of the receiver in this file are right because messages run a method only for
// instances of its receiver class: dictionaries refuse a method of another class, and calls
// through a frame check argument 0.

extension Method {
  /// Creates a method from a reference to one with no arguments.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, []) { (receiver: AnyObject, _: Void) in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))()
    }
  }

  /// Creates a method from a reference to one with no arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, []) { (receiver: AnyObject, _: Void) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))()
    }
  }

  /// Creates a method from a reference to one of the main actor with no arguments.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor () throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> () throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with no arguments.
  public init<Receiver: AnyObject & Sendable, Outcome: Sendable>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) { (self: Receiver) in
      try await reference(self)()
    }
  }

  /// Creates a method from a closure that takes the receiver and no arguments.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector, body: @escaping @Sendable (_ receiver: Receiver) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, []) { (receiver: AnyObject, _: Void) in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self))
    }
  }

  /// Creates a method from a reference to one with one argument.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self]) {
      (receiver: AnyObject, arguments: A) in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments)
    }
  }

  /// Creates a method from a reference to one with one argument that throws.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self]) {
      (receiver: AnyObject, arguments: A) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments)
    }
  }

  /// Creates a method from a reference to one of the main actor with one argument.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with one argument.
  public init<Receiver: AnyObject & Sendable, A: Sendable, Outcome: Sendable>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) { (self: Receiver, a: A) in
      try await reference(self)(a)
    }
  }

  /// Creates a method from a closure that takes the receiver and one argument.
  @inlinable
  public init<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector, body: @escaping @Sendable (_ receiver: Receiver, A) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self]) {
      (receiver: AnyObject, arguments: A) in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self), arguments)
    }
  }

  /// Creates a method from a reference to one with two arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) in
      reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments.0, arguments.1)
    }
  }

  /// Creates a method from a reference to one with two arguments that throws.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(arguments.0, arguments.1)
    }
  }

  /// Creates a method from a reference to one of the main actor with two arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with two arguments.
  public init<Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, Outcome: Sendable>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) { (self: Receiver, a: A, b: B) in
      try await reference(self)(a, b)
    }
  }

  /// Creates a method from a closure that takes the receiver and two arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector, body: @escaping @Sendable (_ receiver: Receiver, A, B) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self, B.self]) {
      (receiver: AnyObject, arguments: (A, B)) in
      try body(unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1)
    }
  }

  /// Creates a method from a reference to one with three arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self]) {
      (receiver: AnyObject, arguments: (A, B, C)) in
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
      (receiver: AnyObject, arguments: (A, B, C)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2)
    }
  }

  /// Creates a method from a reference to one of the main actor with three arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with three arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) { (self: Receiver, a: A, b: B, c: C) in
      try await reference(self)(a, b, c)
    }
  }

  /// Creates a method from a closure that takes the receiver and three arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self, B.self, C.self]) {
      (receiver: AnyObject, arguments: (A, B, C)) in
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
      (receiver: AnyObject, arguments: (A, B, C, D)) in
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
      (receiver: AnyObject, arguments: (A, B, C, D)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3)
    }
  }

  /// Creates a method from a reference to one of the main actor with four arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with four arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
    Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) { (self: Receiver, a: A, b: B, c: C, d: D) in
      try await reference(self)(a, b, c, d)
    }
  }

  /// Creates a method from a closure that takes the receiver and four arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector,
    body: @escaping @Sendable (_ receiver: Receiver, A, B, C, D) throws -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: false, [A.self, B.self, C.self, D.self]) {
      (receiver: AnyObject, arguments: (A, B, C, D)) in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3)
    }
  }

  /// Creates a method from a reference to one with five arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) -> Outcome
  ) {
    self.init(selector, Receiver.self, isReference: true, [A.self, B.self, C.self, D.self, E.self])
    { (receiver: AnyObject, arguments: (A, B, C, D, E)) in
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
    { (receiver: AnyObject, arguments: (A, B, C, D, E)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4)
    }
  }

  /// Creates a method from a reference to one of the main actor with five arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D, E) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with five arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) {
      (self: Receiver, a: A, b: B, c: C, d: D, e: E) in
      try await reference(self)(a, b, c, d, e)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E)) in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F)) in
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5)
    }
  }

  /// Creates a method from a reference to one of the main actor with six arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D, E, F) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with six arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    F: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) {
      (self: Receiver, a: A, b: B, c: C, d: D, e: E, f: F) in
      try await reference(self)(a, b, c, d, e, f)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F)) in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) in
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6)
    }
  }

  /// Creates a method from a reference to one of the main actor with seven arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector,
    _ reference:
      @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F, G) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with seven arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    F: Sendable, G: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) {
      (self: Receiver, a: A, b: B, c: C, d: D, e: E, f: F, g: G) in
      try await reference(self)(a, b, c, d, e, f, g)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F, G)) in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5, arguments.6)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) in
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) in
      try reference(unsafe unsafeDowncast(receiver, to: Receiver.self))(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6,
        arguments.7)
    }
  }

  /// Creates a method from a reference to one of the main actor with eight arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector,
    _ reference:
      @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F, G, H) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
  }

  /// Creates a method from a reference to an async one with eight arguments.
  public init<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable,
    F: Sendable, G: Sendable, H: Sendable, Outcome: Sendable
  >(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) async throws -> Outcome
  ) {
    self.init(async: selector, isReference: true) {
      (self: Receiver, a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H) in
      try await reference(self)(a, b, c, d, e, f, g, h)
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
    ) { (receiver: AnyObject, arguments: (A, B, C, D, E, F, G, H)) in
      try body(
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5, arguments.6, arguments.7)
    }
  }
}
