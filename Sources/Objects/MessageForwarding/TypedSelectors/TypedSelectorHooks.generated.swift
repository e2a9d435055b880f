// Made by Scripts/generate: change Scripts/Generation.

public import BlockHooks

// The compiler specialises the closure of a hook if its type is spelled out for each number of
// arguments; the functions for any typed selector call it through another closure.

extension MessageReceiver {
  /// Hooks a method of the class with no arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, Outcome>(
    _ selector: TypedSelector0<Receiver, Outcome>, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (_ original: () throws -> Outcome, Receiver) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector0<Receiver, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with one argument by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, Outcome>(
    _ selector: TypedSelector1<Receiver, A, Outcome>, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A) throws -> Outcome, Receiver, A) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector1<Receiver, A, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with two arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, Outcome>(
    _ selector: TypedSelector2<Receiver, A, B, Outcome>, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B) throws -> Outcome, Receiver, A, B) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector2<Receiver, A, B, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with three arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: TypedSelector3<Receiver, A, B, C, Outcome>, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C) throws -> Outcome, Receiver, A, B, C) throws ->
      Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector3<Receiver, A, B, C, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with four arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: TypedSelector4<Receiver, A, B, C, D, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C, D) throws -> Outcome, Receiver, A, B, C, D) throws
      -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector4<Receiver, A, B, C, D, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with five arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: TypedSelector5<Receiver, A, B, C, D, E, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C, D, E) throws -> Outcome, Receiver, A, B, C, D, E)
      throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector5<Receiver, A, B, C, D, E, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with six arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: TypedSelector6<Receiver, A, B, C, D, E, F, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F) throws -> Outcome, Receiver, A, B, C, D, E, F
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector, TypedSelector6<Receiver, A, B, C, D, E, F, Outcome>._wrapping(handler))
      ))
  }

  /// Hooks a method of the class with seven arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: TypedSelector7<Receiver, A, B, C, D, E, F, G, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F, G) throws -> Outcome, Receiver, A, B, C, D, E, F, G
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector,
          TypedSelector7<Receiver, A, B, C, D, E, F, G, Outcome>._wrapping(handler))))
  }

  /// Hooks a method of the class with eight arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: TypedSelector8<Receiver, A, B, C, D, E, F, G, H, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F, G, H) throws -> Outcome, Receiver, A, B, C, D, E, F, G, H
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try classObject.install(
      TypedHookRequest(
        selector, name, priority, conditions,
        TypedImplementation.wrapping(
          selector.selector,
          TypedSelector8<Receiver, A, B, C, D, E, F, G, H, Outcome>._wrapping(handler))))
  }
}

extension TypedMessageReceiver {
  /// Hooks a method of the class with no arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, Outcome>(
    _ selector: (Messages) -> TypedSelector0<Receiver, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (_ original: () throws -> Outcome, Receiver) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with one argument by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, Outcome>(
    _ selector: (Messages) -> TypedSelector1<Receiver, A, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A) throws -> Outcome, Receiver, A) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with two arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, Outcome>(
    _ selector: (Messages) -> TypedSelector2<Receiver, A, B, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B) throws -> Outcome, Receiver, A, B) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with three arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: (Messages) -> TypedSelector3<Receiver, A, B, C, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C) throws -> Outcome, Receiver, A, B, C) throws ->
      Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with four arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: (Messages) -> TypedSelector4<Receiver, A, B, C, D, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C, D) throws -> Outcome, Receiver, A, B, C, D) throws
      -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with five arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: (Messages) -> TypedSelector5<Receiver, A, B, C, D, E, Outcome>, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C, D, E) throws -> Outcome, Receiver, A, B, C, D, E)
      throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with six arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: (Messages) -> TypedSelector6<Receiver, A, B, C, D, E, F, Outcome>,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F) throws -> Outcome, Receiver, A, B, C, D, E, F
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with seven arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: (Messages) -> TypedSelector7<Receiver, A, B, C, D, E, F, G, Outcome>,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F, G) throws -> Outcome, Receiver, A, B, C, D, E, F, G
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method of the class with eight arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: (Messages) -> TypedSelector8<Receiver, A, B, C, D, E, F, G, H, Outcome>,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F, G, H) throws -> Outcome, Receiver, A, B, C, D, E, F, G, H
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(selector(Messages()), name: name, priority: priority, when: conditions, handler)
  }
}
