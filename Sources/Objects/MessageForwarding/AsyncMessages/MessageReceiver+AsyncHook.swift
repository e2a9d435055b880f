public import Invocations

// The compiler infers the types of a closure's parameters from those of a method, but not from a
// parameter pack: each number of arguments has a function of its own.

extension MessageReceiver {
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
  /// hook is like one of a method that is not async.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - method: A reference to the method: it gives the types, and is not called.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noSuchMethod`; `invalidMethod` for block types; `typeMismatch` if the types are not
  ///   those of the method's signature.
  @discardableResult
  public static func hook<Receiver: AnyObject & Sendable, Outcome: Sendable>(
    _ selector: Selector, _ method: (Receiver) -> () async throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    _ handler:
      @escaping @Sendable (_ original: @Sendable () async throws -> Outcome, Receiver) async throws
      -> Outcome
  ) throws(MessageError) -> MethodHook {
    try hook(AsyncTypedSelector0(selector, method), name: name, priority: priority, handler)
  }

  /// Hooks an async method with one argument by its Swift types.
  @discardableResult
  public static func hook<Receiver: AnyObject & Sendable, A: Sendable, Outcome: Sendable>(
    _ selector: Selector, _ method: (Receiver) -> (A) async throws -> Outcome, name: String? = nil,
    priority: Int = 0,
    _ handler:
      @escaping @Sendable (_ original: @Sendable (A) async throws -> Outcome, Receiver, A)
      async throws -> Outcome
  ) throws(MessageError) -> MethodHook {
    try hook(AsyncTypedSelector1(selector, method), name: name, priority: priority, handler)
  }

  /// Hooks an async method with two arguments by its Swift types.
  @discardableResult
  public static func hook<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, Outcome: Sendable
  >(
    _ selector: Selector, _ method: (Receiver) -> (A, B) async throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    _ handler:
      @escaping @Sendable (_ original: @Sendable (A, B) async throws -> Outcome, Receiver, A, B)
      async throws -> Outcome
  ) throws(MessageError) -> MethodHook {
    try hook(AsyncTypedSelector2(selector, method), name: name, priority: priority, handler)
  }

  /// Hooks an async method with three arguments by its Swift types.
  @discardableResult
  public static func hook<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, Outcome: Sendable
  >(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C) async throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    _ handler:
      @escaping @Sendable (
        _ original: @Sendable (A, B, C) async throws -> Outcome, Receiver, A, B, C
      ) async throws -> Outcome
  ) throws(MessageError) -> MethodHook {
    try hook(AsyncTypedSelector3(selector, method), name: name, priority: priority, handler)
  }

  /// Hooks an async method with four arguments by its Swift types.
  @discardableResult
  public static func hook<
    Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
    Outcome: Sendable
  >(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D) async throws -> Outcome,
    name: String? = nil, priority: Int = 0,
    _ handler:
      @escaping @Sendable (
        _ original: @Sendable (A, B, C, D) async throws -> Outcome, Receiver, A, B, C, D
      ) async throws -> Outcome
  ) throws(MessageError) -> MethodHook {
    try hook(AsyncTypedSelector4(selector, method), name: name, priority: priority, handler)
  }
}
