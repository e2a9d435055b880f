public import Invocations

// The compiler prefers these initialisers for methods of the main actor, because the others do not show the
// isolation. Messages run the methods on the main actor only: elsewhere they throw `wrongExecutor`.
extension Method {
  /// Creates a method from a reference to one of the main actor with no arguments.
  @inlinable
  public init<Receiver: AnyObject, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor () throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> () throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
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

  /// Creates a method from a reference to one of the main actor with two arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
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

  /// Creates a method from a reference to one of the main actor with four arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
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

  /// Creates a method from a reference to one of the main actor with six arguments.
  @inlinable
  public init<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F) throws -> Outcome
  ) {
    let anywhere: @Sendable (Receiver) -> (A, B, C, D, E, F) throws -> Outcome = reference
    self = Method(selector, anywhere).isolated(to: MainActor.shared)
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
}
