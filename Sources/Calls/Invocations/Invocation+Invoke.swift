public import BlockABI
internal import TypeEncodings

extension Invocation {
  /// Retains the values that the arguments point to: copies C strings and blocks, and retains
  /// objects.
  ///
  /// This applies to arguments that are set later too. Memory behind other pointers is unknown, and
  /// is neither copied nor retained.
  ///
  /// The corresponding Objective-C method is `-[NSInvocation retainArguments]`.
  public func retainArguments() {
    guard !argumentsRetained else { return }
    argumentsRetained = true
    for index in 0..<interface.argumentCount where isSet(index) {
      // SAFETY: the slot is in the invocation's memory, and the invocation has a state for each
      // argument.
      guard let slot = unsafe try? memory.argumentSlot(index) else { continue }
      var more = keptValues(index)
      unsafe slot.retain(keeping: &more)
      keep(more, for: index)
      unsafe states[index] = more.isEmpty ? .plain : .keeping
    }
  }

  /// Calls the target.
  ///
  /// - Throws: `missingTarget`, `missingArgument`.
  public func invoke() throws(InvocationError) {
    if let function = unsafe functionAddress {
      try requireArguments(from: 0)
      // SAFETY: the invocation was made for the function's signature, or `invoke(on:)` compared
      // them.
      return unsafe call(function)
    }
    switch callee {
    case .block(let block): try invoke(on: block)
    case .function, nil:
      throw InvocationError(
        .missingTarget,
        "the invocation has no target; use invoke(on:), or make it for a block; if it is a message use "
          + "send(to:)")
    }
  }

  /// Calls a block, which becomes the target.
  ///
  /// - Parameter block: A block of a compatible signature.
  /// - Throws: `missingArgument`; `typeMismatch` with the differences, and for another block once a
  ///   call has been prepared; `noSignature`.
  public func invoke(on block: Block) throws(InvocationError) {
    let own = try block.callInterface
    try requireSame(own, "block")
    if !isTarget(block) { try requireChangeableReceiver() }
    try requireArguments(from: 1)
    callee = .block(block)
    setReceiver(block)
    // SAFETY: the block's code has the block's signature, which is the invocation's.
    unsafe call(block.invokeAddress)
  }

  /// Calls a function, which becomes the target.
  ///
  /// - Parameter function: A function of a compatible signature.
  /// - Throws: `missingArgument`; `typeMismatch` with the differences.
  public func invoke(on function: CFunction) throws(InvocationError) {
    try requireSame(function.interface, "function")
    try requireArguments(from: 0)
    callee = .function(function)
    // SAFETY: the function's signature is the invocation's.
    unsafe call(function.address)
  }

  /// Checks the target and the arguments once, for calls that are made many times.
  ///
  /// The invocation then has a result: zero, or that of an earlier call, until it is called. If it
  /// calls a block, it can no longer be given another block; its copies can.
  ///
  /// - Returns: The call; it shares the invocation's arguments and result.
  /// - Throws: `missingTarget`, `missingArgument`.
  public func prepared() throws(InvocationError) -> PreparedCall {
    guard let callee else {
      throw InvocationError(
        .missingTarget, "the invocation has no target; make it for a block or a function")
    }
    try requireArguments(from: isBlockCall ? 1 : 0)
    hasResult = interface.resultLayout != nil
    if case .block(let block) = callee {
      setReceiver(block)
      isReceiverFixed = true
    }
    return PreparedCall(self, callee)
  }

  package func requireSame(
    _ other: CallInterface, _ noun: String
  ) throws(InvocationError) {
    guard interface !== other else { return }
    let differences = signature.differences(
      from: other.signature, ours: "invocation", theirs: noun)
    guard differences.isEmpty else {
      throw InvocationError(
        .typeMismatch, differences.map(\.description).joined(separator: "; "))
    }
  }

  package func requireArguments(from first: Int) throws(InvocationError) {
    let count = interface.argumentCount
    var index = first
    while index < count, isSet(index) { index += 1 }
    guard index < count else { return }
    throw InvocationError(
      .missingArgument, "argument \(index) has not been set; set it first", argument: index)
  }

  /// Calls a function with the current arguments.
  ///
  /// ## Safety
  /// `function` must have the invocation's signature, and all arguments must be set.
  @unsafe
  package func call(_ function: UnsafeRawPointer) {
    // SAFETY: the caller vouches for the function; the memory is laid out by the interface.
    unsafe memory.call(function)
    if thrown != nil { thrown = nil }
    hasResult = interface.resultLayout != nil
    // An object or block is returned without ownership, so it is retained until the next call.
    guard unsafe interface.plan.pointee.returnsReference,
      let slot = unsafe try? memory.resultSlot()
    else { return }
    keptResult = unsafe slot.retainedReference()
    if let block = keptResult as? BlockReference {
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
    }
  }
}
