private import BlockRuntimeThreads
public import Synchronization

/// The mark of a handler: it says whether the handler is installed, and finds its running calls.
///
/// Calls of the handler protect its mark by a hazard pointer. A call whose first level is the
/// handler protects only its receiver, so the mark has the addresses of those receivers.
@usableFromInline
package final class HandlerMark: Sendable {
  @usableFromInline let removed = Atomic<Bool>(false)

  /// The receivers whose first level is the handler.
  let receivers = ReceiverAddresses()

  package init() {}

  @inlinable package var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// Prevents calls of the handler from starting.
  ///
  /// A call that protected the mark before may still start.
  package func remove() { removed.store(true, ordering: .releasing) }

  /// Lets calls of the handler start again.
  package func restore() { removed.store(false, ordering: .releasing) }

  /// The calls of the handler that are running on any thread, whose ends are then reported.
  ///
  /// The mark must have been removed, and its receivers replaced, before.
  package var runningCalls: HazardPointers.Found {
    // SAFETY: the addresses are only compared.
    var found = unsafe HazardPointers.findRunning(address)
    unsafe receivers.forEach { unsafe found += HazardPointers.findRunning($0) }
    return found
  }

  /// Makes calls of the handler that are just entering visible to later scans.
  package func makeEnteringCallsVisible() { _ = runningCalls }

  /// How many calls of the handler are running on this thread.
  package var runningCallsHere: Int {
    // SAFETY: the addresses are only compared.
    var count = unsafe HazardPointers.countHere(running: address)
    unsafe receivers.forEach { unsafe count += HazardPointers.countHere(running: $0) }
    return count
  }

  /// Counts the calls that run the object at an address, and protect it, as calls of the handler.
  package func include(_ address: UnsafeRawPointer) { unsafe receivers.add(address) }

  /// Ends what `include` began, before the object is freed.
  package func exclude(_ address: UnsafeRawPointer) { unsafe receivers.forget(address) }

  // SAFETY: the address is only compared.
  /// The address that calls protect.
  private var address: UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

/// The addresses by which calls protect some receivers; the addresses are only compared.
final class ReceiverAddresses: Sendable {
  private let addresses = GatedLock<[UInt]>([])

  func add(_ address: UnsafeRawPointer) {
    addresses.withLock { $0.append(UInt(bitPattern: address)) }
  }

  func forget(_ address: UnsafeRawPointer) {
    addresses.withLock { list in
      guard let index = list.firstIndex(of: UInt(bitPattern: address)) else { return }
      list.remove(at: index)
    }
  }

  /// Calls a closure with each address, under the lock.
  func forEach(_ body: (UnsafeRawPointer) -> Void) {
    // Only under the lock does an address certainly belong to the same receiver: once it is
    // forgotten, its memory may be reused.
    // SAFETY: the addresses are only compared.
    addresses.withLock { addresses in
      for address in addresses {
        if let address = unsafe UnsafeRawPointer(bitPattern: address) { unsafe body(address) }
      }
    }
  }
}

extension HandlerMark: ReferenceTable {}

extension ReceiverAddresses: ReferenceTable {}
