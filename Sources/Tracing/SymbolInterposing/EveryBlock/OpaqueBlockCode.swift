internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// The replacement of the code of blocks without a usable signature: their calls are observed
/// without arguments.
final class OpaqueBlockCode: BlockCode, OpaqueCallObserver {
  let source: BlockSource

  /// The address of the blocks' own code.
  private let original: UInt

  private struct Observer: Sendable {
    let request: BlockRequest
    let observer: any OpaqueCallObserver
    let number: UInt32
  }

  /// The observers at one time; only the first is notified of calls.
  private final class Observers: Sendable {
    let all: [Observer]
    let count: UInt32

    init(_ all: [Observer], count: UInt32) {
      self.all = all
      self.count = count
    }
  }

  /// What calls read: handlers of signals make some, and children of a fork.
  private let published = PublishedObject(Observers([], count: 0))

  /// Held while the observers are replaced.
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

  /// Observers are not hooks: the block's own hooks run around them.
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
    guard let observer = request.observer(source) else { return }
    change { observers in
      guard !observers.all.contains(where: { $0.request === request }) else { return nil }
      let number = observers.count + 1
      return Observers(
        observers.all + [Observer(request: request, observer: observer, number: number)],
        count: number)
    }
    if request.isRemoved { remove(request) }
  }

  func remove(_ request: BlockRequest) {
    change { observers in
      Observers(observers.all.filter { $0.request !== request }, count: observers.count)
    }
  }

  private func change(_ body: (Observers) -> Observers?) {
    let old = lock.withLock { _ in published.withObject(body).map(published.exchange) }
    if let old { PublishedObject.retire(old) }
  }

  func begin() -> OpaqueCall {
    ReentrancyGuard.ignoringThread {
      published.withObject { observers in
        guard let first = observers.all.first(where: { !$0.request.isRemoved }) else {
          return OpaqueCall((0, 0, 0))
        }
        var call = first.observer.begin()
        call.observer = first.number
        return call
      }
    }
  }

  func abandon(_ call: OpaqueCall) { withObserver(of: call) { $0.abandon(call) } }

  func end(_ call: OpaqueCall) { withObserver(of: call) { $0.end(call) } }

  private func withObserver(of call: OpaqueCall, _ body: (any OpaqueCallObserver) -> Void) {
    ReentrancyGuard.ignoringThread {
      published.withObject { observers in
        if let first = observers.all.first(where: { $0.number == call.observer }) {
          body(first.observer)
        }
      }
    }
  }
}
