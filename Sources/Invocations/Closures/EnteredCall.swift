internal import CInvocations.DeferredRelease
internal import CInvocations.HazardPointers
private import Glibc
internal import TypeEncodings

// SAFETY, for the whole file: an entry hands over an image that is valid for the call, laid out by
// the interface of its receiver; a receiver is valid while it is protected.

/// How the calls of an entry are run, by what they need.
package enum EnteredCall {
  typealias Handler =
    @convention(c) (
      UnsafeMutablePointer<cbr_entry>, UnsafeMutableRawPointer
    ) -> UInt32

  /// The handler of an entry's calls.
  static func handler(_ plan: UnsafePointer<CallPlan>) -> Handler {
    _ = assemblyIsPrepared
    return unsafe plan.pointee.needsCopy ? copying : general
  }

  /// Whether the calls of a plan may go on in assembly.
  static func isNarrow(_ plan: UnsafePointer<CallPlan>) -> Bool {
    unsafe plan.pointee.isNarrow && assemblyIsUsed
  }

  /// Whether assembly runs the handlers of narrow calls; else all calls take the general way.
  ///
  /// It does if stores of hazard pointers are plain, and if this compiler lays out frames and targets as
  /// the assembly expects. The environment variable `BLOCKRUNTIME_CALLS=general` refuses it.
  package static let assemblyIsUsed: Bool = {
    // SAFETY: the variable's value is a C string; it is read once, and not kept.
    if let value = unsafe getenv("BLOCKRUNTIME_CALLS"), unsafe strcmp(value, "general") == 0 {
      return false
    }
    return cbr_hazards_can_be_plain() && (try? agreesWithAssembly) == true
  }()

  /// Lets the end of a thread, and of calls that `longjmp` has left, find who awaits it.
  static func prepare() { _ = assemblyIsPrepared }

  /// What the assembly leaves to Swift is known to it from then on.
  private static let assemblyIsPrepared: Bool = {
    unsafe cbr_set_entered_call(
      cbr_entered_call(
        fail: { frame, error, hazard in
          let frame = unsafe frame.assumingMemoryBound(to: CallFrame.self)
          var error: UnsafeMutableRawPointer? = unsafe error
          unsafe withUnsafeMutableBytes(of: &error) { bytes in
            guard let address = bytes.baseAddress else { return }
            // An error in Swift is one reference, handed over here.
            let thrown = unsafe address.assumingMemoryBound(to: (any Error).self).move()
            let receiver = unsafe frame.pointee.values.receiver
            unsafe receiver._withUnsafeGuaranteedRef { receiver in
              receiver.first.receive(thrown)
              guard unsafe frame.pointee.proceedCount == 0 else { return }
              unsafe passOver(
                receiver, &frame.pointee, hazard.assumingMemoryBound(to: cbr_hazard.self))
            }
          }
        },
        finish: { frame in
          unsafe frame.assumingMemoryBound(to: CallFrame.self).pointee.finish().map {
            unsafe Unmanaged.passRetained($0).toOpaque()
          }
        },
        ended: { unsafe HazardPointers.cleared($0) }))
    return true
  }()

  /// Runs any call on the image that its entry saved.
  private static let general: Handler = { entry, image in
    var result: UInt32 = 0
    unsafe deliver(entry) { receiver, hazard in
      unsafe result = receiver.plan.pointee.result
      return unsafe run(receiver, image, hazard)
    }
    return result
  }

  /// Runs a call with records that registers do not hold in one piece, on a copy of its image.
  private static let copying: Handler = { entry, image in
    var result: UInt32 = 0
    unsafe deliver(entry) { receiver, hazard in
      let plan = unsafe receiver.plan
      unsafe result = plan.pointee.result
      return unsafe withImage(plan.pointee.imageSize) { copy in
        unsafe copy.copyMemory(from: image, byteCount: CallPlan.registerBytes)
        unsafe (copy + CallPlan.stackOffset).copyMemory(
          from: image + CallPlan.stackOffset, byteCount: Int(plan.pointee.stackBytes))
        unsafe plan.pointee.gather(copy)
        let owner = unsafe run(receiver, copy, hazard)
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
    unsafe deliver(entry.assumingMemoryBound(to: cbr_entry.self)) { receiver, hazard in
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
        let owner = unsafe run(receiver, image, hazard)
        if unsafe !plan.pointee.returnsThroughMemory, let layout = interface.resultLayout {
          unsafe result.copyMemory(
            from: plan.pointee.resultAddress(image), byteCount: layout.size)
        }
        return owner
      }
    }
  }

  /// Gives a call to the receiver of the moment, which is protected for its duration.
  @inline(__always)
  private static func deliver(
    _ entry: UnsafeMutablePointer<cbr_entry>,
    _ body: (CallReceiver, UnsafeMutablePointer<cbr_hazard>) -> AnyObject?
  ) {
    let hazard = unsafe cbr_hazard_protect_loaded(cbr_entry_receiver(entry))
    guard let address = unsafe cbr_hazard_protected(hazard) else {
      _ = unsafe cbr_hazard_clear(hazard)
      return
    }
    let target = unsafe address.assumingMemoryBound(to: CallTarget.self)
    let receiver = unsafe target.pointee.receiver.unsafelyUnwrapped
    let owner = unsafe receiver._withUnsafeGuaranteedRef { unsafe body($0, hazard) }
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    // Last: whatever the call gives up may return objects of its own when it ends.
    if let owner { unsafe cbr_release_later(Unmanaged.passRetained(owner).toOpaque()) }
  }

  /// Runs a call on an image.
  ///
  /// - Returns: What keeps what the result points to.
  @inline(__always)
  private static func run(
    _ receiver: CallReceiver, _ image: UnsafeMutableRawPointer,
    _ hazard: UnsafeMutablePointer<cbr_hazard>
  ) -> AnyObject? {
    var frame = unsafe CallFrame(receiver.target, image)
    if !receiver.first.run(&frame) { unsafe passOver(receiver, &frame, hazard) }
    return frame.finish()
  }

  /// Goes on without the first handler, which threw before it proceeded and is not running any more.
  @inline(never)
  private static func passOver(
    _ receiver: CallReceiver, _ frame: inout CallFrame,
    _ hazard: UnsafeMutablePointer<cbr_hazard>
  ) {
    guard unsafe receiver.target.pointee.level != nil else { return }
    if unsafe cbr_hazard_protect_only(hazard, receiver.address) {
      unsafe HazardPointers.cleared(hazard)
    }
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
