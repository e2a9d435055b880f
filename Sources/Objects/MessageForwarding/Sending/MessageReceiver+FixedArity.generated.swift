// Made by Scripts/generate: change Scripts/Generation.

public import Invocations

// The compiler prefers these overloads to those for any number of arguments. They are specialised,
// and refuse a block before the tuple of the arguments is made, which cannot be.

extension MessageReceiver {
  /// Sends a message with no arguments.
  @_transparent
  @discardableResult
  public func send<Outcome>(
    _ selector: Selector, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(Outcome.self) { throw BlockType.refused(selector) }
    return try MessageSending.send(self, selector, ())
  }

  /// Sends a message with no arguments and ignores the answer.
  @_transparent
  public func send(_ selector: Selector) throws(MessageError) {
    try MessageSending.send(self, selector, ()) as Void
  }

  /// Sends a message with one argument.
  @_transparent
  @discardableResult
  public func send<A, Outcome>(
    _ selector: Selector, _ a: A, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(Outcome.self) {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, a)
  }

  /// Sends a message with one argument and ignores the answer.
  @_transparent
  public func send<A>(_ selector: Selector, _ a: A) throws(MessageError) {
    if BlockType.isBlock(A.self) { throw BlockType.refused(selector) }
    try MessageSending.send(self, selector, a) as Void
  }

  /// Sends a message with two arguments.
  @_transparent
  @discardableResult
  public func send<A, B, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(Outcome.self) {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b))
  }

  /// Sends a message with two arguments and ignores the answer.
  @_transparent
  public func send<A, B>(_ selector: Selector, _ a: A, _ b: B) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) { throw BlockType.refused(selector) }
    try MessageSending.send(self, selector, (a, b)) as Void
  }

  /// Sends a message with three arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c))
  }

  /// Sends a message with three arguments and ignores the answer.
  @_transparent
  public func send<A, B, C>(_ selector: Selector, _ a: A, _ b: B, _ c: C) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self) {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c)) as Void
  }

  /// Sends a message with four arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, D, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c, d))
  }

  /// Sends a message with four arguments and ignores the answer.
  @_transparent
  public func send<A, B, C, D>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D
  ) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self)
    {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c, d)) as Void
  }

  /// Sends a message with five arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, D, E, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c, d, e))
  }

  /// Sends a message with five arguments and ignores the answer.
  @_transparent
  public func send<A, B, C, D, E>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
  ) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self)
    {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c, d, e)) as Void
  }

  /// Sends a message with six arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, D, E, F, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(F.self)
      || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c, d, e, f))
  }

  /// Sends a message with six arguments and ignores the answer.
  @_transparent
  public func send<A, B, C, D, E, F>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(F.self)
    {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c, d, e, f)) as Void
  }

  /// Sends a message with seven arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(F.self)
      || BlockType.isBlock(G.self) || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c, d, e, f, g))
  }

  /// Sends a message with seven arguments and ignores the answer.
  @_transparent
  public func send<A, B, C, D, E, F, G>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(F.self)
      || BlockType.isBlock(G.self)
    {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c, d, e, f, g)) as Void
  }

  /// Sends a message with eight arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(F.self)
      || BlockType.isBlock(G.self) || BlockType.isBlock(H.self) || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c, d, e, f, g, h))
  }

  /// Sends a message with eight arguments and ignores the answer.
  @_transparent
  public func send<A, B, C, D, E, F, G, H>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(E.self) || BlockType.isBlock(F.self)
      || BlockType.isBlock(G.self) || BlockType.isBlock(H.self)
    {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c, d, e, f, g, h)) as Void
  }
}
