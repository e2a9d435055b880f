extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives, and the plan says which
  // offsets of its memory hold which numbers.

  /// An argument that is one number, widened to a word; nil for other types.
  package func argumentWord(_ index: Int) -> UInt64? {
    guard index >= 0, unsafe index < memory.plan.pointee.argumentCount else { return nil }
    let place = unsafe memory.plan.place(index).pointee
    return unsafe place.scalar.word(at: memory.address + Int(place.offset))
  }

  /// The address of the receiver of a call that has the form of a method.
  @inlinable package var receiverAddress: UInt {
    unsafe (memory.address + Int(memory.plan.place(0).pointee.offset)).load(as: UInt.self)
  }

  /// The result that is one number, widened to a word; nil for other types, and while there is
  /// none.
  package var resultWord: UInt64? {
    guard hasResult else { return nil }
    let plan = unsafe memory.plan
    return unsafe plan.pointee.resultScalar.word(at: memory.address + plan.pointee.resultOffset)
  }

  /// Whether the handler may set a result.
  package var maySetResult: Bool { activation.maySetResult }

  /// Sets a result that is one number, given as `resultWord` gives it.
  ///
  /// - Returns: False, and nothing is set, if the result is no such number, or where the handler
  ///   may set none.
  @inlinable
  package mutating func setResultWord(_ word: UInt64) -> Bool {
    let plan = unsafe memory.plan
    guard activation.maySetResult, unsafe plan.pointee.resultScalar != .none else { return false }
    unsafe (memory.address + plan.pointee.resultOffset).storeBytes(of: word, as: UInt64.self)
    unsafe outcome.setHasResult()
    return true
  }

  /// Proceeds, and returns whether the inner hooks or the original set a result.
  ///
  /// If they set none, and threw nothing, a result that was set before stays.
  ///
  /// - Throws: `cannotProceed`.
  package mutating func proceedForResult() throws(InvocationError) -> Bool {
    let before = unsafe outcome.takeHasResult()
    defer { if before, error == nil { unsafe outcome.setHasResult() } }
    try proceed()
    return hasResult
  }
}

extension CallOutcome {
  /// Forgets that there is a result.
  ///
  /// - Returns: Whether there was one.
  fileprivate mutating func takeHasResult() -> Bool {
    defer { unsafe clearResult() }
    return unsafe hasResult
  }
}

extension ScalarKind {
  /// The number at an address, widened to a word as `store` does; nil for `none`.
  ///
  /// ## Safety
  /// There must be a number of the kind at the address.
  @unsafe
  fileprivate func word(at address: UnsafeRawPointer) -> UInt64? {
    switch self {
    case .none: nil
    case .int8: unsafe UInt64(truncatingIfNeeded: address.load(as: Int8.self))
    case .uint8: unsafe UInt64(address.load(as: UInt8.self))
    case .int16: unsafe UInt64(truncatingIfNeeded: address.load(as: Int16.self))
    case .uint16: unsafe UInt64(address.load(as: UInt16.self))
    case .int32: unsafe UInt64(truncatingIfNeeded: address.load(as: Int32.self))
    case .uint32, .float: unsafe UInt64(address.load(as: UInt32.self))
    case .int64, .uint64, .double, .pointer: unsafe address.load(as: UInt64.self)
    }
  }
}

extension ValueSlot {
  /// The slot's number, widened to a word as a frame's; nil for other types.
  package var word: UInt64? { unsafe ScalarKind(encoding).word(at: address) }
}
