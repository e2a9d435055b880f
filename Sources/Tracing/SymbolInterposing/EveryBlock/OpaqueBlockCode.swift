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

  /// The traces at one time; only the first records calls.
  private final class Traces: Sendable {
    let all: [Trace]
    let count: UInt32

    init(_ all: [Trace], count: UInt32) {
      self.all = all
      self.count = count
    }
  }

  /// What calls read: handlers of signals make some, and children of a fork.
  private let published = PublishedObject(Traces([], count: 0))

  /// Held while the traces are replaced.
  private let lock = GatedLock(())

  /// Retained permanently by the cycle with this object: blocks that were hooked keep the code's
  /// address.
  private let code = GatedLock<OpaqueCode?>(nil)

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
    change { traces in
      guard !traces.all.contains(where: { $0.request === request }) else { return nil }
      let number = traces.count + 1
      return Traces(
        traces.all + [Trace(request: request, trace: trace, number: number)], count: number)
    }
    if request.isRemoved { remove(request, andWait: false) }
  }

  func remove(_ request: BlockRequest, andWait: Bool) {
    change { traces in
      Traces(traces.all.filter { $0.request !== request }, count: traces.count)
    }
  }

  private func change(_ body: (Traces) -> Traces?) {
    let old = lock.withLock { _ in published.withObject(body).map(published.exchange) }
    if let old { PublishedObject.retire(old) }
  }

  func begin() -> OpaqueCall {
    ReentrancyGuard.ignoringThread {
      published.withObject { traces in
        guard let first = traces.all.first(where: { !$0.request.isRemoved }) else {
          return OpaqueCall((0, 0, 0))
        }
        var call = first.trace.begin()
        call.trace = first.number
        return call
      }
    }
  }

  func abandon(_ call: OpaqueCall) { withTrace(of: call) { $0.abandon(call) } }

  func end(_ call: OpaqueCall) { withTrace(of: call) { $0.end(call) } }

  private func withTrace(of call: OpaqueCall, _ body: (OpaqueCallTrace) -> Void) {
    ReentrancyGuard.ignoringThread {
      published.withObject { traces in
        if let first = traces.all.first(where: { $0.number == call.trace }) { body(first.trace) }
      }
    }
  }
}
