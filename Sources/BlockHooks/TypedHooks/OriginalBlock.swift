internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations

// SAFETY, for the whole file: a twin is a heap block of the code and the captures of the hooked one;
// its target has its signature and lives as long as it.

/// What a typed hook gets as `original`: a twin of the hooked block, with the same code and captures,
/// that runs the hooks which lie below.
///
/// Where none does, it is called as directly as the block was before it was hooked. It does not keep
/// the hooked block.
@usableFromInline
struct OriginalBlock: Sendable {
  /// The twin; whoever keeps it may call it for ever.
  let block: Block
  let target: OriginalTarget

  /// Makes the twin of a block, which is prepared for hooks.
  ///
  /// - Throws: `noSignature`, `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `outOfMemory`, `protectedMemory`.
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
    unsafe twin.header.setEntry(target.entry.address)
    self.block = twin
  }

  /// The twin's address, valid while this lives.
  @usableFromInline var pointer: UnsafeRawPointer { unsafe block.withUnsafePointer { unsafe $0 } }
}

/// What the twin of a hooked block runs.
final class OriginalTarget: BlockAttachment, Sendable {
  private struct State: ~Copyable {
    var links: [HookChain.Link] = []
    var code: UInt
  }

  let entry: CallEntry
  private let life: BlockLife
  private let header: BlockHeader
  private let state: Locked<State>

  /// What holds the code of a global block: it stays loaded while its twin lives.
  private let image: LoadedImage?

  init(
    _ twin: Block, _ interface: CallInterface, _ image: LoadedImage?
  ) throws(InvocationError) {
    self.image = image
    let code = unsafe twin.invokeAddress
    life = BlockLife()
    header = twin.header
    state = Locked(State(code: UInt(bitPattern: code)))
    let chain = unsafe HookChain([], original: code, life)
    entry = try CallEntry(
      interface, receiver: chain.receiver(interface, isCurrent: false), .blockDescriptor)
  }

  /// Runs these hooks from now on, and below them this code, or that of before.
  ///
  /// The twin must be alive. What calls used so far is added to `replaced`, to be let go of through
  /// `HazardPointers`.
  func follow(_ links: [HookChain.Link], _ newCode: UInt?, _ replaced: inout [CallReceiver]) {
    let receiver = state.withLock { state -> CallReceiver? in
      let newCode = newCode ?? state.code
      let isSame =
        newCode == state.code && links.count == state.links.count
        && zip(links, state.links).allSatisfy { $0.mark === $1.mark }
      guard !isSame, let original = unsafe UnsafeRawPointer(bitPattern: newCode) else { return nil }
      let last = unsafe header.invokeAddress
      let isOwn = unsafe last == entry.code || UInt(bitPattern: last) == state.code
      state.code = newCode
      state.links = links
      let chain = unsafe HookChain(links, original: original, life)
      // Who still holds the twin of a hook that is gone may call it when the chain has changed.
      let receiver = entry.replaceReceiver(
        with: chain.receiver(entry.interface, isCurrent: false))
      // Somebody else's code stays on top; and a heap block's page is writable.
      if isOwn {
        _ = try? unsafe header.setInvokeAddress(
          chain.hooksCalls ? entry.code : original, replacing: last)
      }
      return receiver
    }
    if let receiver { replaced.append(receiver) }
  }

  /// Runs no longer a hook that is removed.
  func leaveOut(_ entry: HookEntry, _ replaced: inout [CallReceiver]) {
    let links = state.withLock { $0.links }
    follow(links.filter { $0.entry !== entry }, nil, &replaced)
  }

  func blockWillDie(_ block: borrowing DyingBlock) {
    // The calls that are running go on with a copy; it dies with what they run.
    if life.hasCalls, let copy = block.copied() { life.end(with: copy) }
  }
}
