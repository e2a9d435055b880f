import BlockHooks
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Calls that begin while a hook is being taken out, before they can know.
final class LateCallTests: XCTestCase {
  /// Stops a thread at a place until another thread lets it go on.
  private final class Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    let hasPassed = Atomic(false)

    func pass() {
      arrived.signal()
      opened.wait()
      hasPassed.store(true, ordering: .sequentiallyConsistent)
    }

    func awaitArrival() { arrived.wait() }
    func open() { opened.signal() }
  }

  /// The owner of one hook, whose calls learn of its removal when the owner is told.
  private final class Owner: HookOwner {
    private struct State {
      var link: HookLink?
      var entries: [CallEntry] = []
      var isLeaving = false
    }

    private let state = Mutex(State())
    let handler = Gate()
    let leaving = Gate()

    func install(_ link: HookLink, _ replaced: inout [CallReceiver]) throws(HookError) {
      do {
        let interface = try CallInterface.of("v")
        let receiver = CallReceiver(
          interface, hiddenArgumentCount: 0,
          first: CallHandler(mark: link.mark, onError: { XCTFail("\($0)") }) { [handler] _ in
            handler.pass()
          })
        let entry = try CallEntry(interface, receiver: receiver, .ownCode)
        state.withLock { state in
          state.link = link
          state.entries.append(entry)
        }
      } catch { XCTFail("\(error)") }
    }

    func detach(
      _ hook: HookState, suspending: Bool, _ replaced: inout [CallReceiver]
    ) -> HookLink? {
      state.withLock { state in
        state.isLeaving = suspending
        defer { state.link = nil }
        return suspending ? state.link : nil
      }
    }

    func hooksDidChange() {
      let isLeaving = state.withLock { state in
        defer { state.isLeaving = false }
        return state.isLeaving
      }
      if isLeaving { leaving.pass() }
    }

    func forget(_ hook: HookState) {}

    /// Makes a call that knows the first installation only.
    func callFirst() throws {
      let entry = try XCTUnwrap(state.withLock { $0.entries.first })
      // SAFETY: the entry's code is a function of that signature, and the owner keeps it.
      let function = unsafe try CFunction(unsafeAddress: entry.code, signature: "v")
      try function() as Void
    }
  }

  func testRemoveAndWaitWaitsForACallThatBeganWhileAnotherThreadSuspended() throws {
    let owner = Owner()
    let hook = try HookDefinition { _ in }.install(on: owner, CallInterface.of("v"))
    let threads = ThreadGroup()
    threads.start { hook.suspend() }
    owner.leaving.awaitArrival()
    XCTAssertTrue(try hook.resume())
    threads.start {
      do { try owner.callFirst() } catch { XCTFail("\(error)") }
    }
    owner.handler.awaitArrival()
    let isRemoved = DispatchSemaphore(value: 0)
    threads.start {
      hook.remove()
      isRemoved.signal()
      hook.removeAndWait()
      XCTAssertTrue(owner.handler.hasPassed.load(ordering: .sequentiallyConsistent))
    }
    isRemoved.wait()
    // Gives a removal that does not wait time to be seen.
    for _ in 0..<1_000 { sched_yield() }
    owner.handler.open()
    owner.leaving.open()
    threads.wait()
  }
}
