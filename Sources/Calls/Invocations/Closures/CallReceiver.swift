/// The code that calls of an entry run: levels of handlers, nested in each other, and inside all of
/// them the original, if there is one.
///
/// A receiver never changes. A call uses the receiver that it loaded at its begin, which a hazard
/// pointer protects, so that no references are counted (see `HazardPointers`).
@safe
package final class CallReceiver: @unchecked Sendable {
  // SAFETY: all properties are immutable, and the handler and the levels are Sendable. The memory
  // of `target` is written in `init` only and freed in `deinit`; the interface owns the plan. Calls
  // protect the receiver by the address of `target`, so both outlive the calls.

  let interface: CallInterface
  let plan: UnsafePointer<CallPlan>

  /// The memory that calls read, by whose address they protect the receiver.
  let target: UnsafePointer<CallTarget>

  /// The life of the called block; nil if there is no original, or if it is not a block's code.
  let life: BlockLife?

  /// The original, if it is a closure's code.
  let closure: ClosureOriginal?

  /// The `direct` of `closure`, which calls run without a reference to `closure`: threads would
  /// share the count of such references.
  let direct: DirectOriginal?

  /// The handler that every call runs first: the first level's, or one that runs all levels.
  let first: CallHandler

  /// Runs the levels inside the first handler; nil if there are no more levels.
  let levels: (any CallLevels)?

  private init(
    _ interface: CallInterface, _ target: CallTarget, _ life: BlockLife?,
    _ closure: ClosureOriginal?, _ first: CallHandler, _ levels: (any CallLevels)?
  ) {
    self.interface = interface
    // SAFETY: only this initialiser has the memory. The closure's words and the unretained
    // reference are valid as long as this object, which retains the handler.
    unsafe plan = unsafe interface.plan
    let memory = UnsafeMutablePointer<CallTarget>.allocate(capacity: 1)
    unsafe memory.initialize(to: target)
    unsafe (memory.pointee.body, memory.pointee.context) = unsafe first.bodyWords
    unsafe self.target = unsafe UnsafePointer(memory)
    self.life = life
    self.closure = closure
    direct = closure?.direct
    self.first = first
    self.levels = levels
    unsafe memory.pointee.receiver = unsafe .passUnretained(self)
    unsafe first.mark?.receivers.add(address)
    unsafe life?.receivers.add(address)
  }

  // SAFETY: the memory lives as long as this object.
  /// The address by which calls protect the receiver.
  var address: UnsafeRawPointer { unsafe UnsafeRawPointer(target) }

  // SAFETY: the target of such a receiver refers to static memory and to the plan only, which the
  // receiver retains.
  /// Makes a receiver of one handler, without an original.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - hiddenArgumentCount: How many arguments the caller does not write: 1 for blocks, else 0.
  ///   - first: Receives the calls.
  package convenience init(
    _ interface: CallInterface, hiddenArgumentCount: Int, first: CallHandler
  ) {
    unsafe self.init(
      interface, CallTarget(interface.plan, hiddenArgumentCount: hiddenArgumentCount), nil, nil,
      first, nil)
  }

  /// Makes a receiver of several levels.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - original: The original inside all levels: code of that signature.
  ///   - liftsGuard: Whether none of the thread's calls of hooked functions are ignored while the
  ///     original runs.
  ///   - level: How many levels there are.
  ///   - life: The life of the block whose code `original` is; nil for a function's code.
  ///   - closure: The original, if it is a closure's code.
  ///   - replacement: The block of the same type that is the whole first level, if there is one;
  ///     the levels retain it, and `first` calls it too.
  ///   - first: The handler that is the whole first level, or one that runs all levels.
  ///   - levels: Runs the levels inside the first handler; the receiver retains it.
  ///
  /// ## Safety
  /// `original` must be code of the interface's signature while its block lives, or, if it is a
  /// function's, while calls are made; `replacement` must be a block of that signature.
  @unsafe
  package convenience init(
    _ interface: CallInterface, original: UnsafeRawPointer, liftsGuard: Bool = false,
    inside level: Int, of life: BlockLife?, closure: ClosureOriginal? = nil,
    replacement: UnsafeRawPointer?, first: CallHandler, levels: any CallLevels
  ) {
    // SAFETY: the caller vouches for the original and the replacement.
    var target = unsafe CallTarget(
      original, liftsGuard: liftsGuard, inside: level, of: life, interface.plan,
      mayThrow: closure?.errors != nil)
    if closure?.direct != nil {
      unsafe target.directTag = CallFrame.Activation(position: .instead, level: level).tag
    }
    // An object that is returned is retained until the call has ended, which takes a frame.
    unsafe target.replacement = interface.plan.pointee.returnsReference ? nil : replacement
    unsafe self.init(interface, target, life, closure, first, levels)
  }

  deinit {
    // SAFETY: a receiver is released once no hazard pointer protects it, so no call reads the
    // target.
    unsafe first.mark?.receivers.forget(address)
    unsafe life?.receivers.forget(address)
    unsafe target.deallocate()
  }
}

/// The levels of a receiver's calls, outermost first.
package protocol CallLevels: AnyObject, Sendable {
  /// Runs the levels of a call inside the first `level` ones, and the original, on the caller's
  /// thread and under no lock.
  func proceed(_ frame: inout CallFrame, inside level: Int)
}
