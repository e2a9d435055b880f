private import Synchronization
package import TypeEncodings

extension CallInterface {
  private struct Key: Hashable, Sendable {
    let encoding: String
    let usesStructReturn: Bool?
    let fixedArgumentCount: Int?
    let engine: CallEngine
  }

  private static let cache = Mutex<[Key: CallInterface]>([:])
  private static let cacheLimit = 1024

  /// The interface of a signature, made once and kept.
  ///
  /// The cache holds 1,024 interfaces; beyond that any one is dropped, and made again when needed.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package static func cached(
    for signature: MethodSignature, usesStructReturn: Bool? = nil, fixedArgumentCount: Int? = nil
  ) throws(InvocationError) -> CallInterface {
    let key = Key(
      encoding: signature.description, usesStructReturn: usesStructReturn,
      fixedArgumentCount: fixedArgumentCount, engine: .current)
    // Very long ones are rarely met twice, and would fill the memory.
    guard key.encoding.utf8.count <= 4096 else {
      return try CallInterface(
        signature, usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount)
    }
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = try CallInterface(
      signature, usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount)
    return cache.withLock { entries in
      if let other = entries[key] { return other }
      if entries.count >= cacheLimit { entries.remove(at: entries.startIndex) }
      entries[key] = made
      return made
    }
  }
}
