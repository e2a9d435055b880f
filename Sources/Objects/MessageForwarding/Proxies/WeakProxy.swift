public import Invocations
public import ObjectLifetimes
public import TypeEncodings

/// A receiver that forwards every message to a target that it does not retain, and answers messages
/// itself after the target has died.
///
/// ```swift
/// let proxy = WeakProxy(page)                  // given to a timer, which retains only the proxy
/// let count: Int = try proxy.send("count")     // 0 once the page has died
/// ```
///
/// Two proxies are equal if they have the same target, dead or alive; their hashes never change.
public final class WeakProxy: MessageReceiver {
  /// The answer to a message to a dead target.
  public struct DeadAnswer: Sendable {
    enum Kind: Sendable {
      case zero
      case refusal
      case closure(@Sendable (Selector) throws -> Any?)
    }

    let kind: Kind

    /// The answer is zero: zero bytes for C types and structures of them; nil, or an empty
    /// collection.
    ///
    /// A message for an answer of a type without a zero throws `deadReceiver`.
    public static let zero = DeadAnswer(kind: .zero)

    /// The message throws the error `deadReceiver`.
    public static let refusal = DeadAnswer(kind: .refusal)

    /// A closure answers the message; it runs on the sender's thread, under no lock.
    ///
    /// - Parameter answer: Receives the message. Its value must have the type that the sender
    ///   needs, if it needs any; its errors are thrown to the sender.
    /// - Returns: The answer.
    public static func closure(
      _ answer: @escaping @Sendable (_ selector: Selector) throws -> Any?
    ) -> DeadAnswer {
      DeadAnswer(kind: .closure(answer))
    }
  }

  /// The target; nil after it has died.
  public weak let target: (any MessageReceiver)?

  /// The answer to messages after the target has died.
  public let deadAnswer: DeadAnswer

  /// The identity of the target, also after its death.
  public let identity: WeakIdentity

  private let methods: MethodDictionary

  /// The key by which the target's methods are found, which never changes.
  @usableFromInline let messageIdentity: MessageIdentity

  /// Creates a proxy.
  ///
  /// - Parameters:
  ///   - target: The object that receives the messages; it is not retained.
  ///   - deadAnswer: The answer to messages after the target has died.
  public init(_ target: any MessageReceiver, whenDead deadAnswer: DeadAnswer = .zero) {
    self.target = target
    self.deadAnswer = deadAnswer
    identity = WeakReference(target as AnyObject).identity
    methods = target._messageClass.methods
    messageIdentity = target._messageIdentity
  }

  /// No methods: a proxy has none of its own.
  public static var methods: MethodTable { MethodTable(WeakProxy.self) }

  /// True: all messages are forwarded to the target.
  @inlinable
  public static var _forwardsEverything: Bool { true }

  /// Sends a message to the target; allocates nothing if its method has the message's Swift types.
  @inlinable
  public func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    if let target { return try message.send(to: target, messageIdentity) }
    return try answer(message.selector)
  }

  /// Sends an invocation to the target.
  public func forwardInvocation(_ invocation: Invocation) throws {
    // SAFETY: there is no outer path.
    try unsafe forward(invocation, nil)
  }

  /// Whether the target is alive and responds.
  public func responds(to selector: Selector) -> Bool { target?.responds(to: selector) ?? false }

  /// The signature that the target has for a message; after its death, that of its class's method.
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
        .typeMismatch, of: selector,
        "the answer for a dead target is "
          + "\(answer.map { "a \(type(of: $0))" } ?? "nil"), not \(Outcome.self)")
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
      } catch {
        throw MessageError(collected: error, by: selector)
      }
    }
  }

  private func dead(_ selector: Selector) -> MessageError {
    MessageError(
      .deadReceiver, "\(selector) was sent to a proxy whose target is dead", selector: selector)
  }
}

extension WeakProxy: ProxyOnPath {
  // SAFETY: the path is valid during the call, as `ProxyPath` requires.

  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome {
    guard let target else { return try answer(message.selector) }
    return try unsafe PathTarget(target, message.selector).send(message, path)
  }

  func forward(_ invocation: Invocation, _ path: ProxyPath.Pointer?) throws(MessageError) {
    let selector = invocation.selector ?? ""
    guard let target else { return try answer(invocation, selector) }
    try unsafe PathTarget(target, selector).send(invocation, path)
  }

  func responds(_ selector: Selector, _ path: ProxyPath.Pointer?) throws(MessageError) -> Bool {
    guard let target else { return false }
    return try unsafe PathTarget(target, selector).responds(path)
  }

  func signature(
    _ selector: Selector, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> MethodSignature? {
    guard let target else { return methodSignature(for: selector) }
    return try unsafe PathTarget(target, selector).signature(path)
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
