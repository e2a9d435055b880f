public import Invocations

// The types of a selector's type tell a method from overloads. As in `Method`, a reference to a method of the
// main actor is one of that actor.

extension TypedSelector0 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> () throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor () throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector1 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector2 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector3 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector, _ reference: @escaping @Sendable (Receiver) -> (A, B, C) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector4 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector5 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector6 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector7 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference:
      @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F, G) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

extension TypedSelector8 {
  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference:
      @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F, G, H) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}
