// Made by Scripts/generate: change Scripts/Generation.

public import Invocations

// A function type with a parameter pack cannot be a generic argument.

extension LinkedMethod {
  /// Links a property to a message with no arguments.
  ///
  /// - Parameter selector: The message.
  public init<Outcome>(
    _ selector: Selector
  ) where Value == (@Sendable () -> Outcome)? {
    self.init(selector) { delegate, body throws(MessageError) in
      try delegate.implement(selector, body)
    }
  }

  /// Links a property to a message with one argument.
  ///
  /// - Parameter selector: The message.
  public init<A, Outcome>(
    _ selector: Selector
  ) where Value == (@Sendable (A) -> Outcome)? {
    self.init(selector) { delegate, body throws(MessageError) in
      try delegate.implement(selector, body)
    }
  }

  /// Links a property to a message with two arguments.
  ///
  /// - Parameter selector: The message.
  public init<A, B, Outcome>(
    _ selector: Selector
  ) where Value == (@Sendable (A, B) -> Outcome)? {
    self.init(selector) { delegate, body throws(MessageError) in
      try delegate.implement(selector, body)
    }
  }

  /// Links a property to a message with three arguments.
  ///
  /// - Parameter selector: The message.
  public init<A, B, C, Outcome>(
    _ selector: Selector
  ) where Value == (@Sendable (A, B, C) -> Outcome)? {
    self.init(selector) { delegate, body throws(MessageError) in
      try delegate.implement(selector, body)
    }
  }

  /// Links a property to a message with four arguments.
  ///
  /// - Parameter selector: The message.
  public init<A, B, C, D, Outcome>(
    _ selector: Selector
  ) where Value == (@Sendable (A, B, C, D) -> Outcome)? {
    self.init(selector) { delegate, body throws(MessageError) in
      try delegate.implement(selector, body)
    }
  }
}
