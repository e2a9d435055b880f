internal import BlockABI
internal import Invocations
private import Synchronization
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

  let entry: CallEntry
  private let currentChain: Mutex<HookChain>

  /// What calls run while there are no hooks: the same for ever.
  let idle: HookChain
  private let idleReceiver: CallReceiver

  /// Makes a trampoline without hooks.
  ///
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  init(
    _ interface: CallInterface, original: UnsafeRawPointer, _ life: BlockLife?,
    _ way: CallEntry.Way, _ errors: ErrorPassage? = nil
  ) throws(InvocationError) {
    unsafe self.original = unsafe original
    idle = unsafe HookChain([], original: original, life, errors)
    idleReceiver = idle.receiver(interface, isCurrent: true)
    currentChain = Mutex(idle)
    entry = try CallEntry(interface, receiver: idleReceiver, way)
  }

  deinit { RunningCalls.release(idleReceiver) }

  var interface: CallInterface { entry.interface }

  /// The hooks that the next call runs.
  var chain: HookChain { currentChain.withLock { $0 } }

  /// Puts another chain in place.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - replaced: Gets the receivers before. They may hold the last reference to a handler: let go of
  ///     them through `RunningCalls.release`, where foreign code may run.
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
