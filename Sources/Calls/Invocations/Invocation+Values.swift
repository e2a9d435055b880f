internal import BlockABI
internal import TypeEncodings

extension Invocation {
  // SAFETY: throughout, the memory is the invocation's own, laid out by its interface.

  /// Sets an argument.
  ///
  /// - Parameters:
  ///   - index: The argument's index: 0 for the block, 1 for its first parameter.
  ///   - value: The value; it converts as for `Block.call(_:returning:)`.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`.
  @_transparent
  public func setArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    // SAFETY: an argument of this kind is one number of this type, at its place in the memory.
    let kind = ScalarKind.of(Value.self)
    if kind != .none, let offset = unsafe memory.plan.offset(of: index, ifOf: kind),
      unsafe states[index] == .plain
    {
      unsafe ScalarKind.store(value, at: memory.address + offset)
      return
    }
    try CallFrame.refuseFunctions(Value.self)
    try storeArgument(index, value)
  }

  /// Reads an argument.
  ///
  /// - Parameters:
  ///   - index: The argument's index: 0 for the block, 1 for its first parameter.
  ///   - type: The Swift type to read it as.
  /// - Returns: The value; objects and blocks are retained.
  /// - Throws: `argumentIndex`, `missingArgument`, `typeMismatch`, `valueOutOfRange`,
  ///   `unexpectedNull`.
  @_transparent
  public func argument<Value>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> Value {
    try CallFrame.refuseFunctions(Value.self)
    return try loadArgument(index)
  }

  /// Reads the result of the last call.
  ///
  /// - Parameter type: The Swift type to read it as.
  /// - Returns: The value; objects and blocks are retained.
  /// - Throws: `noResult` if there is none or none yet; `typeMismatch`, `valueOutOfRange`,
  ///   `unexpectedNull`.
  @_transparent
  public func result<Value>(as type: Value.Type = Value.self) throws(InvocationError) -> Value {
    // SAFETY: a result of this kind is one number of this type, at its place in the memory.
    let kind = ScalarKind.of(Value.self)
    if kind != .none, hasResult, unsafe memory.plan.pointee.resultScalar == kind {
      return unsafe (memory.address + memory.plan.pointee.resultOffset).load(as: Value.self)
    }
    try CallFrame.refuseFunctions(Value.self)
    return try loadResult()
  }

  /// Sets the result, as the receiver of a forwarded message does to answer it: `-setReturnValue:`.
  ///
  /// - Parameter value: The result; it converts as an argument does.
  /// - Throws: `noResult` if the signature says void; `typeMismatch`, `valueOutOfRange`.
  @_transparent
  public func setResult<Value>(_ value: Value) throws(InvocationError) {
    try CallFrame.refuseFunctions(Value.self)
    try storeResult(value)
  }

  /// Sets the result to a value described at run time.
  ///
  /// - Parameter value: The result.
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  public func setResultValue(_ value: CValue) throws(InvocationError) {
    // SAFETY: the slot is valid during the closure.
    unsafe try setResult { slot, kept throws(InvocationError) in
      unsafe try slot.store(value: value, keeping: &kept)
    }
  }

  /// Sets an argument to a value described at run time.
  ///
  /// - Parameters:
  ///   - index: The argument's index: 0 for the block, 1 for its first parameter.
  ///   - value: The value.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  public func setArgumentValue(_ index: Int, _ value: CValue) throws(InvocationError) {
    unsafe try set(index) { slot, kept throws(InvocationError) in
      unsafe try slot.store(value: value, keeping: &kept)
    }
  }

  /// Reads an argument as a value described at run time.
  ///
  /// A C string that memory does not hold, as behind a pointer to other bytes, is an opaque value.
  ///
  /// - Parameter index: 0 for a block's own pointer, 1 for its first parameter.
  /// - Returns: The value.
  /// - Throws: `argumentIndex`, `missingArgument`, `unsupportedType`.
  public func argumentValue(_ index: Int) throws(InvocationError) -> CValue {
    unsafe try setSlot(index).value()
  }

  /// Reads the result of the last call as a value described at run time.
  ///
  /// - Throws: `noResult`, `unsupportedType`.
  public func resultValue() throws(InvocationError) -> CValue {
    try requireResult()
    return unsafe try memory.resultSlot().value()
  }

  @usableFromInline
  package func storeArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    unsafe try set(index) { slot, kept throws(InvocationError) in
      unsafe try slot.store(value, keeping: &kept)
    }
  }

  @usableFromInline
  package func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    let own = SwiftType.isAny(Value.self) ? types?[argument: index] : nil
    return unsafe try setSlot(index).load(as: Value.self, own: own)
  }

  @usableFromInline
  package func loadResult<Value>() throws(InvocationError) -> Value {
    try requireResult()
    let own = SwiftType.isAny(Value.self) ? types?.result : nil
    return unsafe try memory.resultSlot().load(as: Value.self, own: own)
  }

  private func set(
    _ index: Int,
    _ store: (ValueSlot, inout KeptValues) throws(InvocationError) -> Void
  ) throws(InvocationError) {
    let slot = unsafe try memory.argumentSlot(index)
    if index == 0 { try requireChangeableReceiver() }
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    if argumentsRetained { unsafe slot.retain(keeping: &kept) }
    unsafe memory.plan.makeMoves(memory.address)
    if unsafe !kept.isEmpty || states[index] == .keeping { keep(kept, for: index) }
    unsafe states[index] = kept.isEmpty ? .plain : .keeping
  }

  private func setSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    let slot = unsafe try memory.argumentSlot(index)
    guard isSet(index) else {
      throw InvocationError(
        .missingArgument, "argument \(index) has not been set; set it first", argument: index)
    }
    return unsafe slot
  }

  private func requireResult() throws(InvocationError) {
    guard hasResult else {
      throw InvocationError(
        .noResult,
        interface.resultLayout == nil
          ? "\(signature) returns nothing" : "there is no result yet; invoke the invocation first")
    }
  }

  /// Whether argument 0 is the target.
  var isBlockCall: Bool {
    if case .function = target { false } else { signature.form == .block }
  }

  /// - Throws: `typeMismatch` if a prepared call relies on the block that is argument 0.
  func requireChangeableReceiver() throws(InvocationError) {
    guard isReceiverFixed else { return }
    throw InvocationError(
      .typeMismatch,
      "a call of argument 0, the target, has been prepared; use a copy for another block",
      argument: 0)
  }

  func isTarget(_ block: Block) -> Bool {
    if case .block(block) = target { true } else { false }
  }

  /// Makes a block argument 0, and retains it.
  func setReceiver(_ block: Block) {
    unsafe memory.setBlock(block.reference)
    var kept = KeptValues()
    kept.keep(block.reference)
    keep(kept, for: 0)
    unsafe states[0] = .keeping
  }
}
