// Made by Scripts/generate: change Scripts/Generation.

public import BlockHooks
public import Invocations

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

  /// Hooks a method of the class by its Swift types: a closure runs instead of it, and gets it.
  ///
  /// ```swift
  /// class Weather: MessageReceiver {
  ///   func degrees(_ city: String) -> Double { Double(city.count) }
  ///   class var methods: MethodTable {
  ///     MethodTable(Weather.self) { Method("degrees:", Weather.degrees) }
  ///   }
  /// }
  /// try Weather.hook("degrees:", Weather.degrees) { original, weather, city in
  ///   try original(city) + 1
  /// }
  /// ```
  ///
  /// The closure gets the method as a function, the receiver and the arguments, and returns the
  /// answer. What the method throws, `original` throws; what the closure throws, the sender gets, as if
  /// the method had thrown it. It runs for the messages of instances of the class and of subclasses
  /// that inherit the method, on the sender's thread, under no lock.
  ///
  /// No frame is made, so that a message of the method's types costs little more than without the
  /// hook, unless the hook has conditions: those see the message as a frame. If the method is
  /// replaced by one of another signature, messages skip the hook.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - method: A reference to the method, of the class or a superclass, such as `Weather.degrees`: it
  ///     gives the types, and is not called.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
  ///   those of the method's signature; `invalidCondition`, `tooManyHooks`.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> () throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler: @escaping @Sendable (_ original: () throws -> Outcome, Receiver) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector0(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with one argument by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A) throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A) throws -> Outcome, Receiver, A) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector1(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with two arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B) throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B) throws -> Outcome, Receiver, A, B) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector2(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with three arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C) throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C) throws -> Outcome, Receiver, A, B, C) throws ->
      Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector3(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with four arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D) throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C, D) throws -> Outcome, Receiver, A, B, C, D) throws
      -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector4(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with five arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E) throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: (A, B, C, D, E) throws -> Outcome, Receiver, A, B, C, D, E)
      throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector5(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with six arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F) throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F) throws -> Outcome, Receiver, A, B, C, D, E, F
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector6(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with seven arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F, G) throws -> Outcome, Receiver, A, B, C, D, E, F, G
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector7(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks a method with eight arguments by its Swift types.
  @inlinable
  @inline(__always)
  @discardableResult
  public static func hook<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: (A, B, C, D, E, F, G, H) throws -> Outcome, Receiver, A, B, C, D, E, F, G, H
      ) throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      TypedSelector8(selector, method), name: name, priority: priority, when: conditions, handler)
  }

  /// Hooks an async method of the class by its Swift types: an async closure runs instead of it, and gets
  /// it.
  ///
  /// ```swift
  /// final class Weather: MessageReceiver, Sendable {
  ///   func degrees(_ city: String) async throws -> Double { 21 }
  ///   class var methods: MethodTable { MethodTable(Weather.self) { Method("degrees:", Weather.degrees) } }
  /// }
  /// try Weather.hook("degrees:", Weather.degrees) { original, weather, city in
  ///   try await original(city) + 1
  /// }
  /// ```
  ///
  /// The closure runs in the task that awaits the answer; what it throws, the sender gets. Otherwise the
  /// hook is like one of a method that is not async. A message that was sent before the hook was
  /// removed runs it; `removeAndWait()` does not wait for its task.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - method: A reference to the method: it gives the types, and is not called.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
  ///   those of the method's signature; `invalidCondition`, `tooManyHooks`.
  @discardableResult
  public static func hook<Receiver: AnyObject & Sendable, Outcome: Sendable>(
    _ selector: Selector, _ method: (Receiver) -> () async throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: @Sendable () async throws -> Outcome, Receiver) async throws
      -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      AsyncTypedSelector0(selector, method), name: name, priority: priority, when: conditions,
      handler)
  }

  /// Hooks an async method with one argument by its Swift types.
  @discardableResult
  public static func hook<Receiver: AnyObject & Sendable, A: Sendable, Outcome: Sendable>(
    _ selector: Selector, _ method: (Receiver) -> (A) async throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: @Sendable (A) async throws -> Outcome, Receiver, A)
      async throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      AsyncTypedSelector1(selector, method), name: name, priority: priority, when: conditions,
      handler)
  }

  /// Hooks an async method with two arguments by its Swift types.
  @discardableResult
  public static func hook<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, Outcome: Sendable
  >(
    _ selector: Selector, _ method: (Receiver) -> (A, B) async throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (_ original: @Sendable (A, B) async throws -> Outcome, Receiver, A, B)
      async throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      AsyncTypedSelector2(selector, method), name: name, priority: priority, when: conditions,
      handler)
  }

  /// Hooks an async method with three arguments by its Swift types.
  @discardableResult
  public static func hook<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, Outcome: Sendable
  >(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C) async throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: @Sendable (A, B, C) async throws -> Outcome, Receiver, A, B, C
      ) async throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      AsyncTypedSelector3(selector, method), name: name, priority: priority, when: conditions,
      handler)
  }

  /// Hooks an async method with four arguments by its Swift types.
  @discardableResult
  public static func hook<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
    Outcome: Sendable
  >(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D) async throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    _ handler:
      @escaping @Sendable (
        _ original: @Sendable (A, B, C, D) async throws -> Outcome, Receiver, A, B, C, D
      ) async throws -> Outcome
  ) throws(MessageError) -> Hook {
    try hook(
      AsyncTypedSelector4(selector, method), name: name, priority: priority, when: conditions,
      handler)
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
