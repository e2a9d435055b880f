private import Synchronization

// SAFETY, for the whole file: addresses are compared, and never followed.

/// By what a handler is stopped, and its running calls are found.
///
/// Calls of the handler announce the mark. A call whose first level is the handler announces only its
/// receiver, which stands for both.
package final class HandlerMark: Sendable {
  private let removed = Atomic<Bool>(false)

  /// The receivers whose first level the handler is.
  private let receivers = Mutex<[UInt]>([])

  package init() {}

  package var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Lets no call of the handler start that is announced from now on.
  ///
  /// - Returns: False if that was done before.
  package func remove() -> Bool { !removed.exchange(true, ordering: .acquiringAndReleasing) }

  func add(_ receiver: CallReceiver) {
    receivers.withLock { $0.append(Self.address(of: receiver)) }
  }

  func forget(_ receiver: CallReceiver) {
    let address = Self.address(of: receiver)
    receivers.withLock { $0.removeAll { $0 == address } }
  }

  /// How many calls of the handler are running on all threads, once it has been removed and its
  /// receivers replaced; the end of each of them is noticed.
  package var runningCalls: Int { unsafe count { unsafe RunningCalls.count(of: $0) } }

  /// How many calls of the handler are running on this thread.
  package var runningCallsHere: Int { unsafe count { unsafe RunningCalls.countHere(of: $0) } }

  private func count(_ count: (UnsafeRawPointer) -> Int) -> Int {
    let own = unsafe count(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    let addresses = receivers.withLock { $0 }
    return addresses.reduce(own) { sum, address in
      unsafe sum + (UnsafeRawPointer(bitPattern: address).map(count) ?? 0)
    }
  }

  private static func address(of receiver: CallReceiver) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(receiver).toOpaque())
  }
}
