private import CInvocations.DeferredRelease
private import CInvocations.OpaqueCalls
private import Glibc

/// A variadic call that has gone on to its original: it owns the objects that the arguments refer
/// to, and the handlers that run afterwards.
@safe
final class CallThatGoesOn {
  // SAFETY: `memory` and `place` are initialised in `init`, and freed in `deinit`; the memory has
  // room for the registers and the arguments that the receiver's signature lists.
  private let receiver: CallReceiver
  private let keeper: FrameKeeper
  private let memory: UnsafeMutableRawPointer
  private let place: UnsafeMutablePointer<cbr_opaque>

  /// Makes the code that a call enters, with the entry that the code finds; the entry's own
  /// functions release it.
  ///
  /// ## Safety
  /// The memory must be that of a call of the receiver.
  @unsafe
  static func entry(
    _ receiver: CallReceiver, _ memory: CallMemory, _ keeper: FrameKeeper
  ) -> (code: UnsafeRawPointer?, UnsafeRawPointer) {
    let call = unsafe CallThatGoesOn(receiver, memory, keeper)
    return unsafe (
      cbr_opaque_code(), UnsafeRawPointer(Unmanaged.passRetained(call).takeUnretainedValue().place)
    )
  }

  private init(_ receiver: CallReceiver, _ called: CallMemory, _ keeper: FrameKeeper) {
    self.receiver = receiver
    self.keeper = keeper
    let plan = unsafe receiver.plan
    unsafe memory = .allocate(byteCount: plan.pointee.memorySize, alignment: 16)
    unsafe memory.copyMemory(
      from: called.address,
      byteCount: CallPlan.stackOffset(vectorBytes: 0) + Int(plan.pointee.stackBytes))
    unsafe place = .allocate(capacity: 1)
    unsafe place.initialize(
      to: cbr_opaque(
        code: receiver.target.pointee.code, original: receiver.target.pointee.code,
        context: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        begin: { _, _ in },
        end: { context, _, saved in
          let call = unsafe Unmanaged<CallThatGoesOn>.fromOpaque(context)
          let error = unsafe call._withUnsafeGuaranteedRef { unsafe $0.end(saved) }
          unsafe call.release()
          errno = error
        },
        abandon: { context, _ in unsafe Unmanaged<CallThatGoesOn>.fromOpaque(context).release() },
        is_of_one_call: true))
  }

  deinit {
    unsafe memory.deallocate()
    unsafe place.deallocate()
  }

  /// Runs the handlers, which find the result that the original left in registers.
  ///
  /// A result may point into texts that handlers have set: they live on as those of other calls do.
  ///
  /// - Returns: The `errno` that the caller finds.
  private func end(_ saved: UnsafeMutableRawPointer) -> Int32 {
    let handlers = keeper.afterwards
    keeper.afterwards = []
    guard unsafe !handlers.isEmpty || receiver.plan.pointee.mayReturnPointer else { return errno }
    unsafe cbr_opaque_copy_result(saved, memory, true)
    var frame = unsafe CallFrame(receiver, after: memory, keeper)
    for handler in handlers { handler(&frame) }
    let error = errno
    let owner = frame.finish()
    unsafe cbr_opaque_copy_result(saved, memory, false)
    if let owner { unsafe cbr_release_later(Unmanaged.passRetained(owner).toOpaque()) }
    return error
  }
}
