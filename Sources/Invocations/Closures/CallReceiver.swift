// SAFETY, for the whole file: the state is kept by the receiver, and the receiver by the call.

/// What the calls of an entry run at one moment.
///
/// A receiver never changes; a call uses the one it began with, which is kept for it without
/// counting references (see `RunningCalls`).
@safe
package final class CallReceiver: @unchecked Sendable {
  // SAFETY: everything is immutable; whoever makes a receiver says how its state is shared.

  /// Runs a call: what lies below a level of it, 0 at its beginning.
  ///
  /// It gets the receiver's state and the address of the call's `CallFrame`.
  package typealias Run =
    @convention(c) (
      _ state: UnsafeRawPointer, _ frame: UnsafeMutableRawPointer, _ level: Int
    ) -> Void

  let interface: CallInterface
  let plan: UnsafePointer<CallPlan>

  /// How many arguments the caller does not write: 1 for a block, which is passed to its own code.
  let hiddenArgumentCount: Int

  let run: Run
  let state: UnsafeRawPointer
  private let owner: AnyObject

  /// What lies below all levels.
  @safe
  package struct Original: @unchecked Sendable {
    // SAFETY: the address is immutable.
    let code: UnsafeRawPointer

    /// How many levels lie above it.
    let level: Int

    /// What becomes of the block that it is the code of.
    let life: BlockLife

    /// ## Safety
    /// `code` must have the signature of the calls, and be there while the block lives.
    @unsafe
    package init(_ code: UnsafeRawPointer, below level: Int, of life: BlockLife) {
      unsafe self.code = unsafe code
      self.level = level
      self.life = life
    }
  }

  let original: Original?

  // The same, to be read without counting references.
  private let originalCode: UnsafeRawPointer?
  private let originalLevel: Int
  private let originalLife: Unmanaged<BlockLife>?

  /// Makes a receiver.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - hiddenArgumentCount: 1 for blocks, else 0.
  ///   - original: What calls come to in the end, if anything.
  ///   - state: Kept by the receiver, and given to `run`; safe from any thread.
  ///   - run: Runs a call, on its caller's thread and under no lock.
  package init(
    _ interface: CallInterface, hiddenArgumentCount: Int, original: Original? = nil,
    state: AnyObject, run: @escaping Run
  ) {
    self.interface = interface
    unsafe plan = unsafe interface.plan
    self.hiddenArgumentCount = hiddenArgumentCount
    self.original = original
    unsafe originalCode = unsafe original?.code
    originalLevel = original?.level ?? 0
    unsafe originalLife = unsafe original.map { unsafe .passUnretained($0.life) }
    owner = state
    unsafe self.state = unsafe UnsafeRawPointer(Unmanaged.passUnretained(state).toOpaque())
    unsafe self.run = unsafe run
  }

  /// Runs what lies below a level of a call.
  @inline(__always)
  func proceed(_ frame: UnsafeMutablePointer<CallFrame>, below level: Int) {
    if level == originalLevel {
      unsafe callOriginal(&frame.pointee)
    } else {
      unsafe run(state, frame, level)
    }
  }

  /// Calls what lies below all levels; nothing, where there is no original.
  @inline(__always)
  func callOriginal(_ frame: inout CallFrame) {
    guard let code = unsafe originalCode, let life = unsafe originalLife else { return }
    let copy = unsafe life._withUnsafeGuaranteedRef { $0.address }
    if copy != 0 { frame.setBlock(copy) }
    // SAFETY: the original has the signature that the receiver was made for.
    unsafe frame.call(code)
  }
}
