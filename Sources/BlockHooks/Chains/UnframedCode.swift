internal import BlockABI
internal import Invocations

/// A call that is observed without a frame, from its beginning to its end.
protocol UnframedCall: AnyObject {
  /// Called when the call returns, but not when an exception, `longjmp` or the end of the thread
  /// leaves it.
  func end()
}

/// Code that replaces a block's code of any signature, and reports its calls.
final class UnframedCode: Sendable {
  private let code: OpaqueCode

  /// Retains an object for each call in progress.
  private final class Observer: OpaqueCallObserver {
    private let beginCall: @Sendable () -> any UnframedCall

    private final class Call {
      let call: any UnframedCall
      init(_ call: any UnframedCall) { self.call = call }
    }

    init(_ beginCall: @escaping @Sendable () -> any UnframedCall) { self.beginCall = beginCall }

    func begin() -> OpaqueCall {
      // SAFETY: `take` balances the retain; it is called once for each call.
      let call = unsafe Unmanaged.passRetained(Call(beginCall()))
      let address = unsafe UInt(bitPattern: call.toOpaque())
      return OpaqueCall((UInt64(address), 0, 0))
    }

    func end(_ call: OpaqueCall) { take(call)?.end() }

    func abandon(_ call: OpaqueCall) { _ = take(call) }

    private func take(_ call: OpaqueCall) -> (any UnframedCall)? {
      // SAFETY: the word is the address of the object that `begin` retained for this call.
      unsafe UnsafeRawPointer(bitPattern: UInt(call.words.0)).map {
        unsafe Unmanaged<Call>.fromOpaque($0).takeRetainedValue().call
      }
    }
  }

  /// Makes code.
  ///
  /// - Parameters:
  ///   - original: The address of the code that calls continue with.
  ///   - begin: Called when a call begins, on its thread. The object that it returns is retained
  ///     until the call ends, and must retain this code.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// `original` must be valid code while calls can enter this code.
  @unsafe
  init(
    original: UnsafeRawPointer, begin: @escaping @Sendable () -> any UnframedCall
  ) throws(InvocationError) {
    // SAFETY: the caller guarantees the original; the object of each call retains this code.
    code = unsafe try OpaqueCode(original: original, Observer(begin))
  }

  // SAFETY: this object owns the code.
  /// The code's address, valid while this object lives.
  var address: UnsafeRawPointer { unsafe code.address }
}

/// A call of a block without a frame, with the hooks that it began with.
final class ObservedCall: UnframedCall {
  /// Retained by the call, because a handler may release the last other reference; the block owns
  /// the code that the call enters.
  private let block: Block
  private let chain: HookChain

  /// The receiver that describes calls without values; owned by the block's trampoline.
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
