internal import TypeEncodings

extension Invocation {
  /// The levels of a call, and its original, that remain to run after it was taken out of its
  /// frame.
  package struct Continuation: Sendable {
    let receiver: CallReceiver
    let level: Int
  }

  /// Describes a call that is never made, so that values can be checked.
  package convenience init(checking interface: CallInterface) { self.init(interface, target: nil) }

  /// Takes a call out of its frame, so that it can continue later, on any thread.
  ///
  /// The invocation retains the block and the arguments, as `retainArguments()` does.
  ///
  /// - Parameter frame: The frame of a handler in the position `instead`.
  package convenience init(takenFrom frame: borrowing CallFrame) {
    // SAFETY: the frame's image is valid during this initialiser, and both images have the layout
    // of the same interface; the invocation has a state for each argument.
    let values = unsafe frame.values
    self.init(unsafe values.interface, target: nil)
    for index in 0..<interface.argumentCount {
      guard let own = unsafe try? buffer.slot(index) else { continue }
      unsafe own.address.copyMemory(
        from: values.image + plan.offset(of: index), byteCount: own.layout.size)
      unsafe states[index] = .plain
    }
    continuation = unsafe Continuation(
      receiver: values.receiver.takeUnretainedValue(), level: frame.activation.level)
    retainArguments()
    unsafe plan.pointee.makeMoves(image)
  }

  /// Continues the call inside the handler that took it out of its frame, with the current
  /// arguments.
  ///
  /// Hooks that were removed meanwhile are skipped. The result becomes the invocation's.
  package func proceed() {
    guard let continuation else { return }
    // The call runs on a copy, because handlers may set arguments to objects that only the frame
    // retains.
    // SAFETY: the continuation retains the receiver, whose interface is the invocation's; both
    // slots have the layout of its result.
    let own = unsafe CallImage(interface)
    unsafe own.copyArguments(from: buffer)
    var frame = unsafe CallFrame(continuation.receiver.target, own.memory)
    frame.activation = CallFrame.Activation(position: .instead, level: continuation.level)
    continuation.receiver.proceed(&frame, below: continuation.level)
    let hasResult = frame.hasResult
    keptResult = frame.finish()
    guard hasResult, let from = unsafe try? own.resultSlot(),
      let to = unsafe try? buffer.resultSlot()
    else { return }
    unsafe to.address.copyMemory(from: from.address, byteCount: to.layout.size)
    self.hasResult = true
  }

  /// Removes the continuation, so that the call cannot continue.
  ///
  /// - Returns: The continuation, which may hold the last reference to a handler: release it under
  ///   no lock.
  package func takeContinuation() -> Continuation? { continuation.take() }

  /// The objects that are retained for an argument.
  package func keptValues(_ index: Int) -> KeptValues? { kept[index] }

  /// Sets the result, or replaces a call's.
  ///
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`.
  @usableFromInline
  package func storeResult<Value>(_ value: Value) throws(InvocationError) {
    // SAFETY: the slot is valid during the closure.
    unsafe try setResult { slot, kept throws(InvocationError) in
      unsafe try slot.store(value, keeping: &kept)
    }
  }

  /// Sets the result to a value described at run time.
  ///
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  package func storeResult(value: CValue) throws(InvocationError) {
    unsafe try setResult { slot, kept throws(InvocationError) in
      unsafe try slot.store(value: value, keeping: &kept)
    }
  }

  private func setResult(
    _ store: (ValueSlot, inout KeptValues) throws(InvocationError) -> Void
  ) throws(InvocationError) {
    // SAFETY: the slot is in the invocation's buffer.
    let slot = unsafe try buffer.resultSlot()
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    // The new result may point into the old one.
    if let keptResult { kept.keep(keptResult) }
    keptResult = kept.owner
    hasResult = true
  }

}
