internal import BlockABI
internal import Invocations
internal import TypeEncodings

/// The code that callers of a hooked block or method enter: it runs the current chain.
///
/// Callers may have copied a block's invoke pointer, so a trampoline stays valid while its block
/// lives; without hooks it calls the original.
@safe
final class Trampoline: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties are not written after `init`. The original is
  // code of the interface's signature, which the creator keeps valid while calls can enter the
  // trampoline.

  /// The address of the code inside of the hooks.
  var original: UnsafeRawPointer { unsafe idle.original.address }

  let entry: CallEntry

  /// The code of calls without a frame.
  private var unframed: OpaqueCode?

  /// The chain without hooks, which never changes.
  let idle: HookChain
  private let idleReceiver: CallReceiver

  /// Makes a trampoline without hooks.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls, or that of those without a frame.
  ///   - original: The code that runs inside of the hooks.
  ///   - life: The life of the block whose code the original is; nil for the code of a function.
  ///   - way: How calls find the hooks.
  ///   - block: The block, if a block is hooked.
  ///   - closure: The original, if it is a closure's code.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  init(
    _ interface: CallInterface, original: OriginalCode, _ life: BlockLife?,
    _ way: CallEntry.Way, of block: BlockHeader? = nil, _ closure: ClosureOriginal? = nil
  ) throws(InvocationError) {
    idle = HookChain([], original: original, life, closure, isVariadic: interface.isVariadic)
    idleReceiver = idle.receiver(interface, isCurrent: true)
    entry = try CallEntry(interface, receiver: idleReceiver, way)
    guard let block, !interface.isFramed else { return }
    // SAFETY: the original is code while the block lives, and each call retains the block, whose
    // hooked state retains this object.
    unframed = unsafe try OpaqueCode(
      original: original.address, UnframedCalls(of: block, entry, idleReceiver))
  }

  /// The address of the code that callers enter.
  var code: UnsafeRawPointer { unsafe unframed?.address ?? entry.code }

  /// The address of the entry, to which a block's descriptor refers.
  var address: UnsafeRawPointer { unsafe entry.address }

  deinit { HazardPointers.retire(idleReceiver) }

  var interface: CallInterface { entry.interface }

  /// The hooks that the next call runs.
  var chain: HookChain { entry.laterLevels as? HookChain ?? idle }

  /// Replaces the chain, for later calls.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - isCurrent: Whether the chain is replaced when a hook of it is removed.
  ///   - replaced: Receives the replaced receivers. They may hold the last reference to a handler:
  ///     the caller must retire them by `HazardPointers.retire`, under no lock.
  func replaceChain(
    _ chain: HookChain, isCurrent: Bool = true, _ replaced: inout [CallReceiver]
  ) {
    if chain.isTyped {
      for (level, link) in chain.links.enumerated() {
        let inner = chain.links[(level + 1)...]
        link.typed?.target.follow(Array(inner), chain.original, &replaced)
      }
    }
    let receiver = chain === idle ? idleReceiver : chain.receiver(interface, isCurrent: isCurrent)
    let last = entry.replaceReceiver(with: receiver)
    if last !== idleReceiver { replaced.append(last) }
  }
}
