// SAFETY, for the whole file: what a receiver refers to is kept by it, and the receiver by the calls.

/// What the calls of an entry run at one moment: levels, and below them, perhaps, an original.
///
/// A receiver never changes; a call uses the one it began with, which is kept for it without
/// counting references (see `HazardPointers`).
@safe
package final class CallReceiver: @unchecked Sendable {
  // SAFETY: everything is immutable; whoever makes a receiver says how its state is shared.

  let interface: CallInterface
  let plan: UnsafePointer<CallPlan>

  /// What calls protect, and read of the receiver.
  let target: UnsafePointer<CallTarget>

  /// What becomes of the block that is called; nil where there is no original.
  let life: BlockLife?

  /// How what the original throws is handed on; nil where nothing is thrown.
  let errors: ErrorPassage?

  /// Begins every call: the handler that is all of the first level, or one that runs all levels.
  let first: CallHandler
  private let levels: (any CallLevels)?

  private init(
    _ interface: CallInterface, _ target: CallTarget, _ life: BlockLife?,
    _ errors: ErrorPassage?, _ first: CallHandler, _ levels: (any CallLevels)?
  ) {
    self.interface = interface
    unsafe plan = unsafe interface.plan
    let memory = UnsafeMutablePointer<CallTarget>.allocate(capacity: 1)
    unsafe memory.initialize(to: target)
    unsafe memory.pointee.plan = unsafe interface.plan
    unsafe (memory.pointee.body, memory.pointee.context) = unsafe first.bodyWords
    unsafe self.target = unsafe UnsafePointer(memory)
    self.life = life
    self.errors = errors
    self.first = first
    self.levels = levels
    unsafe memory.pointee.receiver = unsafe .passUnretained(self)
    unsafe first.mark?.receivers.add(address)
    unsafe life?.receivers.add(address)
  }

  /// What calls protect.
  var address: UnsafeRawPointer { unsafe UnsafeRawPointer(target) }

  /// Makes a receiver of one handler, below which there is nothing.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - hiddenArgumentCount: How many arguments the caller does not write: 1 for blocks, else 0.
  ///   - first: Receives the calls.
  package convenience init(
    _ interface: CallInterface, hiddenArgumentCount: Int, first: CallHandler
  ) {
    unsafe self.init(
      interface, CallTarget(hiddenArgumentCount: hiddenArgumentCount), nil, nil, first, nil)
  }

  /// Makes a receiver of several levels.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - original: What lies below all levels: code of that signature.
  ///   - level: How many levels there are.
  ///   - life: What becomes of the block that `original` is the code of; nil for a function's code.
  ///   - errors: How what it throws is handed on, if it may throw.
  ///   - replacement: The block of the same type that is all of the first level, if there is one, kept
  ///     by the levels; `first` calls it too.
  ///   - first: The handler that is all of the first level, or one that runs all levels.
  ///   - levels: What lies below the first handler, and above the original; kept by the receiver.
  ///
  /// ## Safety
  /// `original` must be code of the interface's signature as long as the block lives; `replacement`
  /// must be a block of it.
  @unsafe
  package convenience init(
    _ interface: CallInterface, original: UnsafeRawPointer, below level: Int, of life: BlockLife?,
    errors: ErrorPassage? = nil, replacement: UnsafeRawPointer?, first: CallHandler,
    levels: any CallLevels
  ) {
    var target = unsafe CallTarget(
      original, below: level, of: life, interface.plan, mayThrow: errors != nil)
    // An object that is returned is kept until the call has ended: that takes a frame.
    unsafe target.replacement = interface.plan.pointee.returnsReference ? nil : replacement
    unsafe self.init(interface, target, life, errors, first, levels)
  }

  deinit {
    unsafe first.mark?.receivers.forget(address)
    unsafe life?.receivers.forget(address)
    unsafe target.deallocate()
  }

  /// Runs what lies below a level of a call.
  func proceed(_ frame: inout CallFrame, below level: Int) {
    if unsafe level == target.pointee.level {
      callOriginal(&frame)
    } else {
      levels?.proceed(&frame, below: level)
    }
  }

  /// Calls what lies below all levels; nothing, where there is no original.
  func callOriginal(_ frame: inout CallFrame) {
    guard unsafe target.pointee.level != nil else { return }
    unsafe frame.values.followBlock()
    // SAFETY: the original has the signature that the receiver was made for.
    guard let errors else { return unsafe frame.call(target.pointee.code) }
    if let error = errors.collect({ unsafe frame.call(target.pointee.code) }) {
      frame.didThrow(error)
    }
  }
}

