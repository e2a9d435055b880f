internal import CInvocations.HazardPointers
internal import Invocations

/// How a call runs the handlers of a chain: by segments of steps.
extension HookChain {
  // SAFETY: each step is one of the chain, and the end of its segment follows it.

  /// Runs the hooks from the given level on, and inside of them the original.
  @inline(__always)
  func runLevels(_ frame: inout CallFrame, from level: Int) {
    // SAFETY: segments begin at level 0, and at all levels to which handlers proceed.
    unsafe runSegment(&frame, from: steps.segment(at: level))
  }

  /// Runs the rest of a segment, and inside of it the inner levels.
  ///
  /// This call is on the stack while the original runs; those of `runSteps`, which run handlers,
  /// are not, which saves stack where a block calls itself.
  @inline(__always)
  private func runSegment(_ frame: inout CallFrame, from first: UnsafePointer<HookStep>) {
    var step = unsafe first
    if unsafe step.pointee.activation.isBefore { unsafe step = runSteps(&frame, step) }
    if unsafe step.pointee.activation.isInstead {
      if unsafe !runHandler(&frame, of: step) { unsafe runInner(&frame, step) }
      unsafe step += 1
    } else {
      frame.callOriginal()
    }
    if unsafe step.pointee.activation.isAfter { _ = unsafe runSteps(&frame, step) }
  }

  /// Runs the levels of a variadic call from the given level on.
  ///
  /// If the call goes on in the original, the after-handlers run when the original has returned.
  @inline(never)
  func runVariadic(_ frame: inout CallFrame, from level: Int) {
    var step = unsafe steps.segment(at: level)
    if unsafe step.pointee.activation.isBefore { unsafe step = runSteps(&frame, step) }
    if unsafe step.pointee.activation.isInstead {
      if unsafe !runHandler(&frame, of: step) {
        runVariadic(&frame, from: unsafe step.pointee.activation.level)
      }
      unsafe step += 1
    } else {
      frame.callOriginal()
    }
    guard unsafe step.pointee.activation.isAfter else { return }
    guard frame.goesOn else {
      _ = unsafe runSteps(&frame, step)
      return
    }
    // SAFETY: the closure retains the chain, which owns the steps.
    let after = unsafe step
    frame.runAfterwards { [self] frame in _ = unsafe runSteps(&frame, after) }
  }

  /// Runs the levels inside of an instead-handler that did not run, or threw before it proceeded.
  @inline(never)
  private func runInner(_ frame: inout CallFrame, _ step: UnsafePointer<HookStep>) {
    unsafe runLevels(&frame, from: step.pointee.activation.level)
  }

  /// Runs handlers before or after the original, as long as steps have the position of the first.
  ///
  /// The handlers share the call's hazard pointer, if they can, which saves a tenth of
  /// `hook.three`.
  ///
  /// - Returns: The next step.
  @inline(never)
  func runSteps(
    _ frame: inout CallFrame, _ first: UnsafePointer<HookStep>
  ) -> UnsafePointer<HookStep> {
    guard let hazard = unsafe frame.idleHazard else { return unsafe runSeparately(&frame, first) }
    var step = unsafe first
    repeat {
      unsafe runHandler(&frame, of: step, under: hazard)
      unsafe step += 1
    } while unsafe step.pointee.activation.hasPosition(of: (step - 1).pointee.activation)
    return unsafe step
  }

  /// Does what `runSteps` does, with a hazard pointer for each handler.
  @inline(never)
  private func runSeparately(
    _ frame: inout CallFrame, _ first: UnsafePointer<HookStep>
  ) -> UnsafePointer<HookStep> {
    var step = unsafe first
    repeat {
      _ = unsafe runHandler(&frame, of: step)
      unsafe step += 1
    } while unsafe step.pointee.activation.hasPosition(of: first.pointee.activation)
    return unsafe step
  }

  /// Runs a hook's handler before or after the original, under the call's hazard pointer, which is
  /// idle.
  @inline(__always)
  func runHandler(
    _ frame: inout CallFrame, of step: UnsafePointer<HookStep>,
    under hazard: UnsafeMutablePointer<cbr_hazard>
  ) {
    // SAFETY: as in the function below.
    let mark = unsafe step.pointee.mark.unsafelyUnwrapped
    unsafe cbr_hazard_run(hazard, mark.toOpaque())
    if unsafe !mark._withUnsafeGuaranteedRef({ $0.isRemoved }) {
      _ = unsafe callHandler(&frame, of: step)
    }
    if unsafe cbr_hazard_stop(hazard) { unsafe HazardPointers.cleared(hazard) }
  }

  /// Runs a hook's handler under a hazard pointer of its own.
  ///
  /// - Returns: False if the hook was removed and nothing was run, or if an instead-handler threw
  ///   before it proceeded: then the call continues without the hook.
  @inline(__always)
  func runHandler(_ frame: inout CallFrame, of step: UnsafePointer<HookStep>) -> Bool {
    // The hazard pointer is set before the mark is read: a removal sets the mark, and then scans.
    // SAFETY: the call keeps the chain alive, which owns the step's references; the hazard pointer
    // is cleared once, on the thread that set it.
    let mark = unsafe step.pointee.mark.unsafelyUnwrapped
    let hazard = unsafe cbr_hazard_protect(mark.toOpaque())
    let isRemoved = unsafe mark._withUnsafeGuaranteedRef { $0.isRemoved }
    let isDone = unsafe !isRemoved && callHandler(&frame, of: step)
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return isDone
  }

  /// Calls a handler.
  ///
  /// - Returns: False if the handler threw before it proceeded.
  @inline(__always)
  func callHandler(_ frame: inout CallFrame, of step: UnsafePointer<HookStep>) -> Bool {
    frame.activation = unsafe step.pointee.activation
    do {
      try unsafe step.pointee.handler.unsafelyUnwrapped._withUnsafeGuaranteedRef {
        try $0.body(&frame)
      }
      return true
    } catch {
      // The handler is loaded again, so that calls that do not throw need not keep it.
      unsafe step.pointee.handler.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.receive(error) }
      return frame.proceedCount > 0
    }
  }
}
