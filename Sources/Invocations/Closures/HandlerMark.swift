private import Synchronization

// SAFETY, for the whole file: addresses are compared, and never followed.

/// By what a handler is stopped, and its running calls are found.
///
/// Calls of the handler protect the mark. A call whose first level is the handler protects only its
/// receiver, which stands for both.
package final class HandlerMark: Sendable {
  private let removed = Atomic<Bool>(false)

  /// The receivers whose first level the handler is.
  let receivers = ReceiverAddresses()

  package init() {}

  package var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Lets no call of the handler start that is protected from now on.
  ///
  /// - Returns: False if that was done before.
  package func remove() -> Bool { !removed.exchange(true, ordering: .acquiringAndReleasing) }

  /// The calls of the handler that are running on all threads, once it has been removed and its
  /// receivers replaced; their ends are noticed.
  package var runningCalls: HazardPointers.Found {
    var found = unsafe HazardPointers.findRunning(address)
    unsafe receivers.forEach { unsafe found += HazardPointers.findRunning($0) }
    return found
  }

  /// How many calls of the handler are running on this thread.
  package var runningCallsHere: Int {
    var count = unsafe HazardPointers.countHere(running: address)
    unsafe receivers.forEach { unsafe count += HazardPointers.countHere(running: $0) }
    return count
  }

  private var address: UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}