/// The levels of a receiver's calls.
package protocol CallLevels: AnyObject, Sendable {
  /// Runs what lies below a level of a call, on its caller's thread and under no lock.
  func proceed(_ frame: inout CallFrame, below level: Int)
}

/// What a call reads of its receiver, in plain memory, so that no references are counted: the first
/// handler, and what a handler proceeds to where that is code to be called at once.
@unsafe
@usableFromInline
package struct CallTarget {
  // The assembly reads the first six: see CBRCallEntry.h.

  /// The receiver, unretained.
  var receiver: Unmanaged<CallReceiver>?

  /// The code of the first handler's closure.
  var body: UnsafeRawPointer?

  /// The closure's captures.
  var context: UnsafeRawPointer?

  /// The activation of a first handler.
  let firstActivation: CallFrame.Activation

  var plan: UnsafePointer<CallPlan>

  /// The block of the same type that stands in for the one that is called, if there is one.
  var replacement: UnsafeRawPointer?

  /// The tag of the activations of handlers that proceed to the original by a plain call; none has
  /// the one that stands here otherwise.
  @usableFromInline var tag = UInt32.max

  /// Whether a plain call of the original is all that it takes.
  @inlinable var isPlain: Bool { unsafe tag != .max && copy.pointee == 0 }

  /// The original.
  @usableFromInline var code: UnsafeRawPointer

  /// How it is called.
  @usableFromInline var call: PlainCall

  /// The address of the block's copy, 0 while the block lives.
  @usableFromInline var copy: UnsafePointer<UInt>

  /// How many levels lie above the original; nil where there is none.
  let level: Int?

  /// How many arguments the caller does not write: 1 for a block, which is passed to its own code.
  @usableFromInline let hiddenArgumentCount: UInt8

  // SAFETY: it is never written again.
  nonisolated(unsafe) private static let alive = {
    let word = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    unsafe word.initialize(to: 0)
    return unsafe UnsafePointer(word)
  }()

  /// Nothing to proceed to.
  init(hiddenArgumentCount: Int) {
    unsafe self.hiddenArgumentCount = UInt8(hiddenArgumentCount)
    unsafe copy = Self.alive
    unsafe plan = CallPlan.noValues
    // Never called: no activation has the tag.
    unsafe code = unsafe UnsafeRawPointer(Self.alive)
    unsafe call = unsafe PlainCall(.wide, floats: 0)
    unsafe level = nil
    unsafe firstActivation = CallFrame.Activation(position: .instead, level: 0)
  }

  /// A block's original, or a function that is one.
  init(
    _ original: UnsafeRawPointer, below level: Int, of life: BlockLife?,
    _ plan: UnsafePointer<CallPlan>, mayThrow: Bool
  ) {
    unsafe hiddenArgumentCount = life == nil ? 0 : 1
    unsafe copy = unsafe life?.copyAddress ?? Self.alive
    unsafe self.plan = unsafe plan
    unsafe code = unsafe original
    unsafe call = unsafe plan.pointee.plainCall ?? PlainCall(.wide, floats: 0)
    unsafe self.level = level
    unsafe firstActivation = CallFrame.Activation(position: .instead, level: 1)
    if unsafe plan.pointee.plainCall != nil && !plan.pointee.returnsReference && !mayThrow {
      unsafe tag = CallFrame.Activation(position: .instead, level: level).tag
    }
  }
}
