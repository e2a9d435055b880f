internal import BlockABI
internal import TypeEncodings

// SAFETY, for the whole file: a frame's addresses are valid while the frame lives, which is for one
// call: its initialiser's caller vouched for them.

extension CallFrame {
  @usableFromInline
  static func refuseFunctions(_ type: Any.Type) throws(InvocationError) {
    try SwiftType.refuseFunctions(type)
  }

  @usableFromInline
  func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    unsafe try argumentSlot(index).load(as: Value.self)
  }

  @usableFromInline
  mutating func storeArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    let slot = unsafe try changeableSlot(index)
    var kept = KeptValues()
    unsafe try slot.store(value, keeping: &kept)
    keep(kept)
  }

  @usableFromInline
  func loadResult<Value>() throws(InvocationError) -> Value {
    guard hasResult else { throw noResultYet }
    return unsafe try resultSlot().load(as: Value.self)
  }

  @usableFromInline
  mutating func storeResult<Value>(_ value: Value) throws(InvocationError) {
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
    let slot = unsafe try resultSlot()
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    replaceKeptForResult(with: kept)
    hasResult = true
  }

  /// The memory of an argument.
  package func argumentSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard position != .death else { throw afterTheEnd }
    let interface = interface
    let arguments = interface.signature.arguments
    guard arguments.indices.contains(index) else {
      throw InvocationError(
        .argumentIndex,
        "there is no argument \(index): the signature \(signature) lists 0 to \(arguments.count - 1)",
        argument: index)
    }
    let place = unsafe image + plan.offset(of: index)
    if index == 0 { followBlock() }
    return unsafe ValueSlot(
      arguments[index].encoding, interface.argumentLayouts[index], .argument(index), at: place)
  }

  /// The memory of an argument that a handler may change.
  func changeableSlot(_ index: Int) throws(InvocationError) -> ValueSlot {
    guard index != 0 || hiddenArgumentCount == 0 else {
      throw InvocationError(
        .typeMismatch,
        "argument 0 is what is being called: its code finds its captures there, and takes no other",
        argument: 0)
    }
    return unsafe try argumentSlot(index)
  }

  /// The memory of the result.
  package func resultSlot() throws(InvocationError) -> ValueSlot {
    guard position != .death else { throw afterTheEnd }
    guard let layout = interface.resultLayout else {
      throw InvocationError(.noResult, "\(signature) returns nothing")
    }
    return unsafe ValueSlot(
      signature.result, layout, .result, at: plan.pointee.resultAddress(image))
  }

  var noResultYet: InvocationError {
    interface.resultLayout == nil
      ? InvocationError(.noResult, "\(signature) returns nothing")
      : InvocationError(
        .noResult, "there is no result yet: set one, proceed, or read it in the position `after`")
  }

  private var afterTheEnd: InvocationError {
    InvocationError(.noResult, "a block that dies is not being called: there are no values to read")
  }

  /// Calls a function with the frame's arguments.
  ///
  /// ## Safety
  /// `function` must have the frame's signature.
  @unsafe
  package mutating func call(_ function: UnsafeRawPointer) {
    unsafe interface.call(function, image)
    hasResult = unsafe plan.pointee.hasResult
    if unsafe plan.pointee.returnsReference || keeper != nil { keepResult() }
  }

  /// Calls what lies below all levels; nothing, where there is no original.
  package mutating func callOriginal() {
    let receiver = unsafe receiver
    unsafe receiver._withUnsafeGuaranteedRef { $0.callOriginal(&self) }
  }

  /// Keeps what an argument's value points to until the call ends.
  mutating func keep(_ values: KeptValues) {
    if values.isEmpty { return }
    makeKeeper().arguments.keep(all: values)
  }

  private mutating func makeKeeper() -> FrameKeeper {
    if let keeper = unsafe keeper { return unsafe keeper.takeUnretainedValue() }
    let made = FrameKeeper()
    unsafe keeper = unsafe .passRetained(made)
    return made
  }

  /// The new result may point into the old one: what kept that lives until the call ends.
  private mutating func replaceKeptForResult(with new: KeptValues) {
    if unsafe keeper == nil && new.isEmpty { return }
    let keeper = makeKeeper()
    keeper.arguments.keep(all: keeper.result)
    keeper.result = new
  }

  /// Keeps an object or block that was returned unowned: whoever runs next may release it.
  @inline(never)
  private mutating func keepResult() {
    replaceKeptForResult(with: KeptValues())
    guard hasResult, let slot = unsafe try? resultSlot(),
      let reference = unsafe slot.retainedReference()
    else { return }
    if let block = reference as? BlockReference {
      // A block from the stack is replaced by its copy: the frame that it lies in is gone.
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
    }
    makeKeeper().result.keep(reference)
  }

  /// Ends the call: a result that was never set is zero, and one that travels through memory is
  /// answered with its address.
  ///
  /// - Returns: What keeps what the result points to, nil if it points to nothing that is kept.
  @inline(__always)
  mutating func finish() -> AnyObject? {
    if hasResult, unsafe keeper == nil, unsafe !plan.pointee.returnsThroughMemory { return nil }
    return finishSlowly()
  }

  @inline(never)
  private mutating func finishSlowly() -> AnyObject? {
    // SAFETY: the frame owns one reference, taken when the keeper was made.
    let keeper = unsafe self.keeper.map { unsafe $0.takeRetainedValue() }
    unsafe self.keeper = nil
    guard let layout = interface.resultLayout else { return nil }
    if !hasResult {
      unsafe plan.pointee.resultAddress(image).initializeMemory(
        as: UInt8.self, repeating: 0, count: layout.size)
    }
    if unsafe plan.pointee.returnsThroughMemory {
      unsafe (image + plan.pointee.resultOffset).storeBytes(
        of: plan.pointee.resultAddress(image), as: UnsafeMutableRawPointer.self)
    }
    guard hasResult, let keeper else { return nil }
    // A function may return what it was given, as strchr does.
    if unsafe plan.pointee.mayReturnPointer { keeper.result.keep(all: keeper.arguments) }
    return keeper.result.owner
  }
}

/// What the values of a call point to and nobody else keeps.
final class FrameKeeper {
  var arguments = KeptValues()
  var result = KeptValues()
}
