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
    // SAFETY: the frame's memory is valid during this initialiser, and both have the
    // layout of the same interface; the invocation has a state for each argument.
    self.init(frame.interface, target: nil)
    for index in 0..<interface.argumentCount {
      guard let from = unsafe try? frame.argumentSlot(index),
        let own = unsafe try? memory.argumentSlot(index)
      else { continue }
      unsafe own.address.copyMemory(from: from.address, byteCount: own.layout.size)
      unsafe states[index] = .plain
    }
    let receiver = unsafe frame.receiver.takeUnretainedValue()
    continuation = Continuation(receiver: receiver, level: frame.activation.level)
    types = receiver.closure?.types
    retainArguments()
    unsafe memory.plan.makeMoves(memory.address)
  }

  /// Runs the levels inside the handler that took the call out of its frame, and the original, with
  /// the current arguments, on this thread.
  ///
  /// Hooks that were removed meanwhile are skipped. The result, or what a method throws, becomes
  /// the invocation's.
  package func proceed() {
    guard let continuation else { return }
    // The call runs on a copy, because handlers may set arguments to objects that only the frame
    // retains.
    // SAFETY: the continuation retains the receiver, whose interface is the invocation's; both
    // slots have the layout of its result.
    let own = unsafe CallMemory.allocate(interface)
    defer { unsafe own.deallocate() }
    unsafe own.copyArguments(from: memory)
    var frame = unsafe CallFrame(
      continuation.receiver.target, own.address, hazardEnd: nil)
    frame.activation = CallFrame.Activation(position: .instead, level: continuation.level)
    frame.proceed(inside: continuation.level)
    let hasResult = frame.hasResult
    thrown = frame.takeError()
    keptResult = frame.finish()
    withExtendedLifetime(continuation) {}
    if hasResult, unsafe memory.copyResult(from: own) { self.hasResult = true }
  }

  /// Removes the continuation, so that the call cannot continue.
  ///
  /// - Returns: The continuation, which may hold the last reference to a handler: release it under
  ///   no lock.
  package func takeContinuation() -> Continuation? { continuation.take() }
}
