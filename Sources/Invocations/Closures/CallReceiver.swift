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

  /// What becomes of the block that is called; nil for what lives as long as its calls.
  let blockLife: BlockLife?

  /// Makes a receiver.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - hiddenArgumentCount: 1 for blocks, else 0.
  ///   - blockLife: What becomes of a hooked block.
  ///   - state: Kept by the receiver, and given to `run`; safe from any thread.
  ///   - run: Runs a call, on its caller's thread and under no lock.
  package init(
    _ interface: CallInterface, hiddenArgumentCount: Int, blockLife: BlockLife? = nil,
    state: AnyObject, run: @escaping Run
  ) {
    self.blockLife = blockLife
    self.interface = interface
    unsafe plan = unsafe interface.plan
    self.hiddenArgumentCount = hiddenArgumentCount
    owner = state
    unsafe self.state = unsafe UnsafeRawPointer(Unmanaged.passUnretained(state).toOpaque())
    unsafe self.run = unsafe run
  }
}
