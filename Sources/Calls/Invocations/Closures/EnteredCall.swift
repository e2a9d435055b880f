private import CInvocations.CallMemory
internal import CInvocations.DeferredRelease
internal import CInvocations.HazardPointers
private import Glibc
internal import TypeEncodings

/// Runs the calls that enter through an entry.
package enum EnteredCall {
  // SAFETY: an entry's code calls `run` with the entry and with the call's memory, which is
  // valid during the call and laid out by the plan of the entry's interface, which all its
  // receivers have.

  typealias Run =
    @convention(c) (
      UnsafeMutablePointer<cbr_entry>, UnsafeMutableRawPointer
    ) -> UInt32

  /// The function that runs an entry's calls.
  static func run(_ plan: UnsafePointer<CallPlan>) -> Run {
    _ = assemblyIsPrepared
    // SAFETY: the plan is that of the entry's interface.
    if unsafe plan.pointee.isVariadic { return unsafe variadic }
    return unsafe plan.pointee.needsCopy ? copying : general
  }

  // SAFETY: the plan is that of the entry's interface.
  /// Whether assembly runs the calls of a plan, where the first level is one handler.
  static func isNarrow(_ plan: UnsafePointer<CallPlan>) -> Bool {
    unsafe plan.pointee.isNarrow && assemblyIsUsed
  }

  /// Whether assembly runs the handlers of narrow calls; otherwise `general` runs all calls.
  ///
  /// It does if stores of hazard pointers are plain, and if this compiler lays out frames and
  /// targets as the assembly expects. The environment variable `BLOCKRUNTIME_CALLS=general`
  /// prevents it.
  package static let assemblyIsUsed: Bool = {
    // SAFETY: the value is a C string, which stays valid while nothing changes the environment; it
    // is only read here, once per process.
    if let value = unsafe getenv("BLOCKRUNTIME_CALLS"), unsafe strcmp(value, "general") == 0 {
      return false
    }
    return cbr_hazards_can_be_plain() && (try? agreesWithAssembly) == true
  }()

  /// Makes the ends of threads, and of calls that `longjmp` has left, notify waiting threads.
  static func prepare() { _ = assemblyIsPrepared }

  /// Registers the Swift functions that the assembly calls.
  private static let assemblyIsPrepared: Bool = {
    // SAFETY: the assembly passes a frame of the call in progress, whose receiver the hazard
    // pointer protects, and hands over the reference to an error.
    unsafe cbr_set_entered_call(
      cbr_entered_call(
        fail: { frame, error, hazard in
          let frame = unsafe frame.assumingMemoryBound(to: CallFrame.self)
          var error: UnsafeMutableRawPointer? = unsafe error
          unsafe withUnsafeMutableBytes(of: &error) { bytes in
            guard let address = bytes.baseAddress else { return }
            // An error in Swift is one reference, which `move()` takes over.
            let thrown = unsafe address.assumingMemoryBound(to: (any Error).self).move()
            let receiver = unsafe frame.pointee.receiver
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

  /// Runs any call with the memory that its entry saved.
  private static let general: Run = { entry, memory in
    var result: UInt32 = 0
    // SAFETY: the memory is the entry's, laid out by the receiver's plan.
    unsafe deliver(entry) { receiver, hazard in
      unsafe result = receiver.plan.pointee.result
      return unsafe run(receiver, memory, hazard)
    }
    return result
  }

  /// Runs a call with records that registers do not hold in one piece, with a copy of its memory.
  private static let copying: Run = { entry, memory in
    var result: UInt32 = 0
    // SAFETY: the plan has the sizes: the copy has room for the registers, the stack
    // arguments and the pieces of records.
    unsafe deliver(entry) { receiver, hazard in
      let plan = unsafe receiver.plan
      unsafe result = plan.pointee.result
      return unsafe withMemory(plan.pointee.memorySize) { copy in
        let stack = unsafe CallPlan.stackOffset(vectorBytes: plan.pointee.vectorBytes)
        // Vector registers are behind the results, which are copied with them.
        let registers = unsafe plan.pointee.vectorBytes > 0 ? stack - 16 : CallPlan.registerBytes
        unsafe copy.copyMemory(from: memory, byteCount: registers)
        unsafe (copy + stack).copyMemory(
          from: memory + stack, byteCount: Int(plan.pointee.stackBytes))
        unsafe plan.gather(copy)
        let owner = unsafe run(receiver, copy, hazard)
        unsafe (memory + CallPlan.registerBytes).copyMemory(
          from: copy + CallPlan.registerBytes, byteCount: CallPlan.resultBytes)
        return owner
      }
    }
    return result
  }

  /// Runs a variadic call, which may go on as it is when its handlers have returned.
  private static let variadic: Run = { entry, memory in
    var result: UInt32 = 0
    // SAFETY: as above; the registers that say where the call goes on are those of its result.
    unsafe deliver(entry) { receiver, hazard in
      var frame = unsafe CallFrame(
        receiver.target, memory, hazardEnd: UnsafeMutableRawPointer(hazard + 1))
      if !receiver.first.run(&frame) { unsafe passOver(receiver, &frame, hazard) }
      guard frame.goesOn else {
        unsafe result = receiver.plan.pointee.result
        return frame.finish()
      }
      result = UInt32(CBR_RESULT_JUMP)
      frame.goOn()
      return nil
    }
    return result
  }

  /// Runs a call that entered through libffi.
  static func foreign(
    _ entry: UnsafeMutableRawPointer, _ result: UnsafeMutableRawPointer,
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    // SAFETY: the closure's context is the entry. libffi passes the address of each passed
    // argument, and of memory for the result. The call's memory has room for them by the plan.
    unsafe deliver(entry.assumingMemoryBound(to: cbr_entry.self)) { receiver, hazard in
      let (interface, plan) = unsafe (receiver.interface, receiver.plan)
      return unsafe withMemory(plan.pointee.memorySize) { memory in
        // By index: iterators of sequences allocate unless they are optimised, and a signal's
        // handler may make this call.
        let passed = interface.foreign?.passedArguments ?? []
        for position in passed.indices {
          guard let index = passed[position], let argument = unsafe arguments?[position]
          else { continue }
          unsafe (memory + plan.offset(of: index)).copyMemory(
            from: argument, byteCount: interface.argumentLayouts[index].size)
        }
        if unsafe plan.pointee.returnsThroughMemory {
          unsafe (memory + CallPlan.resultAddressOffset).storeBytes(
            of: result, as: UnsafeMutableRawPointer.self)
        }
        let owner = unsafe run(receiver, memory, hazard)
        if unsafe !plan.pointee.returnsThroughMemory, let layout = interface.resultLayout {
          unsafe result.copyMemory(
            from: plan.pointee.resultAddress(memory), byteCount: layout.size)
        }
        return owner
      }
    }
  }

  /// Runs a call by the entry's current receiver, which a hazard pointer protects during the call.
  @inline(__always)
  private static func deliver(
    _ entry: UnsafeMutablePointer<cbr_entry>,
    _ body: (CallReceiver, UnsafeMutablePointer<cbr_hazard>) -> AnyObject?
  ) {
    // SAFETY: a call has entered through the entry, so it is valid. Its receiver is the address of
    // a `CallTarget`; the target and its receiver live at least until the hazard pointer is
    // cleared.
    let hazard = unsafe cbr_hazard_protect_receiver(entry)
    guard
      let receiver = unsafe cbr_hazard_protected(hazard)?
        .assumingMemoryBound(to: CallTarget.self).pointee.receiver
    else {
      _ = unsafe cbr_hazard_clear(hazard)
      return
    }
    let owner = unsafe receiver._withUnsafeGuaranteedRef { unsafe body($0, hazard) }
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    // This is last, because objects that the call releases may run calls that defer releases too.
    if let owner { unsafe cbr_release_later(Unmanaged.passRetained(owner).toOpaque()) }
  }

  /// Runs a call that this thread makes without an entry's code, under a hazard pointer that
  /// protects an owner of the entry.
  ///
  /// - Parameters:
  ///   - place: The place of the entry's receiver.
  ///   - memory: The arguments, which are numbers, and so is the result.
  ///   - hazard: The hazard pointer, which protects the receiver afterwards.
  @inline(__always)
  static func run(
    _ place: UnsafePointer<UnsafeRawPointer?>, _ memory: CallMemory,
    _ hazard: UnsafeMutablePointer<cbr_hazard>
  ) {
    // SAFETY: as in `deliver`; what the result points to needs no owner, because it is a number.
    guard let address = unsafe cbr_hazard_run_loaded(hazard, place) else { return }
    let target = unsafe address.assumingMemoryBound(to: CallTarget.self)
    unsafe target.pointee.receiver.unsafelyUnwrapped._withUnsafeGuaranteedRef { receiver in
      var frame = unsafe CallFrame(target, memory, hazardEnd: UnsafeMutableRawPointer(hazard + 1))
      if !receiver.first.run(&frame) { unsafe passOver(receiver, &frame, hazard) }
      if unsafe !frame.outcome.isPlain { _ = frame.finish() }
    }
  }

  // SAFETY: the receiver is protected, and the memory is laid out by its plan.
  /// Runs a call with its arguments in memory.
  ///
  /// - Returns: The object that owns what the result points to, if there is one.
  @inline(__always)
  private static func run(
    _ receiver: CallReceiver, _ memory: UnsafeMutableRawPointer,
    _ hazard: UnsafeMutablePointer<cbr_hazard>
  ) -> AnyObject? {
    var frame = unsafe CallFrame(
      receiver.target, memory, hazardEnd: UnsafeMutableRawPointer(hazard + 1))
    if !receiver.first.run(&frame) { unsafe passOver(receiver, &frame, hazard) }
    // Most calls have a result that is in its place, and nothing else.
    if unsafe frame.outcome.isPlain && !receiver.plan.pointee.returnsThroughMemory { return nil }
    return frame.finish()
  }

  /// Continues a call without its first handler, which threw before it proceeded.
  ///
  /// The hazard pointer then says that the handler is not running any more.
  @inline(never)
  private static func passOver(
    _ receiver: CallReceiver, _ frame: inout CallFrame,
    _ hazard: UnsafeMutablePointer<cbr_hazard>
  ) {
    // SAFETY: the hazard pointer is that of this call, and protects the receiver.
    guard unsafe receiver.target.pointee.hasOriginal else { return }
    if unsafe cbr_hazard_protect_only(hazard) {
      unsafe HazardPointers.cleared(hazard)
    }
    frame.proceed(inside: 1)
  }

  /// Runs `body` with zeroed memory of a size.
  private static func withMemory(
    _ size: Int, _ body: (UnsafeMutableRawPointer) -> AnyObject?
  ) -> AnyObject? {
    // SAFETY: the memory has `size` bytes, and is valid during the closure.
    unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { bytes in
      guard let memory = bytes.baseAddress else { return nil }
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      return unsafe body(memory)
    }
  }
}

extension EnteredCall {
  /// Whether Swift's layouts of targets and frames are those that the assembly uses
  /// (CBRCallEntry.h).
  package static var agreesWithAssembly: Bool {
    get throws {
      // SAFETY: only offsets are read.
      let target = unsafe [
        MemoryLayout<CallTarget>.offset(of: \.body): CBR_TARGET_BODY,
        MemoryLayout<CallTarget>.offset(of: \.context): CBR_TARGET_CONTEXT,
        MemoryLayout<CallTarget>.offset(of: \.firstActivation): CBR_TARGET_ACTIVATION,
        MemoryLayout<CallTarget>.offset(of: \.plan): CBR_TARGET_PLAN,
        MemoryLayout<CallTarget>.offset(of: \.replacement): CBR_TARGET_REPLACEMENT,
      ]
      let receiver = try CallReceiver(
        CallInterface.of("v"), hiddenArgumentCount: 0,
        first: CallHandler(onError: reportHandlerError) { _ in })
      // SAFETY: the frame is only inspected, as memory that is valid during the closure.
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 16)
      defer { unsafe memory.deallocate() }
      var frame = unsafe CallFrame(receiver.target, memory, hazardEnd: memory)
      unsafe frame.outcome.setHasResult()
      let isFrameRight = unsafe withUnsafeBytes(of: &frame) { bytes in
        func word(_ offset: Int32) -> UInt {
          unsafe bytes.load(fromByteOffset: Int(offset), as: UInt.self)
        }
        return unsafe bytes.count <= Int(CBR_FRAME_SIZE)
          && bytes[Int(CBR_FRAME_OUTCOME)] == UInt8(CBR_OUTCOME_RESULT)
          && word(CBR_FRAME_MEMORY) == UInt(bitPattern: memory)
          && word(CBR_FRAME_PLAN) == UInt(bitPattern: receiver.plan)
          && word(CBR_FRAME_TARGET) == UInt(bitPattern: receiver.target)
          && word(CBR_FRAME_HAZARD_END) == UInt(bitPattern: memory)
          && bytes.load(fromByteOffset: Int(CBR_FRAME_ACTIVATION), as: UInt32.self)
            == receiver.target.pointee.firstActivation.tag
      }
      return isFrameRight && target.allSatisfy { $0.key == Int($0.value) }
    }
  }
}
