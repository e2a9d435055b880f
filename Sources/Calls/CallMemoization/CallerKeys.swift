internal import BlockHooks
internal import Invocations

/// Keys that the caller makes, compared by their `==`; in front of a tier, two keys are the same
/// only if their bytes are, too.
struct CallerKeys<Made: Hashable & Sendable>: MemoKeys {
  struct Key: Hashable, Sendable {
    let made: Made

    /// The key's bytes in a tier; nil without a tier, and if equal keys have the same bytes anyway.
    let bytes: [UInt8]?

    func hash(into hasher: inout Hasher) {
      if let bytes { bytes.hash(into: &hasher) } else { made.hash(into: &hasher) }
    }
  }

  let make: @Sendable (inout CallFrame) throws -> Made

  /// The form of keys in the tier; nil if there is none.
  let coding: MemoKeyCoding<Made>?

  func key(of call: inout CallFrame) throws -> Key? { key(try make(&call)) }

  static func isOwn(_ key: Key) -> Bool { Made.self == Int.self || Made.self == String.self }

  static var isCallers: Bool { true }

  func key(made key: AnyHashable) -> Key? { (key.base as? Made).map(self.key) }

  func made(_ key: Key) -> AnyHashable? { AnyHashable(key.made) }

  func code(_ key: Key) -> [UInt8]? { coding?.code(key.made) }

  private func key(_ made: Made) -> Key {
    guard let coding, !coding.isTold else { return Key(made: made, bytes: nil) }
    return Key(made: made, bytes: coding.encode(made))
  }
}

/// The form of a caller's keys in a tier, which compares bytes.
package struct MemoKeyCoding<Key: Hashable & Sendable>: Sendable {
  /// The bytes of a key; nil for one that cannot be coded.
  package let encode: @Sendable (Key) -> [UInt8]?

  /// The key that has these bytes; nil if no key has them.
  package let decode: @Sendable ([UInt8]) -> Key?

  /// Whether equal keys have the same bytes: then no key is encoded to be compared.
  let isTold: Bool

  package init(
    encode: @escaping @Sendable (Key) -> [UInt8]?, decode: @escaping @Sendable ([UInt8]) -> Key?,
    isTold: Bool = false
  ) {
    self.encode = encode
    self.decode = decode
    self.isTold = isTold
  }

  /// The bytes under which a key's result is stored; nil for a key that does not equal what its
  /// bytes are decoded to, because another key may have the same bytes.
  package func code(_ key: Key) -> [UInt8]? {
    encode(key).flatMap { decode($0) == key ? $0 : nil }
  }
}
