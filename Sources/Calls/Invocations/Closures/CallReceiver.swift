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

  /// The life of the called block; nil if there is no original, or it is no block's.
  let life: BlockLife?

  /// The original, if it is a closure's code.
  let closure: ClosureOriginal?

  /// What `closure` has of this name: calls run it without a reference to `closure`, which threads
  /// would share.
  let direct: DirectOriginal?

  /// The handler that every call runs first: the first level's, or one that runs all levels.
  let first: CallHandler

  /// Runs the levels inside the first handler; nil if there is only that.
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

/// The part of a receiver that calls read: plain memory, so that no references are counted.
///
/// It has the first handler, and the original for handlers that proceed to it directly.
@unsafe
@usableFromInline
package struct CallTarget {
  // SAFETY: a target is written before its receiver is published, and lives as long as the
  // receiver. The addresses are of static memory or of memory whose owner the receiver retains; the
  // code of an original is valid while its block lives.

  // The assembly reads the first six properties: see CBRCallEntry.h.

  /// The receiver, unretained.
  var receiver: Unmanaged<CallReceiver>?

  /// The code of the first handler's closure.
  var body: UnsafeRawPointer?

  /// The closure's captures.
  var context: UnsafeRawPointer?

  /// The activation of the first handler.
  let firstActivation: CallFrame.Activation

  let plan: UnsafePointer<CallPlan>

  /// The block of the same type that replaces the called one, if there is one.
  var replacement: UnsafeRawPointer?

  /// The tag of the activations of handlers that proceed to the original by a plain call; otherwise
  /// a value that no activation has.
  @usableFromInline var tag = UInt32.max

  // SAFETY: `copy` is valid as long as the target.
  /// Whether proceeding to the original is just a plain call.
  @inlinable var isPlain: Bool { unsafe tag != .max && copy.pointee == 0 }

  /// The code of the original.
  @usableFromInline var code: UnsafeRawPointer

  /// Makes the plain call.
  @usableFromInline var call: PlainCall

  /// The tag of the activations of handlers that proceed to an original in Swift; otherwise a value
  /// that no activation has.
  var directTag = UInt32.max

  /// The address of the block's copy, 0 while the block lives.
  @usableFromInline var copy: UnsafePointer<UInt>

  /// How many levels there are outside the original; 0 for variadic calls, whose handlers all proceed
  /// the longer way.
  let levelCount: Int

  let hasOriginal: Bool

  /// Whether the re-entrancy guard is lifted while the original runs; `call` does so by itself.
  let liftsGuard: Bool

  /// How many arguments are hidden: 1 for a block, which is passed to its own code; else 0.
  @usableFromInline let hiddenArgumentCount: UInt8

  // SAFETY: it is never written again, and never freed.
  /// The zero to which `copy` points if no block is called.
  nonisolated(unsafe) private static let alive = {
    let word = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    unsafe word.initialize(to: 0)
    return unsafe UnsafePointer(word)
  }()

  /// A target without an original.
  init(_ plan: UnsafePointer<CallPlan>, hiddenArgumentCount: Int) {
    // SAFETY: the receiver retains the interface that owns the plan. The other addresses are those
    // of static memory; nothing is called through them.
    unsafe self.hiddenArgumentCount = UInt8(hiddenArgumentCount)
    unsafe copy = Self.alive
    unsafe self.plan = unsafe plan
    // The code is never called, because no activation has the tag.
    unsafe code = unsafe UnsafeRawPointer(Self.alive)
    unsafe call = unsafe PlainCall(.wide, floats: 0)
    unsafe (levelCount, hasOriginal) = (0, false)
    unsafe liftsGuard = false
    unsafe firstActivation = CallFrame.Activation(position: .instead, level: 0)
  }

  /// A target with an original, the code of a block or a function.
  init(
    _ original: UnsafeRawPointer, liftsGuard: Bool, inside level: Int, of life: BlockLife?,
    _ plan: UnsafePointer<CallPlan>, mayThrow: Bool
  ) {
    // SAFETY: the receiver retains `life` and the interface that owns the plan.
    unsafe hiddenArgumentCount = life == nil ? 0 : 1
    unsafe copy = unsafe life?.copyAddress ?? Self.alive
    unsafe self.plan = unsafe plan
    unsafe code = unsafe original
    let plain = unsafe plan.pointee.plainCall ?? PlainCall(.wide, floats: 0)
    unsafe call = unsafe liftsGuard ? PlainCall(unguarded: plain) : plain
    unsafe (levelCount, hasOriginal) = (plan.pointee.isVariadic ? 0 : level, true)
    unsafe self.liftsGuard = liftsGuard
    unsafe firstActivation = CallFrame.Activation(position: .instead, level: 1)
    if unsafe plan.pointee.plainCall != nil && !plan.pointee.returnsReference && !mayThrow {
      unsafe tag = CallFrame.Activation(position: .instead, level: level).tag
    }
  }
}
