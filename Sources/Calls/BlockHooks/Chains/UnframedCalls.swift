internal import BlockABI
internal import Invocations

/// Runs the hooks around a block's calls of any signature.
///
/// A call retains the block, because a handler may release the last other reference, and the chain
/// that it began with. It takes no lock and allocates nothing: a signal's handler may make it.
final class UnframedCalls: OpaqueCallObserver {
  private let block: BlockHeader
  private let entry: CallEntry

  /// The receiver that describes calls without values.
  private let receiver: CallReceiver

  /// Observes calls of a block, whose hooks are those of an entry's receiver.
  init(of block: BlockHeader, _ entry: CallEntry, _ receiver: CallReceiver) {
    self.block = block
    self.entry = entry
    self.receiver = receiver
  }

  // SAFETY: the block is alive when a call begins, and owns the code that the call enters; its
  // receivers' levels are chains. The call's first word is the address of the chain that `begin`
  // retained; `take` is called once for each call.

  func begin() -> OpaqueCall {
    unsafe block.retain()
    let chain = unsafe entry.levels { chain in
      unsafe Unmanaged.passRetained(unsafeDowncast(chain, to: HookChain.self))
    }
    var frame = CallFrame(unframed: receiver, .before)
    unsafe chain?._withUnsafeGuaranteedRef { $0.runBefore(&frame) }
    return OpaqueCall((unsafe UInt64(UInt(bitPattern: chain?.toOpaque())), 0, 0))
  }

  func end(_ call: OpaqueCall) {
    let chain = take(call)
    var frame = CallFrame(unframed: receiver, .after)
    chain?.runAfter(&frame)
    unsafe block.release()
  }

  func abandon(_ call: OpaqueCall) {
    _ = take(call)
    unsafe block.release()
  }

  private func take(_ call: OpaqueCall) -> HookChain? {
    unsafe UnsafeRawPointer(bitPattern: UInt(call.words.0)).map {
      unsafe Unmanaged<HookChain>.fromOpaque($0).takeRetainedValue()
    }
  }
}
