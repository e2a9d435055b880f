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

  /// How many levels there are outside the original; 0 for variadic calls, whose handlers all
  /// proceed the longer way.
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
