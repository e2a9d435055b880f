internal import TypeEncodings

extension Invocation {
  /// Removes the result and the error: there are none until the next call or `setResult(_:)`.
  package func forgetResult() {
    hasResult = false
    keptResult = nil
    thrown = nil
  }

  /// Removes the result, and makes what the method threw the error.
  package func fail(with error: any Error) {
    forgetResult()
    thrown = error
  }

  /// Makes the result the answer of nil: all zero bytes, or none if the signature returns nothing.
  package func setZeroResult() {
    keptResult = nil
    // SAFETY: the slot is the invocation's own.
    guard let slot = unsafe try? memory.resultSlot() else { return }
    unsafe slot.address.initializeMemory(as: UInt8.self, repeating: 0, count: slot.layout.size)
    hasResult = true
  }

  /// Makes an object argument 0 and a selector argument 1, of a message's invocation.
  package func setMessage(_ receiver: AnyObject?, _ selector: Selector) {
    // SAFETY: a message's first arguments are an object, which is retained, and a selector.
    unsafe memory.setMessage(receiver, selector)
    var kept = KeptValues()
    if let receiver { kept.keep(receiver) }
    keep(kept, for: 0)
    unsafe states[0] = kept.isEmpty ? .plain : .keeping
    unsafe states[1] = .plain
  }

  /// The name of the message; nil if the invocation is not a message, or has no name yet.
  package var messageName: Selector? {
    guard interface.form == .method, isSet(1) else { return nil }
    // SAFETY: argument 1 of a method is a selector or null.
    let pointer = unsafe memory.argumentAddress(1).load(as: UnsafeRawPointer?.self)
    return unsafe pointer.flatMap { unsafe Selector.at($0) }
  }

  /// The receiver of the message; nil if the invocation is not a message, or has no receiver yet.
  package var messageReceiver: AnyObject? {
    guard interface.form == .method, isSet(0) else { return nil }
    guard interface.signature.arguments[0].encoding.kind == .object else {
      return try? argument(0, as: AnyObject?.self)
    }
    // SAFETY: argument 0 is an object or null, which whoever set it keeps alive.
    return unsafe memory.argumentAddress(0).load(as: UnsafeRawPointer?.self).map {
      unsafe Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Sets an argument that is a number to one of the same kind in memory.
  ///
  /// - Returns: False, and nothing is set, if the argument is no such number.
  ///
  /// ## Safety
  /// There must be a number of the kind at the address.
  @unsafe
  package func setNumber(_ index: Int, _ kind: ScalarKind, at address: UnsafeRawPointer) -> Bool {
    let number = interface.number(ofArgument: index)
    guard kind != .none, kind == number.kind, unsafe states[index] != .keeping else { return false }
    unsafe (memory.address + number.offset).copyMemory(from: address, byteCount: kind.byteCount)
    unsafe memory.plan.makeMoves(memory.address)
    unsafe states[index] = .plain
    return true
  }

  /// The result, if it is a number of the same kind as a Swift type.
  package func numberResult<Value>(as type: Value.Type) -> Value? {
    let kind = interface.resultNumber
    guard hasResult, kind != .none, ScalarKind(of: Value.self) == kind else { return nil }
    // SAFETY: the result is a number of this type.
    return unsafe memory.resultAddress.load(as: Value.self)
  }

  /// Takes over the result of a copy of this invocation.
  package func setResult(of copy: Invocation) {
    guard copy.hasResult, unsafe memory.copyResult(from: copy.memory) else { return }
    // The result may point into the copy, or into the last result.
    keptResult = [copy, keptResult].compactMap(\.self) as AnyObject
    hasResult = true
  }

  /// The objects that are retained for an argument.
  package func keptValues(_ index: Int) -> KeptValues {
    kept.indices.contains(index) ? kept[index] : KeptValues()
  }

  /// Sets the result, and replaces the one that a call left.
  ///
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`.
  @usableFromInline
  package func storeResult<Value>(_ value: Value) throws(InvocationError) {
    // SAFETY: the slot is valid during the closure.
    unsafe try setResult { slot, kept throws(InvocationError) in
      unsafe try slot.store(value, keeping: &kept)
    }
  }

  func setResult(
    _ store: (ValueSlot, inout KeptValues) throws(InvocationError) -> Void
  ) throws(InvocationError) {
    // SAFETY: the slot is in the invocation's memory.
    let slot = unsafe try memory.resultSlot()
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    // The new result may point into the old one.
    if let keptResult { kept.keep(keptResult) }
    keptResult = kept.owner
    hasResult = true
  }
}
