#if Database
private import Glibc

/// The blocks that share results: of one name, one version, one signature and one coding.
package struct ResultScope: Hashable, Sendable {
  /// The bytes of the blocks' name: equal text with other bytes is another name.
  let name: [UInt8]

  /// The bytes of a text that differs in all that makes results another's.
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

  /// Whether there is a part, which is not the last one.
  ///
  /// Inside of a part no quotation mark follows a space: they are escaped.
  func contains(_ part: String) -> Bool {
    identity.firstRange(of: Array(" \(part.debugDescription) ".utf8)) != nil
  }

  /// What decides the form of a `long double`.
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

/// What distinguishes one row from all others.
package struct RowKey: Hashable, Sendable {
  let scope: ResultScope
  let key: [UInt8]

  package init(scope: ResultScope, key: [UInt8]) {
    self.scope = scope
    self.key = key
  }

  /// How many bytes it has together with a row.
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

  /// The sum that tells a damaged row: of everything that decides what is answered, and when.
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
