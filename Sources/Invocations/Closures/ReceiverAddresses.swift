private import BlockRuntimeThreads

/// The addresses by which calls protect some receivers; the addresses are only compared.
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
