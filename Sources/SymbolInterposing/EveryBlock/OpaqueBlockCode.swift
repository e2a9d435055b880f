internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import CallTracing
internal import Invocations

/// The replacement of the code of blocks without a usable signature: it traces their calls without
/// arguments.
final class OpaqueBlockCode: BlockCode, OpaqueCallObserver {
  let source: BlockSource

  /// The address of the blocks' own code.
  private let original: UInt

  private struct Trace: Sendable {
    let request: BlockRequest
    let trace: OpaqueCallTrace
    let number: UInt32
  }

  private struct State: Sendable {
    /// The traces; only the first records calls.
    var traces: [Trace] = []
    var count: UInt32 = 0
  }

  private let state = Locked(State())
  /// Retained permanently by the cycle with this object: blocks that were hooked keep the code's
  /// address.
  private let code = Locked<OpaqueCode?>(nil)

  /// Makes the code.
  ///
  /// - Parameters:
  ///   - source: The properties that the blocks share.
  ///   - invoke: The code that they enter, which must stay loaded while they are called.
  /// - Throws: `noExecutableMemory`.
  init(_ source: BlockSource, _ invoke: UnsafeRawPointer) throws(HookError) {
    self.source = source
    original = UInt(bitPattern: invoke)
    do throws(InvocationError) {
      // SAFETY: the blocks' image stays loaded while they are called, and only they lead to this
      // code.
      let code = unsafe try OpaqueCode(original: invoke, self)
      self.code.withLock { $0 = code }
    } catch {
      throw HookError(passing: error)
    }
  }

  /// Traces without arguments are not hooks: the block's own hooks run around them.
  func join(_ block: Block) -> Bool {
    // SAFETY: the replacement calls the code that it replaces, with the same arguments.
    guard let address = unsafe address,
      let original = unsafe UnsafeRawPointer(bitPattern: original)
    else { return false }
    return unsafe block.enter(address, inPlaceOf: original)
  }

  // SAFETY: the code is never freed.
  var address: UnsafeRawPointer? { unsafe code.withLock { unsafe $0?.address } }

  func install(_ request: BlockRequest) {
    guard let trace = request.opaqueTrace(source) else { return }
    state.withLock { state in
      guard !state.traces.contains(where: { $0.request === request }) else { return }
      state.count += 1
      state.traces.append(Trace(request: request, trace: trace, number: state.count))
    }
    if request.isRemoved { remove(request, andWait: false) }
  }

  func remove(_ request: BlockRequest, andWait: Bool) {
    let removed = state.withLock { state in
      let removed = state.traces.filter { $0.request === request }
      state.traces.removeAll { $0.request === request }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  func begin() -> OpaqueCall {
    let first = ReentrancyGuard.ignoringThread {
      ForkGate.inside { state.withLock { $0.traces.first { !$0.request.isRemoved } } }
    }
    guard let first = first ?? nil else {
      return OpaqueCall((0, 0, 0))
    }
    var call = ReentrancyGuard.ignoringThread { first.trace.begin() }
    call.trace = first.number
    return call
  }

  func abandon(_ call: OpaqueCall) {
    let trace = state.withLock { state in state.traces.first { $0.number == call.trace } }
    ReentrancyGuard.ignoringThread { trace?.trace.abandon(call) }
  }

  func end(_ call: OpaqueCall) {
    ReentrancyGuard.ignoringThread {
      let first = ForkGate.inside {
        state.withLock { state in state.traces.first { $0.number == call.trace } }
      }
      (first ?? nil)?.trace.end(call)
    }
  }
}
