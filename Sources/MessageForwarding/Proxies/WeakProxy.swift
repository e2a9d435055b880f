public import Invocations
public import ObjectLifetimes
public import TypeEncodings

/// A receiver that sends every message on to a target that it does not keep alive, and answers
/// itself when the target is dead.
///
/// ```swift
/// let proxy = WeakProxy(page)                  // given to a timer, which keeps the proxy only
/// let count: Int = try proxy.send("count")     // 0 once the page has died
/// ```
///
/// Two proxies are equal if they have the same target, dead or alive; their hashes never change.
public final class WeakProxy: MessageReceiver {
  /// What becomes of a message to a dead target.
  public struct DeadAnswer: Sendable {
    enum Kind: Sendable {
      case zero
      case refusal
      case closure(@Sendable (Selector) throws -> Any?)
    }

    let kind: Kind

    /// The answer is zero: zero bytes for C's types, records too; nil, or an empty collection.
    ///
    /// A message for an answer of another type is refused with `unexpectedNull`.
    public static let zero = DeadAnswer(kind: .zero)

    /// The sender gets the error `deadReceiver`.
    public static let refusal = DeadAnswer(kind: .refusal)

    /// A closure answers; it runs on the sender's thread, under no lock.
    ///
    /// - Parameter answer: Receives the message; what it returns must be of the type that the
    ///   sender asks for, if it asks for any. What it throws is thrown to the sender.
    /// - Returns: The answer.
    public static func closure(
      _ answer: @escaping @Sendable (_ selector: Selector) throws -> Any?
    ) -> DeadAnswer {
      DeadAnswer(kind: .closure(answer))
    }
  }

  /// The target; nil once it has died.
  public weak let target: (any MessageReceiver)?

  /// What becomes of a message when the target is dead.
  public let deadAnswer: DeadAnswer

  /// What tells the target apart from other objects, dead or alive.
  public let identity: WeakIdentity

  private let methods: MethodDictionary

  /// Makes a proxy.
  ///
  /// - Parameters:
  ///   - target: Who gets the messages.
  ///   - deadAnswer: What becomes of them when it is dead.
  public init(_ target: any MessageReceiver, whenDead deadAnswer: DeadAnswer = .zero) {
    self.target = target
    self.deadAnswer = deadAnswer
    identity = WeakReference(target as AnyObject).identity
    methods = target._messageClass.methods
  }

  /// A proxy has no methods of its own.
  public static var methods: MethodTable { MethodTable(WeakProxy.self) }

  /// True: the targets answer.
  @inlinable
  public static var _forwardsEverything: Bool { true }

  /// Sends a message to the target; where its method has the message's Swift types nothing is
  /// allocated.
  @inlinable
  public func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    if let target { return try message.send(to: target) }
    return try answer(message.selector)
  }

  /// Sends an invocation to the target.
  public func forwardInvocation(_ invocation: Invocation) throws {
    try unsafe forward(invocation, nil)
  }

  /// Whether the target is alive and responds.
  public func responds(to selector: Selector) -> Bool { target?.responds(to: selector) ?? false }

  /// The signature of the target's message; of a dead target that of its class's method.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    if let target { return target.methodSignature(for: selector) }
    return try? methods.effective(selector)?.interface.signature
  }

  // MARK: - Dead targets

  /// Answers in place of a dead target.
  @usableFromInline
  func answer<Outcome>(_ selector: Selector) throws(MessageError) -> Outcome {
    switch deadAnswer.kind {
    case .zero: return try ZeroValue.of(Outcome.self)
    case .refusal: throw dead(selector)
    case .closure(let closure):
      let answer: Any?
      do { answer = try closure(selector) } catch {
        throw MessageError(thrown: error, by: selector)
      }
      if let nothing = NoAnswer.value(of: Outcome.self) { return nothing }
      if let answer = answer as? Outcome { return answer }
      throw MessageError(
        .typeMismatch,
        "`\(selector)`: the answer for a dead target is "
          + "\(answer.map { "a \(type(of: $0))" } ?? "nil"), not \(Outcome.self)",
        selector: selector)
    }
  }

  private func answer(_ invocation: Invocation, _ selector: Selector) throws(MessageError) {
    switch deadAnswer.kind {
    case .zero: invocation.setZeroResult()
    case .refusal: throw dead(selector)
    case .closure(let closure):
      do {
        let answer = try closure(selector)
        if invocation.signature.isVoid { return }
        guard let answer else { return invocation.setZeroResult() }
        func store<Value>(_ value: Value) throws { try invocation.storeResult(value) }
        try _openExistential(answer, do: store)
      } catch let error as InvocationError {
        throw MessageError(error, selector)
      } catch {
        throw MessageError(thrown: error, by: selector)
      }
    }
  }

  private func dead(_ selector: Selector) -> MessageError {
    MessageError(
      .deadReceiver, "\(selector) was sent to a proxy whose target is dead", selector: selector)
  }
}

extension WeakProxy: ProxyOnPath {
  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome {
    guard let target else { return try answer(message.selector) }
    return try unsafe ProxyPath.send(message, to: target, path)
  }

  func forward(_ invocation: Invocation, _ path: ProxyPath.Pointer?) throws(MessageError) {
    let selector = invocation.selector ?? ""
    guard let target else { return try answer(invocation, selector) }
    try unsafe ProxyPath.send(invocation, to: target, selector, path)
  }

  func responds(_ selector: Selector, _ path: ProxyPath.Pointer?) throws(MessageError) -> Bool {
    guard let target else { return false }
    return try unsafe ProxyPath.responds(target, selector, path)
  }

  func signature(
    _ selector: Selector, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> MethodSignature? {
    guard let target else { return methodSignature(for: selector) }
    return try unsafe ProxyPath.signature(target, selector, path)
  }
}

extension WeakProxy: Hashable {
  /// Whether two proxies have the same target.
  public static func == (first: WeakProxy, second: WeakProxy) -> Bool {
    first.identity == second.identity
  }

  /// Hashes the target's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
