private import BlockRuntimeThreads

// SAFETY, for the whole file: addresses are compared, and never followed.

/// What the calls of some receivers protect.
final class ReceiverAddresses: Sendable {
  private let addresses = Locked<[UInt]>([])

  func add(_ address: UnsafeRawPointer) {
    addresses.withLock { $0.append(UInt(bitPattern: address)) }
  }

  func forget(_ address: UnsafeRawPointer) {
    addresses.withLock { list in
      guard let index = list.firstIndex(of: UInt(bitPattern: address)) else { return }
      list.remove(at: index)
    }
  }

  /// Calls a closure with each address.
  func forEach(_ body: (UnsafeRawPointer) -> Void) {
    // Under the lock: the memory of a receiver that is forgotten may be another's.
    addresses.withLock { addresses in
      for address in addresses {
        if let address = unsafe UnsafeRawPointer(bitPattern: address) { unsafe body(address) }
      }
    }
  }
}
