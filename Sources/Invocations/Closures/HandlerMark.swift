private import Synchronization

// SAFETY, for the whole file: addresses are compared, and never followed.

/// By what a handler is stopped, and its running calls are found.
///
/// Calls of the handler announce the mark. A call whose first level is the handler announces only its
/// receiver, which stands for both.
package final class HandlerMark: Sendable {
  private let removed = Atomic<Bool>(false)

  /// The receivers whose first level the handler is.
  let receivers = ReceiverAddresses()

  package init() {}

  package var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Lets no call of the handler start that is announced from now on.
  ///
  /// - Returns: False if that was done before.
  package func remove() -> Bool { !removed.exchange(true, ordering: .acquiringAndReleasing) }

  /// How many calls of the handler are running on all threads, once it has been removed and its
  /// receivers replaced; the end of each of them is noticed.
  package var runningCalls: Int { unsafe count { unsafe RunningCalls.count(of: $0) } }

  /// How many calls of the handler are running on this thread.
  package var runningCallsHere: Int { unsafe count { unsafe RunningCalls.countHere(of: $0) } }

  private func count(_ count: (UnsafeRawPointer) -> Int) -> Int {
    let own = unsafe count(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    return unsafe own + receivers.sum(count)
  }
}
