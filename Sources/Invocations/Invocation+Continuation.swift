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

  /// Runs the levels inside the handler that took the call out of its frame, and the original, with
  /// the current arguments, on this thread.
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
}
