internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations

/// The `original` of a typed hook: a twin of the hooked block, with the same code and captures,
/// that runs the inner hooks.
///
/// Without inner hooks, a call enters the block's own code directly, as before the block was
/// hooked. The twin does not retain the hooked block.
@usableFromInline
struct OriginalBlock: Sendable {
  /// The twin, which can be called as long as it is retained.
  let block: Block
  let target: OriginalTarget

  /// Makes the twin of a block, and attaches the hooked state to the block.
  ///
  /// - Throws: `noSignature`, `invalidSignature`, `unsupportedType`, `noExecutableMemory`,
  ///   `outOfMemory`, `protectedMemory`.
  init(of block: Block) throws(HookError) {
    let interface: CallInterface
    do { interface = try block.callInterface } catch { throw HookError(passing: error) }
    _ = try HookedBlock.attached(to: block)
    guard let twin = block.twin() else {
      throw HookError(.outOfMemory, "no memory for a copy of the block; free some")
    }
    let image = block.header.image
    do { target = try OriginalTarget(twin, interface, image) } catch {
      throw HookError(passing: error)
    }
    do { try twin.attach(target) } catch { throw HookError(passing: error) }
    // SAFETY: the twin is alive, and owns the target, which owns the entry.
    unsafe twin.header.setEntry(target.entry.address)
    self.block = twin
  }

  // SAFETY: the value retains the twin.
  /// The twin's address, valid while this value exists.
  @usableFromInline var pointer: UnsafeRawPointer { unsafe block.withUnsafePointer { unsafe $0 } }
}

/// The hooks and the code that the twin of a hooked block runs; attached to the twin.
final class OriginalTarget: BlockAttachment, Sendable {
  private struct State: ~Copyable {
    var links: [HookLink] = []
    var code: OriginalCode
  }

  let entry: CallEntry
  private let life: BlockLife
  private let header: BlockHeader
  private let state: GatedLock<State>

  /// The image of a global block's code, which stays loaded while the twin lives.
  private let image: LoadedImage?

  init(
    _ twin: Block, _ interface: CallInterface, _ image: LoadedImage?
  ) throws(InvocationError) {
    self.image = image
    // SAFETY: the caller retains the twin; its code has the interface's signature, and `image`
    // keeps a global block's code loaded.
    let code = unsafe OriginalCode(twin.invokeAddress)
    life = BlockLife()
    header = twin.header
    state = GatedLock(State(code: code))
    let chain = HookChain([], original: code, life)
    entry = try CallEntry(
      interface, receiver: chain.receiver(interface, isCurrent: false), .blockDescriptor)
  }

  /// Replaces the hooks that later calls run, and also the code inside of the hooks unless
  /// `newCode` is nil.
  ///
  /// The twin must be alive. The replaced receiver is appended to `replaced`; the caller must
  /// retire it.
  func follow(
    _ links: [HookLink], _ newCode: OriginalCode?, _ replaced: inout [CallReceiver]
  ) {
    let receiver = state.withLock { state -> CallReceiver? in
      let original = newCode ?? state.code
      let isSame =
        original == state.code && links.count == state.links.count
        && zip(links, state.links).allSatisfy { $0.mark === $1.mark }
      guard !isSame else { return nil }
      // SAFETY: the caller keeps the twin alive, and the original is code of its signature. The
      // entry is valid as long as the twin, which owns this object.
      let last = unsafe header.invokeAddress
      let isOwn = unsafe last == entry.code || last == state.code.address
      state.code = original
      state.links = links
      let chain = HookChain(links, original: original, life)
      // A caller that still holds the twin of a removed hook may call it after the chain has
      // changed.
      let receiver = entry.replaceReceiver(
        with: chain.receiver(entry.interface, isCurrent: false))
      // Code from outside this library is not replaced. A heap block's page is writable.
      if isOwn {
        _ = try? unsafe header.setInvokeAddress(
          chain.hooksCalls ? entry.code : original.address, replacing: last)
      }
      return receiver
    }
    if let receiver { replaced.append(receiver) }
  }

  /// Makes later calls skip a hook that was removed.
  func leaveOut(_ hook: HookState, _ replaced: inout [CallReceiver]) {
    let links = state.withLock { $0.links }
    follow(links.filter { $0.hook !== hook }, nil, &replaced)
  }

  func blockWillDie(_ block: borrowing DyingBlock) {
    // Calls in progress continue with a copy, which is released with the receivers that they use.
    if life.hasCalls, let copy = block.copied() { life.end(with: copy) }
  }
}
