#if Database
private import Glibc

/// The blocks that share results: of one name, one version, one signature and one coding.
package struct ResultScope: Hashable, Sendable {
  /// The bytes of the blocks' name: equal text with other bytes is another name.
  let name: [UInt8]

  /// The bytes of a text with everything that distinguishes the scope, such as version, signature
  /// and coding.
  let identity: [UInt8]

  init(name: [UInt8], identity: [UInt8]) {
    self.name = name
    self.identity = identity
  }

  package init(name: String, version: Int, parts: [String]) {
    self.init(
      name: Array(name.utf8),
      identity: Array(
        ([name, "\(version)", Self.processor] + parts).map(\.debugDescription)
          .joined(separator: " ").utf8))
  }

  /// Whether the identity has a part, which is not its last one.
  ///
  /// Inside of a part no quotation mark follows a space, because quotation marks are escaped.
  func contains(_ part: String) -> Bool {
    identity.firstRange(of: Array(" \(part.debugDescription) ".utf8)) != nil
  }

  /// The processor, which decides the form of a `long double`.
  private static var processor: String {
    #if arch(x86_64)
    "x86-64"
    #elseif arch(arm64)
    "AArch64"
    #else
    "other"
    #endif
  }
}

/// The key that distinguishes a row from all others: its scope, and the bytes of a call's key.
package struct RowKey: Hashable, Sendable {
  let scope: ResultScope
  let key: [UInt8]

  package init(scope: ResultScope, key: [UInt8]) {
    self.scope = scope
    self.key = key
  }

  /// How many bytes the key has together with a row.
  func size(with row: StoredRow) -> Int { key.count + row.value.count }
}

/// A result as it is stored.
package struct StoredRow: Sendable {
  let value: [UInt8]
  let cost: Int64

  /// The time of the call's return, in nanoseconds since 1970.
  let written: Int64

  package init(value: [UInt8], cost: Int64, written: Int64) {
    self.value = value
    self.cost = cost
    self.written = written
  }

  /// The sum by which a damaged row is recognised: of everything that decides which calls the row
  /// answers, how, and how long.
  func checksum(_ key: RowKey) -> Int64 {
    var sum = Checksum()
    sum.add(key.scope.identity)
    sum.add(key.key)
    sum.add(value)
    sum.add(cost)
    sum.add(written)
    return Int64(bitPattern: sum.value)
  }
}

/// A sum of 64 bits by FNV-1a: <http://www.isthe.com/chongo/tech/comp/fnv/>.
private struct Checksum {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    add(Int64(bytes.count))
    for byte in bytes { add(byte) }
  }

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
}

/// The system's time of day, in nanoseconds since 1970.
@Sendable func systemTime() -> Int64 {
  var time = timespec()
  // SAFETY: the structure is written within its bounds.
  _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
#endif
