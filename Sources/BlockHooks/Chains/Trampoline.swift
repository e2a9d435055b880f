internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations
internal import TypeEncodings

/// What stands in a hooked block's or method's place: it runs the chain of the moment.
///
/// Callers keep copies of a block's invoke pointer, so a trampoline stays valid, passing through,
/// while its block lives.
@safe
final class Trampoline: @unchecked Sendable {
  // SAFETY: the chain is guarded by its lock; everything else is immutable.

  /// What ran before there were hooks.
  let original: UnsafeRawPointer

  private let entry: CallEntry

  /// The code of calls without a frame.
  private var unframed: UnframedCode?

  private let currentChain: Locked<HookChain>

  /// What calls run while there are no hooks: the same for ever.
  let idle: HookChain
  private let idleReceiver: CallReceiver

  /// Makes a trampoline without hooks.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls, or that of those without a frame.
  ///   - original: What runs below the hooks.
  ///   - life: What becomes of the block that the original is the code of.
  ///   - way: How calls find the hooks.
  ///   - block: The block, if that is what is hooked.
  ///   - errors: How what is below hands errors on, if it does.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  init(
    _ interface: CallInterface, original: UnsafeRawPointer, _ life: BlockLife?,
    _ way: CallEntry.Way, of block: BlockHeader? = nil, _ errors: ErrorPassage? = nil
  ) throws(InvocationError) {
    unsafe self.original = unsafe original
    idle = unsafe HookChain([], original: original, life, errors)
    idleReceiver = idle.receiver(interface, isCurrent: true)
    currentChain = Locked(idle)
    entry = try CallEntry(interface, receiver: idleReceiver, way)
    guard let block, !interface.isFramed else { return }
    unframed = unsafe try UnframedCode(original: original) { [unowned self] in
      ObservedCall(of: block, chain, idleReceiver)
    }
  }

  /// The address of the code that callers enter.
  var code: UnsafeRawPointer { unsafe unframed?.address ?? entry.code }

  /// What a block's descriptor leads to.
  var address: UnsafeRawPointer { unsafe entry.address }

  deinit { HazardPointers.retire(idleReceiver) }

  var interface: CallInterface { entry.interface }

  /// The hooks that the next call runs.
  var chain: HookChain { currentChain.withLock { $0 } }

  /// Puts another chain in place.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - replaced: Gets the receivers before. They may hold the last reference to a handler: let go of
  ///     them through `HazardPointers.retire`, where foreign code may run.
  func replaceChain(_ chain: HookChain, _ replaced: inout [CallReceiver]) {
    if chain.isTyped {
      for (level, link) in chain.links.enumerated() {
        let below = chain.links[(level + 1)...]
        unsafe link.typed?.target.follow(Array(below), UInt(bitPattern: chain.original), &replaced)
      }
    }
    let receiver = chain === idle ? idleReceiver : chain.receiver(interface, isCurrent: true)
    let last = currentChain.withLock { current in
      current = chain
      return entry.replaceReceiver(with: receiver)
    }
    if last !== idleReceiver { replaced.append(last) }
  }
}
