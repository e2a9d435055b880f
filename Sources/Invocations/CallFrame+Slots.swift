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
    unsafe try slot.store(value, keeping: &kept)
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
    guard let arguments = unsafe argumentAddresses else { throw afterTheEnd }
    let count = signature.arguments.count
    guard signature.arguments.indices.contains(index), let address = unsafe arguments[index] else {
      throw InvocationError(
        .argumentIndex,
        "there is no argument \(index): the signature \(signature) lists 0 to \(count - 1)",
        argument: index)
    }
    return unsafe ValueSlot(
      signature.arguments[index].encoding, interface.argumentLayouts[index], .argument(index),
      at: address)
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
    guard let result = unsafe resultAddress else { throw afterTheEnd }
    guard let layout = interface.resultLayout else {
      throw InvocationError(.noResult, "\(signature) returns nothing")
    }
    return unsafe ValueSlot(signature.result, layout, .result, at: result)
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

  /// Calls the original with the frame's arguments.
  ///
  /// ## Safety
  /// `function` must have the frame's signature.
  @unsafe
  package mutating func call(_ function: UnsafeRawPointer) {
    guard let arguments = unsafe argumentAddresses, let result = unsafe resultAddress else {
      return
    }
    unsafe interface.call(function, arguments, result)
    hasResult = interface.resultLayout != nil
    keepResult()
  }

  /// The new result may point into the old one: what kept that lives until the call ends.
  private mutating func replaceKeptForResult(with new: KeptValues) {
    kept.keep(all: keptForResult)
    keptForResult = new
  }

  /// Keeps an object or block that was returned unowned: whoever runs next may release it.
  private mutating func keepResult() {
    replaceKeptForResult(with: KeptValues())
    guard hasResult, let slot = unsafe try? resultSlot(),
      let reference = unsafe slot.retainedReference()
    else { return }
    if let block = reference as? BlockReference {
      // A block from the stack is replaced by its copy: the frame that it lies in is gone.
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: block.pointer)
    }
    keptForResult.keep(reference)
  }

  /// Ends the call: a result that was never set is zero.
  ///
  /// - Returns: What keeps what the result points to, nil if it points to nothing that is kept.
  package mutating func finish() -> AnyObject? {
    guard let result = unsafe resultAddress, let layout = interface.resultLayout else { return nil }
    if !hasResult {
      unsafe result.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
      return nil
    }
    // A function may return what it was given, as strchr does.
    if signature.result.mayHoldPointer { keptForResult.keep(all: kept) }
    return keptForResult.owner
  }
}

extension TypeEncoding {
  /// Whether a value of the type may point to something.
  fileprivate var mayHoldPointer: Bool {
    switch kind {
    case .cString, .pointer, .object, .class, .selector, .block, .functionPointer, .struct, .union:
      true
    default: false
    }
  }
}
