internal import CBlockRuntime.DeferredRelease
internal import CBlockRuntime.RunningCalls
internal import TypeEncodings

// SAFETY, for the whole file: an entry hands over an image that is valid for the call, laid out by
// the interface of its receiver; a receiver is valid while it is announced.

/// Runs a call on the image that its entry saved.
///
/// - Returns: How the result travels.
let enter: @convention(c) (UnsafeMutablePointer<cbr_entry>?, UnsafeMutableRawPointer?) -> UInt32 = {
  entry, image in
  guard let entry = unsafe entry, let image = unsafe image else { return 0 }
  var result: UInt32 = 0
  unsafe deliver(entry) { receiver, thread in
    unsafe result = receiver.plan.pointee.result
    return unsafe run(receiver, image, thread)
  }
  return result
}

/// The same for signatures with records that registers do not hold in one piece.
let enterCopying:
  @convention(c) (UnsafeMutablePointer<cbr_entry>?, UnsafeMutableRawPointer?) -> UInt32 = {
    entry, image in
    guard let entry = unsafe entry, let image = unsafe image else { return 0 }
    var result: UInt32 = 0
    unsafe deliver(entry) { receiver, thread in
      unsafe result = receiver.plan.pointee.result
      return unsafe withImage(receiver.plan.pointee.imageSize) { copy in
        let plan = unsafe receiver.plan
        unsafe copy.copyMemory(from: image, byteCount: CallPlan.registerBytes)
        unsafe (copy + CallPlan.stackOffset).copyMemory(
          from: image + CallPlan.stackOffset, byteCount: Int(plan.pointee.stackBytes))
        unsafe plan.pointee.gather(copy)
        let owner = unsafe run(receiver, copy, thread)
        unsafe (image + CallPlan.registerBytes).copyMemory(
          from: copy + CallPlan.registerBytes, byteCount: CallPlan.resultBytes)
        return owner
      }
    }
    return result
  }

/// Runs a call that came in through libffi.
func enterForeign(
  _ entry: UnsafeMutableRawPointer, _ result: UnsafeMutableRawPointer,
  _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) {
  unsafe deliver(entry.assumingMemoryBound(to: cbr_entry.self)) { receiver, thread in
    let (interface, plan) = unsafe (receiver.interface, receiver.plan)
    return unsafe withImage(plan.pointee.imageSize) { image in
      for (place, index) in interface.foreign.passedArguments.enumerated() {
        guard let argument = unsafe arguments?[place] else { continue }
        unsafe (image + Int(plan.pointee.places[index].offset)).copyMemory(
          from: argument, byteCount: interface.argumentLayouts[index].size)
      }
      if unsafe plan.pointee.returnsThroughMemory {
        unsafe image.storeBytes(of: result, as: UnsafeMutableRawPointer.self)
      }
      let owner = unsafe run(receiver, image, thread)
      if unsafe !plan.pointee.returnsThroughMemory, let layout = interface.resultLayout {
        unsafe result.copyMemory(
          from: plan.pointee.resultAddress(image), byteCount: layout.size)
      }
      return owner
    }
  }
}

/// Gives a call to the receiver of the moment, which is announced for its duration.
@inline(__always)
private func deliver(
  _ entry: UnsafeMutablePointer<cbr_entry>,
  _ body: (CallReceiver, UnsafeMutablePointer<cbr_thread>) -> AnyObject?
) {
  guard let thread = unsafe cbr_thread_current(), let place = unsafe cbr_running_place(thread),
    let address = unsafe cbr_running_begin_receiver(place, entry)
  else { return }
  let owner = unsafe Unmanaged<CallReceiver>.fromOpaque(address)._withUnsafeGuaranteedRef {
    unsafe body($0, thread)
  }
  if unsafe cbr_running_end(thread, place) { RunningCalls.callEnded() }
  // Last: whatever the call gives up may return objects of its own when it ends.
  if let owner { unsafe cbr_release_later(Unmanaged.passRetained(owner).toOpaque()) }
}

/// Runs a call on an image.
///
/// - Returns: What keeps what the result points to.
@inline(__always)
private func run(
  _ receiver: CallReceiver, _ image: UnsafeMutableRawPointer,
  _ thread: UnsafeMutablePointer<cbr_thread>
) -> AnyObject? {
  var frame = unsafe CallFrame(receiver, image, thread)
  unsafe _withUnprotectedUnsafeMutablePointer(to: &frame) { frame in
    unsafe receiver.run(receiver.state, frame, 0)
  }
  return frame.finish()
}

/// Runs `body` with zeroed memory for an image.
private func withImage(
  _ size: Int, _ body: (UnsafeMutableRawPointer) -> AnyObject?
) -> AnyObject? {
  unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { memory in
    guard let image = memory.baseAddress else { return nil }
    unsafe image.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    return unsafe body(image)
  }
}
