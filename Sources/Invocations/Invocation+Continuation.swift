internal import TypeEncodings

// SAFETY, for the whole file: the frame's image is valid while the frame lives, and the buffer is the
// invocation's own; both are laid out by the same interface.

extension Invocation {
  /// What lies below the level at which a call was taken out of its frame.
  package struct Continuation: Sendable {
    let receiver: CallReceiver
    let level: Int
  }

  /// Describes a call that is never made, to check values by.
  package convenience init(checking interface: CallInterface) { self.init(interface, target: nil) }

  /// Takes a call out of its frame, to go on later, on any thread.
  ///
  /// The block is kept, and so is what the arguments point to, as `retainArguments()` does it.
  ///
  /// - Parameter frame: The frame of a handler in the position `instead`.
  package convenience init(takenFrom frame: borrowing CallFrame) {
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

  /// Runs what lay below the frame that the call was taken out of, with the arguments as they are now.
  ///
  /// Hooks that were removed meanwhile are passed by. The result is kept with the invocation.
  package func proceed() {
    guard let continuation else { return }
    // A copy: handlers may change the arguments to what only the frame keeps.
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

  /// Gives up what lies below: the call will not go on.
  ///
  /// - Returns: What may hold the last reference to a handler; let go of it under no lock.
  package func takeContinuation() -> Continuation? { continuation.take() }

  /// What is kept for an argument.
  package func keptValues(_ index: Int) -> KeptValues? { kept[index] }

  /// Sets the result, in place of a call's or of none.
  ///
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`.
  @usableFromInline
  package func storeResult<Value>(_ value: Value) throws(InvocationError) {
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
    let slot = unsafe try buffer.resultSlot()
    var kept = KeptValues()
    unsafe try store(slot, &kept)
    // The new result may point into the old one.
    if let keptResult { kept.keep(keptResult) }
    keptResult = kept.owner
    hasResult = true
  }

}
