// Made by Scripts/generate: change Scripts/Generation.

public import DelayedBlocks
public import Invocations

// As the functions that take a parameter pack, for one to four arguments: an argument may be an
// Optional's value, since its type is known from the selector.

extension MessageReceiver {
  /// Sends a message with one argument by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: Typed, _ first: Typed.First
  ) throws(MessageError) -> Typed.Outcome where Typed.Arguments == Typed.First {
    try MessageSending.send(self, selector.selector, first)
  }

  /// Sends a message with one argument to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: Typed, _ first: Typed.First
  ) async throws(MessageError) -> Value
  where Typed.Arguments == Typed.First, Typed.Outcome == AsyncAnswer<Value> {
    try await send(async: selector.selector, first, returning: Value.self)
  }

  /// Makes an invocation of a message with one argument by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First
  ) throws(MessageError) -> Invocation where Typed.Arguments == Typed.First {
    try record { try $0.send(selector.selector, first) }
  }

  /// Sends a message with two arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second
  ) throws(MessageError) -> Typed.Outcome where Typed.Arguments == (Typed.First, Typed.Second) {
    try MessageSending.send(self, selector.selector, (first, second))
  }

  /// Sends a message with two arguments to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second
  ) async throws(MessageError) -> Value
  where Typed.Arguments == (Typed.First, Typed.Second), Typed.Outcome == AsyncAnswer<Value> {
    try await send(async: selector.selector, first, second, returning: Value.self)
  }

  /// Makes an invocation of a message with two arguments by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second
  ) throws(MessageError) -> Invocation where Typed.Arguments == (Typed.First, Typed.Second) {
    try record { try $0.send(selector.selector, first, second) }
  }

  /// Sends a message with three arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third
  ) throws(MessageError) -> Typed.Outcome
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third) {
    try MessageSending.send(self, selector.selector, (first, second, third))
  }

  /// Sends a message with three arguments to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third
  ) async throws(MessageError) -> Value
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third), Typed.Outcome == AsyncAnswer<Value>
  {
    try await send(async: selector.selector, first, second, third, returning: Value.self)
  }

  /// Makes an invocation of a message with three arguments by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third
  ) throws(MessageError) -> Invocation
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third) {
    try record { try $0.send(selector.selector, first, second, third) }
  }

  /// Sends a message with four arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third,
    _ fourth: Typed.Fourth
  ) throws(MessageError) -> Typed.Outcome
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth) {
    try MessageSending.send(self, selector.selector, (first, second, third, fourth))
  }

  /// Sends a message with four arguments to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third,
    _ fourth: Typed.Fourth
  ) async throws(MessageError) -> Value
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth),
    Typed.Outcome == AsyncAnswer<Value>
  {
    try await send(async: selector.selector, first, second, third, fourth, returning: Value.self)
  }

  /// Makes an invocation of a message with four arguments by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third,
    _ fourth: Typed.Fourth
  ) throws(MessageError) -> Invocation
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth) {
    try record { try $0.send(selector.selector, first, second, third, fourth) }
  }
}

extension MessageReceiver where Self: Sendable {
  /// Sends a message with one argument by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where Typed.Arguments == Typed.First, Typed.First: Sendable {
    try perform(
      selector.selector, first, after: delay, on: target, keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }

  /// Sends a message with two arguments by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where
    Typed.Arguments == (Typed.First, Typed.Second), Typed.First: Sendable, Typed.Second: Sendable
  {
    try perform(
      selector.selector, first, second, after: delay, on: target, keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }

  /// Sends a message with three arguments by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third,
    after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third), Typed.First: Sendable,
    Typed.Second: Sendable, Typed.Third: Sendable
  {
    try perform(
      selector.selector, first, second, third, after: delay, on: target,
      keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }

  /// Sends a message with four arguments by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: Typed, _ first: Typed.First, _ second: Typed.Second, _ third: Typed.Third,
    _ fourth: Typed.Fourth, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth),
    Typed.First: Sendable, Typed.Second: Sendable, Typed.Third: Sendable, Typed.Fourth: Sendable
  {
    try perform(
      selector.selector, first, second, third, fourth, after: delay, on: target,
      keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }
}

extension TypedMessageReceiver {
  /// Sends a message with one argument by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First
  ) throws(MessageError) -> Typed.Outcome where Typed.Arguments == Typed.First {
    try MessageSending.send(self, selector(Messages()).selector, first)
  }

