internal import BlockABI
private import CBlockRuntime.DeferredRelease
internal import TypeEncodings

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
    let slot = unsafe try argumentSlot(index)
    unsafe try slot.store(value, keeping: &kept)
  }

  @usableFromInline
  func loadResult<Value>() throws(InvocationError) -> Value {
    guard hasResult else { throw noResultYet }
    return unsafe try resultSlot().load(as: Value.self)
  }

  @usableFromInline
  mutating func storeResult<Value>(_ value: Value) throws(InvocationError) {
    let slot = unsafe try resultSlot()
    unsafe try slot.store(value, keeping: &kept)
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
        .noResult, "there is no result yet: proceed first, or read it in the position after")
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
    guard let arguments = unsafe argumentAddresses, let result = unsafe resultAddress else { return }
    unsafe interface.call(function, arguments, result)
    hasResult = interface.resultLayout != nil
    keepResult()
  }

  /// Keeps an object or block that was returned unowned: whoever runs next may release it.
  private mutating func keepResult() {
    guard let slot = unsafe returnedReference, let pointer = unsafe slot.pointer else { return }
    if unsafe slot.kind == .block {
      kept.keep(unsafe Block(unsafePointer: pointer).copied().reference)
    } else {
      kept.keep(unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
    }
  }

  /// Ends the call: a result that was never set is zero, and an object or block that is returned
  /// stays alive until the caller has retained it.
  package mutating func finish() {
    guard let result = unsafe resultAddress, let layout = interface.resultLayout else { return }
    if !hasResult {
      unsafe result.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
    }
    guard let slot = unsafe returnedReference, let pointer = unsafe slot.pointer else { return }
    if unsafe slot.kind == .block {
      // A block from the stack is replaced by its copy: the frame that it lies in may be ours.
      let retained = unsafe Block(unsafePointer: pointer).retainedCopy()
      unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: retained)
      unsafe cbr_release_later(UnsafeMutableRawPointer(mutating: retained))
    } else {
      let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer)
      unsafe cbr_release_later(object.retain().toOpaque())
    }
  }

  /// The result's slot where the result is an object or a block.
  private var returnedReference: ValueSlot? {
    guard hasResult, let result = unsafe resultAddress, let layout = interface.resultLayout,
      signature.result.kind == .object || signature.result.kind == .block
    else { return nil }
    return unsafe ValueSlot(signature.result, layout, .result, at: result)
  }
}
