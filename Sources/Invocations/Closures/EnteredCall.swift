internal import CBlockRuntime.DeferredRelease
internal import CBlockRuntime.RunningCalls
internal import TypeEncodings

// SAFETY, for the whole file: an entry hands over an image that is valid for the call, laid out by
// the interface of its receiver; a receiver is valid while it is announced.

/// How the calls of an entry are run, by what they need.
enum EnteredCall {
  typealias Handler =
    @convention(c) (
      UnsafeMutablePointer<cbr_entry>, UnsafeMutableRawPointer
    ) -> UInt32

  /// The handler of an entry's calls.
  static func handler(_ plan: UnsafePointer<CallPlan>) -> Handler {
    if unsafe plan.pointee.needsCopy { return unsafe copying }
    // A registered thread has found out whether there is a barrier.
    _ = unsafe cbr_thread_current()
    return unsafe !cbr_running_needs_fence() && plan.pointee.plainCall != nil
      && !plan.pointee.returnsThroughMemory ? plain : general
  }

  /// Runs a plain call on the image that its entry saved.
  private static let plain: Handler = { entry, image in
    unsafe deliver(entry, isFenced: false) { receiver, thread, place in
      unsafe run(receiver, image, thread, place, isPlain: true)
    }
    return 0
  }

  /// Runs any call on the image that its entry saved.
  private static let general: Handler = { entry, image in
    var result: UInt32 = 0
    unsafe deliver(entry) { receiver, thread, place in
      unsafe result = receiver.plan.pointee.result
      return unsafe run(receiver, image, thread, place)
    }
    return result
  }

  /// Runs a call with records that registers do not hold in one piece, on a copy of its image.
  private static let copying: Handler = { entry, image in
    var result: UInt32 = 0
    unsafe deliver(entry) { receiver, thread, place in
      let plan = unsafe receiver.plan
      unsafe result = plan.pointee.result
      return unsafe withImage(plan.pointee.imageSize) { copy in
        unsafe copy.copyMemory(from: image, byteCount: CallPlan.registerBytes)
        unsafe (copy + CallPlan.stackOffset).copyMemory(
          from: image + CallPlan.stackOffset, byteCount: Int(plan.pointee.stackBytes))
        unsafe plan.pointee.gather(copy)
        let owner = unsafe run(receiver, copy, thread, place)
        unsafe (image + CallPlan.registerBytes).copyMemory(
          from: copy + CallPlan.registerBytes, byteCount: CallPlan.resultBytes)
        return owner
      }
    }
    return result
  }

  /// Runs a call that came in through libffi.
  static func foreign(
    _ entry: UnsafeMutableRawPointer, _ result: UnsafeMutableRawPointer,
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    unsafe deliver(entry.assumingMemoryBound(to: cbr_entry.self)) { receiver, thread, place in
      let (interface, plan) = unsafe (receiver.interface, receiver.plan)
      return unsafe withImage(plan.pointee.imageSize) { image in
        for (position, index) in interface.foreign.passedArguments.enumerated() {
          guard let argument = unsafe arguments?[position] else { continue }
          unsafe (image + plan.offset(of: index)).copyMemory(
            from: argument, byteCount: interface.argumentLayouts[index].size)
        }
        if unsafe plan.pointee.returnsThroughMemory {
          unsafe image.storeBytes(of: result, as: UnsafeMutableRawPointer.self)
        }
        let owner = unsafe run(receiver, image, thread, place)
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
  private static func deliver(
    _ entry: UnsafeMutablePointer<cbr_entry>, isFenced: Bool = cbr_running_needs_fence(),
    _ body: (
      CallReceiver, UnsafeMutablePointer<cbr_thread>, UnsafeMutablePointer<cbr_running>
    ) -> AnyObject?
  ) {
    let thread = unsafe cbr_thread_current()
    let place = unsafe cbr_running_place(thread)
    let address = unsafe cbr_running_begin_receiver(place, entry, isFenced)
    let owner = unsafe Unmanaged<CallReceiver>.fromOpaque(address)._withUnsafeGuaranteedRef {
      unsafe body($0, thread, place)
    }
    if unsafe cbr_running_end_call(thread, place, isFenced) { RunningCalls.callEnded() }
    // Last: whatever the call gives up may return objects of its own when it ends.
    if let owner { unsafe cbr_release_later(Unmanaged.passRetained(owner).toOpaque()) }
  }

  /// Runs a call on an image.
  ///
  /// - Returns: What keeps what the result points to.
  @inline(__always)
  private static func run(
    _ receiver: CallReceiver, _ image: UnsafeMutableRawPointer,
    _ thread: UnsafeMutablePointer<cbr_thread>, _ place: UnsafeMutablePointer<cbr_running>,
    isPlain: Bool = false
  ) -> AnyObject? {
    var frame = unsafe CallFrame(receiver, image, thread)
    if let first = unsafe receiver.first {
      let isDone = unsafe first._withUnsafeGuaranteedRef { $0.run(&frame) }
      if !isDone { unsafe passOver(receiver, &frame, place) }
    } else {
      receiver.proceed(&frame, below: 0)
    }
    return isPlain && frame.isPlain ? nil : frame.finish()
  }

  /// Goes on without the first handler, which threw before it proceeded and is not running any more.
  @inline(never)
  private static func passOver(
    _ receiver: CallReceiver, _ frame: inout CallFrame,
    _ place: UnsafeMutablePointer<cbr_running>
  ) {
    guard unsafe receiver.target.pointee.level != nil else { return }
    let address = unsafe Unmanaged.passUnretained(receiver).toOpaque()
    if unsafe cbr_running_keep_only(frame.thread, place, address) { RunningCalls.callEnded() }
    receiver.proceed(&frame, below: 1)
  }

  /// Runs `body` with zeroed memory for an image.
  private static func withImage(
    _ size: Int, _ body: (UnsafeMutableRawPointer) -> AnyObject?
  ) -> AnyObject? {
    unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { memory in
      guard let image = memory.baseAddress else { return nil }
      unsafe image.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      return unsafe body(image)
    }
  }
}
