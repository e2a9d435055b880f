private import BlockRuntimeThreads
internal import TypeEncodings

/// Interfaces by the address of their signature's arguments: the signature of an interface finds
/// that interface again without a comparison of types.
enum InterfaceIdentity {
  /// The address of a signature's arguments, which no other array has while an interface retains
  /// them.
  private struct Key: Hashable {
    let address: UInt
    let engine: CallEngine
  }

  private static let limit = 1024
  private static let known = GatedLock<[Key: CallInterface]>([:])

  /// The interface whose signature shares the memory of this one; nil if there is none.
  static func find(_ signature: MethodSignature, _ engine: CallEngine) -> CallInterface? {
    guard let key = key(signature, engine) else { return nil }
    let found = known.withLock { $0[key] }
    guard let found, found.signature.result == signature.result,
      found.signature.frameSize == signature.frameSize
    else { return nil }
    return found
  }

  /// Adds an interface, which its signature then finds.
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
    // SAFETY: the address is only compared.
    let address = unsafe signature.arguments.withUnsafeBufferPointer {
      UInt(bitPattern: $0.baseAddress)
    }
    return signature.arguments.isEmpty ? nil : Key(address: address, engine: engine)
  }
}
