internal import BlockABI
internal import TypeEncodings

extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives, and the plan gives the
  // types of the values in its memory (see `CallFrame`).

  @usableFromInline
  package static func refuseFunctions(_ type: Any.Type) throws(InvocationError) {
    try SwiftType.refuseFunctions(type)
  }

  @usableFromInline
  mutating func storeArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    let slot = unsafe try changeableSlot(index)
    var kept = KeptValues()
    unsafe try slot.store(value, keeping: &kept)
    finishStore(keeping: kept)
  }

  @usableFromInline
  func loadResult<Value>() throws(InvocationError) -> Value {
    guard hasResult else { throw noResultYet }
    let slot = unsafe try memory.resultSlot()
    guard SwiftType.isAny(Value.self) else { return unsafe try slot.load(as: Value.self) }
    let types = unsafe receiver._withUnsafeGuaranteedRef { $0.closure?.types }
    return unsafe try slot.load(as: Value.self, own: types?.result)
  }

  @usableFromInline
  package mutating func storeResult<Value>(_ value: Value) throws(InvocationError) {
    unsafe try setResult { slot, kept throws(InvocationError) in
      unsafe try slot.store(value, keeping: &kept)
    }
  }

  mutating func setResult(
    _ store: (ValueSlot, inout KeptValues) throws(InvocationError) -> Void
  ) throws(InvocationError) {
    guard position != .before else {
      throw InvocationError(
        .noResult, "the original would replace a result set before it; use `instead` or `after`")
    }
    let slot = unsafe try memory.resultSlot()
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    replaceKeptForResult(with: kept)
    unsafe outcome.setHasResult()
  }

  /// The memory of an argument that a handler may change.
  func changeableSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard index != 0 || blockArgumentCount == 0 else {
      throw InvocationError(
        .typeMismatch,
        "argument 0 is the block being called, and cannot be changed; parameters start at 1",
        argument: 0)
    }
    return unsafe try argumentSlot(index)
  }

  /// Ends a change of an argument: retains what the value points to until the call ends.
  mutating func finishStore(keeping kept: KeptValues) {
    unsafe memory.plan.makeMoves(memory.address)
    if kept.isEmpty { return }
    unsafe outcome.makeKeeper().arguments.keep(all: kept)
  }

  /// Copies the result of an invocation of the same signature, or its error, into the frame.
  package mutating func setResult(of invocation: Invocation) {
    if let error = invocation.error { return didThrow(error) }
    guard invocation.hasResult, unsafe memory.copyResult(from: invocation.memory) else { return }
    var kept = KeptValues()
    // A function may return one of its arguments, as strchr does.
    if unsafe memory.plan.pointee.mayReturnPointer {
      if let result = invocation.keptResult { kept.keep(result) }
      for values in invocation.kept.dropFirst() { kept.keep(all: values) }
    }
    replaceKeptForResult(with: kept)
    unsafe outcome.setHasResult()
  }

  /// Replaces what is retained for the result.
  ///
  /// The new result may point into the previous one, so what was retained for that lives until the
  /// call ends.
  private mutating func replaceKeptForResult(with new: KeptValues) {
    if unsafe outcome.keeper == nil && new.isEmpty { return }
    let keeper = unsafe outcome.makeKeeper()
    keeper.arguments.keep(all: keeper.result)
    keeper.result = new
  }

  /// Retains an object or block that was returned without ownership, because code that runs next
  /// may release it.
  @inline(never)
  mutating func keepResult() {
    replaceKeptForResult(with: KeptValues())
    guard hasResult, let slot = unsafe try? memory.resultSlot(),
      let reference = unsafe slot.retainedReference()
    else { return }
    if let block = reference as? BlockReference {
      // A block from the stack is replaced by its copy: the frame that it lies in is gone.
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
    }
    unsafe outcome.makeKeeper().result.keep(reference)
  }

  /// Ends the call: a result that was never set becomes zero, and for a result in memory its
  /// address is returned.
  ///
  /// - Returns: The owner of what the result points to, nil if nothing is retained for it.
  @inline(never)
  mutating func finish() -> AnyObject? {
    let thrown = error
    let keeper = unsafe outcome.takeKeeper()
    keeper?.variadic?.end()
    if let thrown {
      unsafe receiver._withUnsafeGuaranteedRef { $0.closure?.errors?.throwing(thrown) }
    }
    let plan = unsafe memory.plan
    guard unsafe plan.pointee.hasResult, let layout = interface.resultLayout else {
      return nil
    }
    let result = unsafe memory.resultAddress
    if !hasResult {
      unsafe result.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
    }
    if unsafe plan.pointee.returnsThroughMemory {
      unsafe (memory.address + plan.pointee.resultOffset).storeBytes(
        of: result, as: UnsafeMutableRawPointer.self)
    }
    guard hasResult, let keeper else { return nil }
    // A function may return one of its arguments, as strchr does.
    if unsafe plan.pointee.mayReturnPointer { keeper.result.keep(all: keeper.arguments) }
    return keeper.result.owner
  }
}
