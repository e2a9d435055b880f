internal import BlockABI
internal import Invocations

/// A call of a block without a frame, with the hooks that it began with.
final class ObservedCall: UnframedCall {
  /// Kept by the call, and by it all that it enters: a handler may give up the last reference.
  private let block: Block
  private let chain: HookChain

  /// Of calls without values; the block keeps it.
  private let receiver: CallReceiver

  /// Begins a call.
  init(of block: BlockHeader, _ chain: HookChain, _ receiver: CallReceiver) {
    self.block = block.block
    self.chain = chain
    self.receiver = receiver
    var frame = CallFrame(unframed: receiver, .before)
    chain.runBefore(&frame)
  }

  func end() {
    var frame = CallFrame(unframed: receiver, .after)
    chain.runAfter(&frame)
    withExtendedLifetime(block) {}
  }
}