  /// Sends a message with one argument to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: (Messages) -> Typed, _ first: Typed.First
  ) async throws(MessageError) -> Value
  where Typed.Arguments == Typed.First, Typed.Outcome == AsyncAnswer<Value> {
    try await send(async: selector(Messages()).selector, first, returning: Value.self)
  }

  /// Makes an invocation of a message with one argument by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First
  ) throws(MessageError) -> Invocation where Typed.Arguments == Typed.First {
    try record { try $0.send(selector(Messages()).selector, first) }
  }

  /// Sends a message with two arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second
  ) throws(MessageError) -> Typed.Outcome where Typed.Arguments == (Typed.First, Typed.Second) {
    try MessageSending.send(self, selector(Messages()).selector, (first, second))
  }

  /// Sends a message with two arguments to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second
  ) async throws(MessageError) -> Value
  where Typed.Arguments == (Typed.First, Typed.Second), Typed.Outcome == AsyncAnswer<Value> {
    try await send(async: selector(Messages()).selector, first, second, returning: Value.self)
  }

  /// Makes an invocation of a message with two arguments by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second
  ) throws(MessageError) -> Invocation where Typed.Arguments == (Typed.First, Typed.Second) {
    try record { try $0.send(selector(Messages()).selector, first, second) }
  }

  /// Sends a message with three arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third
  ) throws(MessageError) -> Typed.Outcome
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third) {
    try MessageSending.send(self, selector(Messages()).selector, (first, second, third))
  }

  /// Sends a message with three arguments to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third
  ) async throws(MessageError) -> Value
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third), Typed.Outcome == AsyncAnswer<Value>
  {
    try await send(
      async: selector(Messages()).selector, first, second, third, returning: Value.self)
  }

  /// Makes an invocation of a message with three arguments by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third
  ) throws(MessageError) -> Invocation
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third) {
    try record { try $0.send(selector(Messages()).selector, first, second, third) }
  }

  /// Sends a message with four arguments by its typed selector.
  @inlinable
  @inline(__always)
  @discardableResult
  public func send<Typed: SyncTypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third, _ fourth: Typed.Fourth
  ) throws(MessageError) -> Typed.Outcome
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth) {
    try MessageSending.send(self, selector(Messages()).selector, (first, second, third, fourth))
  }

  /// Sends a message with four arguments to an async method by its typed selector, and awaits its answer.
  @discardableResult
  nonisolated(nonsending) public func send<Typed: TypedSelector, Value: Sendable>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third, _ fourth: Typed.Fourth
  ) async throws(MessageError) -> Value
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth),
    Typed.Outcome == AsyncAnswer<Value>
  {
    try await send(
      async: selector(Messages()).selector, first, second, third, fourth, returning: Value.self)
  }

  /// Makes an invocation of a message with four arguments by its typed selector.
  public func record<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third, _ fourth: Typed.Fourth
  ) throws(MessageError) -> Invocation
  where Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth) {
    try record { try $0.send(selector(Messages()).selector, first, second, third, fourth) }
  }
}

extension TypedMessageReceiver where Self: Sendable {
  /// Sends a message with one argument by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where Typed.Arguments == Typed.First, Typed.First: Sendable {
    try perform(
      selector(Messages()).selector, first, after: delay, on: target, keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }

  /// Sends a message with two arguments by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where
    Typed.Arguments == (Typed.First, Typed.Second), Typed.First: Sendable, Typed.Second: Sendable
  {
    try perform(
      selector(Messages()).selector, first, second, after: delay, on: target,
      keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }

  /// Sends a message with three arguments by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third), Typed.First: Sendable,
    Typed.Second: Sendable, Typed.Third: Sendable
  {
    try perform(
      selector(Messages()).selector, first, second, third, after: delay, on: target,
      keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }

  /// Sends a message with four arguments by its typed selector after a delay.
  @discardableResult
  public func perform<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed, _ first: Typed.First, _ second: Typed.Second,
    _ third: Typed.Third, _ fourth: Typed.Fourth, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock
  where
    Typed.Arguments == (Typed.First, Typed.Second, Typed.Third, Typed.Fourth),
    Typed.First: Sendable, Typed.Second: Sendable, Typed.Third: Sendable, Typed.Fourth: Sendable
  {
    try perform(
      selector(Messages()).selector, first, second, third, fourth, after: delay, on: target,
      keepsReceiver: keepsReceiver,
      timer: timer, onError: onError)
  }
}
