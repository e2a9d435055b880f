internal import BlockABI
internal import Invocations
private import Synchronization
internal import TypeEncodings

// SAFETY, for the whole file: the block outlives its trampoline's calls; the arguments are valid
// for one call.

/// The code that a hooked block enters: it runs the chain of the moment.
///
/// Callers keep copies of a block's invoke pointer, so a trampoline stays valid, passing through,
/// while its block lives.
@safe
final class Trampoline: CallReceiver, @unchecked Sendable {
  // SAFETY: the chain is guarded by its lock; `closure` is set before the code is known.
  let interface: CallInterface

  /// What the block ran before it was hooked.
  let original: UnsafeRawPointer

  private let currentChain: Mutex<HookChain>
  private var closure: ExecutableClosure?

  /// Makes a trampoline without hooks.
  ///
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  init(_ interface: CallInterface, original: UnsafeRawPointer) throws(InvocationError) {
    self.interface = interface
    unsafe self.original = unsafe original
    currentChain = unsafe Mutex(HookChain([], original: original))
    closure = try ExecutableClosure(interface, receiver: self)
  }

  /// Whether calls by another interface are calls by this one's; frame offsets matter only as far as
  /// they settle layouts.
  func hasSignature(of other: CallInterface) -> Bool {
    interface === other
      || interface.signature.withoutFrameOffsets() == other.signature.withoutFrameOffsets()
        && interface.argumentLayouts == other.argumentLayouts
        && interface.resultLayout == other.resultLayout
  }

  /// The hooks that the next call runs.
  var chain: HookChain { currentChain.withLock { $0 } }

  /// Puts another chain in place.
  ///
  /// - Returns: The one before. It may hold the last reference to a handler: let go of it where
  ///   foreign code may run.
  func replaceChain(_ chain: HookChain) -> HookChain {
    currentChain.withLock { current in
      defer { current = chain }
      return current
    }
  }

  /// The address of the code.
  var code: UnsafeRawPointer { unsafe closure?.code ?? original }

  @unsafe
  func receive(
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) -> AnyObject? {
    // A handler may give up the block's last reference: the call keeps one.
    let block = unsafe arguments[0].map { unsafe $0.load(as: UnsafeRawPointer.self) }
    return unsafe BlockReference.retaining(block) {
      let chain = chain
      var frame = unsafe CallFrame(
        interface, arguments: arguments, result: result, continuation: chain)
      chain.proceed(&frame, below: 0)
      return frame.finish()
    }
  }
}
