package import BlockABI
internal import TypeEncodings

extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives, and the plan gives the
  // types of the values in its image (see `CallFrame`).

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
    return unsafe try values.resultSlot().load(as: Value.self)
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
    let slot = unsafe try values.resultSlot()
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    replaceKeptForResult(with: kept)
    unsafe outcome.setHasResult()
  }

  /// The memory of an argument that a handler may change.
  func changeableSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard unsafe index != 0 || values.hiddenArgumentCount == 0 else {
      throw InvocationError(
        .typeMismatch,
        "argument 0 is the block being called, and cannot be changed; parameters start at 1",
        argument: 0)
    }
    return unsafe try values.argumentSlot(index)
  }

  /// Calls a function with the frame's arguments.
  ///
  /// ## Safety
  /// `function` must have the frame's signature.
  @unsafe
  package mutating func call(_ function: UnsafeRawPointer) {
    unsafe values.interface.call(function, values.image)
    unsafe outcome.setHasResult()
    if unsafe values.plan.pointee.returnsReference || outcome.keeper != nil { keepResult() }
  }

  /// Calls a block with the frame's arguments, in place of the next hook or the original.
  ///
  /// ## Safety
  /// `block` must have the frame's signature.
  @unsafe
  package mutating func call(_ block: Block) {
    let place = unsafe values.image + values.plan.offset(of: 0)
    let own = unsafe place.load(as: UInt.self)
    unsafe block.withUnsafePointer {
      unsafe place.storeBytes(of: UInt(bitPattern: $0), as: UInt.self)
    }
    unsafe call(block.invokeAddress)
    unsafe place.storeBytes(of: own, as: UInt.self)
  }

  /// Calls a block with some of the frame's arguments; its result becomes the frame's.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - interface: The call interface of the block.
  ///   - indices: The index of the frame's argument for each of the block's parameters.
  ///
  /// ## Safety
  /// The block's parameters must have the types of the arguments at `indices`, and its result that
  /// of the frame.
  @unsafe
  package mutating func call(_ block: Block, _ interface: CallInterface, passing indices: [Int]) {
    let image = unsafe CallImage(interface)
    unsafe image.setReceiver(block.reference)
    for (position, index) in indices.enumerated() {
      guard let from = unsafe try? values.argumentSlot(index),
        let to = unsafe try? image.slot(position + 1)
      else { continue }
      unsafe to.address.copyMemory(from: from.address, byteCount: to.layout.size)
    }
    unsafe image.call(block.invokeAddress)
    withExtendedLifetime(block) {}
    guard let to = unsafe try? values.resultSlot(), let from = unsafe try? image.resultSlot()
    else { return }
    unsafe to.address.copyMemory(from: from.address, byteCount: to.layout.size)
    unsafe outcome.setHasResult()
    if unsafe values.plan.pointee.returnsReference { keepResult() }
  }

  /// Calls the original; does nothing if there is none.
  @_transparent
  @usableFromInline
  package mutating func callOriginal() {
    guard unsafe values.target.pointee.isPlain else { return callOriginalSlowly() }
    unsafe values.target.pointee.call(values.target.pointee.code, values.image)
    unsafe outcome.setHasResult()
  }

  /// Calls an original that takes more than a plain call.
  @usableFromInline
  @inline(never)
  mutating func callOriginalSlowly() {
    let receiver = unsafe values.receiver
    unsafe receiver._withUnsafeGuaranteedRef { $0.callOriginal(&self) }
  }

  /// Ends a change of an argument: retains what the value points to until the call ends.
  mutating func finishStore(keeping kept: KeptValues) {
    unsafe values.plan.pointee.makeMoves(values.image)
    if kept.isEmpty { return }
    unsafe outcome.makeKeeper().arguments.keep(all: kept)
  }

  /// Copies the result of an invocation of the same signature into the frame.
  package mutating func setResult(of invocation: Invocation) {
    guard invocation.hasResult, let slot = unsafe try? values.resultSlot(),
      let result = unsafe try? invocation.buffer.resultSlot()
    else { return }
    unsafe slot.address.copyMemory(from: result.address, byteCount: slot.layout.size)
    var kept = KeptValues()
    // A function may return one of its arguments, as strchr does.
    if unsafe values.plan.pointee.mayReturnPointer {
      if let result = invocation.keptResult { kept.keep(result) }
      for (index, values) in invocation.kept where index > 0 { kept.keep(all: values) }
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
  private mutating func keepResult() {
    replaceKeptForResult(with: KeptValues())
    guard hasResult, let slot = unsafe try? values.resultSlot(),
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
    if let thrown {
      unsafe values.receiver._withUnsafeGuaranteedRef { $0.errors?.throwing(thrown) }
    }
    let (plan, image) = unsafe (values.plan, values.image)
    guard unsafe plan.pointee.hasResult, let layout = unsafe values.interface.resultLayout else {
      return nil
    }
    let result = unsafe plan.pointee.resultAddress(image)
    if !hasResult {
      unsafe result.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
    }
    if unsafe plan.pointee.returnsThroughMemory {
      unsafe (image + plan.pointee.resultOffset).storeBytes(
        of: result, as: UnsafeMutableRawPointer.self)
    }
    guard hasResult, let keeper else { return nil }
    // A function may return one of its arguments, as strchr does.
    if unsafe plan.pointee.mayReturnPointer { keeper.result.keep(all: keeper.arguments) }
    return keeper.result.owner
  }
}
