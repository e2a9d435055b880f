private import BlockRuntimeThreads
internal import TypeEncodings

/// Interfaces by the memory of their signature: whoever hands on the signature of an interface gets
/// that interface again, without a look at the types.
enum InterfaceIdentity {
  /// A signature's arguments in memory, which an interface keeps from being another's.
  private struct Key: Hashable {
    let address: UInt
    let engine: CallEngine
  }

  private static let limit = 1024
  private static let known = Locked<[Key: CallInterface]>([:])

  /// The interface that a signature is the very one of.
  static func find(_ signature: MethodSignature, _ engine: CallEngine) -> CallInterface? {
    guard let key = key(signature, engine) else { return nil }
    let found = known.withLock { $0[key] }
    guard let found, found.signature.result == signature.result,
      found.signature.frameSize == signature.frameSize
    else { return nil }
    return found
  }

  /// Has an interface be found.
  static func insert(_ interface: CallInterface, _ engine: CallEngine) {
    guard let key = key(interface.signature, engine) else { return }
    let dropped = known.withLock { known in
      let dropped = known.count < limit ? [:] : known
      if known.count >= limit { known = [:] }
      known[key] = interface
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }

  private static func key(_ signature: MethodSignature, _ engine: CallEngine) -> Key? {
    // SAFETY: the address is compared only.
    let address = unsafe signature.arguments.withUnsafeBufferPointer {
      UInt(bitPattern: $0.baseAddress)
    }
    return signature.arguments.isEmpty ? nil : Key(address: address, engine: engine)
  }
}
