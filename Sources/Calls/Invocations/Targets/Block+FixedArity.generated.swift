// Made by Scripts/generate: change Scripts/Generation.

public import BlockABI

// The compiler does not specialise parameter packs. It prefers these overloads to those for any
// number of values, and specialises them.

extension Block {
  // SAFETY: the block's code has the block's signature, and `self` retains the block during the
  // call. `isPlain` and `takes` check that the call has as many arguments, and each place in the
  // plan, and the result, exactly the type that is written or read.

  /// Calls the block with no values; the following overloads take one to eight.
  ///
  /// It does the same as `call(_:returning:)` for any number of values. If every value, and the
  /// result, is a number or a pointer of exactly the type in the signature, and registers suffice
  /// for them, the call costs little more than a direct one.
  ///
  /// - Parameter type: The Swift type of the result.
  /// - Returns: The result.
  /// - Throws: As `call(_:returning:)` for any number of values.
  @_transparent
  public func call<Result>(
    returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard unsafe call.isPlain(1, Result.self)
    else { return try callPacked(returning: type) }
    return unsafe call.make(keeping: self, Result.self) { unsafe $0 }
  }

  /// Calls the block with one value.
  @_transparent
  public func call<A, Result>(
    _ a: A, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard unsafe call.isPlain(2, Result.self) && call.takes(A.self, at: 1)
    else { return try callPacked(a, returning: type) }
    return unsafe call.make(keeping: self, Result.self) { unsafe $0.set(a, at: 1) }
  }

  /// Calls the block with two values.
  @_transparent
  public func call<A, B, Result>(
    _ a: A, _ b: B, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(3, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
    else { return try callPacked(a, b, returning: type) }
    return unsafe call.make(keeping: self, Result.self) { unsafe $0.set(a, at: 1).set(b, at: 2) }
  }

  /// Calls the block with three values.
  @_transparent
  public func call<A, B, C, Result>(
    _ a: A, _ b: B, _ c: C, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(4, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3)
    else { return try callPacked(a, b, c, returning: type) }
    return unsafe call.make(keeping: self, Result.self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3)
    }
  }

  /// Calls the block with four values.
  @_transparent
  public func call<A, B, C, D, Result>(
    _ a: A, _ b: B, _ c: C, _ d: D, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(5, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4)
    else { return try callPacked(a, b, c, d, returning: type) }
    return unsafe call.make(keeping: self, Result.self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4)
    }
  }

  /// Calls the block with five values.
  @_transparent
  public func call<A, B, C, D, E, Result>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(6, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
    else { return try callPacked(a, b, c, d, e, returning: type) }
    return unsafe call.make(keeping: self, Result.self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5)
    }
  }

  /// Calls the block with six values.
  @_transparent
  public func call<A, B, C, D, E, F, Result>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(7, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
        && call.takes(F.self, at: 6)
    else { return try callPacked(a, b, c, d, e, f, returning: type) }
    return unsafe call.make(keeping: self, Result.self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5).set(f, at: 6)
    }
  }

  /// Calls the block with seven values.
  @_transparent
  public func call<A, B, C, D, E, F, G, Result>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
    returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(8, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
        && call.takes(F.self, at: 6) && call.takes(G.self, at: 7)
    else { return try callPacked(a, b, c, d, e, f, g, returning: type) }
    return unsafe call.make(keeping: self, Result.self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5).set(f, at: 6)
        .set(g, at: 7)
    }
  }

  /// Calls the block with eight values.
  @_transparent
  public func call<A, B, C, D, E, F, G, H, Result>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
    returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(9, Result.self) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
        && call.takes(F.self, at: 6) && call.takes(G.self, at: 7) && call.takes(H.self, at: 8)
    else { return try callPacked(a, b, c, d, e, f, g, h, returning: type) }
    return unsafe call.make(keeping: self, Result.self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5).set(f, at: 6)
        .set(g, at: 7).set(h, at: 8)
    }
  }

  /// Calls the block with no values and ignores its result.
  @_transparent
  public func call() throws(InvocationError) {
    let call = unsafe scalarCall
    guard unsafe call.isPlain(1)
    else { return try callPacked() }
    unsafe call.make(keeping: self) { unsafe $0 }
  }

  /// Calls the block with one value and ignores its result.
  @_transparent
  public func call<A>(
    _ a: A
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard unsafe call.isPlain(2) && call.takes(A.self, at: 1)
    else { return try callPacked(a) }
    unsafe call.make(keeping: self) { unsafe $0.set(a, at: 1) }
  }

  /// Calls the block with two values and ignores its result.
  @_transparent
  public func call<A, B>(
    _ a: A, _ b: B
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard unsafe call.isPlain(3) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
    else { return try callPacked(a, b) }
    unsafe call.make(keeping: self) { unsafe $0.set(a, at: 1).set(b, at: 2) }
  }

  /// Calls the block with three values and ignores its result.
  @_transparent
  public func call<A, B, C>(
    _ a: A, _ b: B, _ c: C
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(4) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3)
    else { return try callPacked(a, b, c) }
    unsafe call.make(keeping: self) { unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3) }
  }

  /// Calls the block with four values and ignores its result.
  @_transparent
  public func call<A, B, C, D>(
    _ a: A, _ b: B, _ c: C, _ d: D
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(5) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4)
    else { return try callPacked(a, b, c, d) }
    unsafe call.make(keeping: self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4)
    }
  }

  /// Calls the block with five values and ignores its result.
  @_transparent
  public func call<A, B, C, D, E>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(6) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
    else { return try callPacked(a, b, c, d, e) }
    unsafe call.make(keeping: self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5)
    }
  }

  /// Calls the block with six values and ignores its result.
  @_transparent
  public func call<A, B, C, D, E, F>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(7) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
        && call.takes(F.self, at: 6)
    else { return try callPacked(a, b, c, d, e, f) }
    unsafe call.make(keeping: self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5).set(f, at: 6)
    }
  }

  /// Calls the block with seven values and ignores its result.
  @_transparent
  public func call<A, B, C, D, E, F, G>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(8) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
        && call.takes(F.self, at: 6) && call.takes(G.self, at: 7)
    else { return try callPacked(a, b, c, d, e, f, g) }
    unsafe call.make(keeping: self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5).set(f, at: 6)
        .set(g, at: 7)
    }
  }

  /// Calls the block with eight values and ignores its result.
  @_transparent
  public func call<A, B, C, D, E, F, G, H>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) throws(InvocationError) {
    let call = unsafe scalarCall
    guard
      unsafe call.isPlain(9) && call.takes(A.self, at: 1) && call.takes(B.self, at: 2)
        && call.takes(C.self, at: 3) && call.takes(D.self, at: 4) && call.takes(E.self, at: 5)
        && call.takes(F.self, at: 6) && call.takes(G.self, at: 7) && call.takes(H.self, at: 8)
    else { return try callPacked(a, b, c, d, e, f, g, h) }
    unsafe call.make(keeping: self) {
      unsafe $0.set(a, at: 1).set(b, at: 2).set(c, at: 3).set(d, at: 4).set(e, at: 5).set(f, at: 6)
        .set(g, at: 7).set(h, at: 8)
    }
  }
}
