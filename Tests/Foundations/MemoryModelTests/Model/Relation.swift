/// A relation between at most 64 events.
struct Relation {
  /// For each event, the events that it is related to.
  private var rows: [UInt64]

  init(count: Int) {
    precondition(count <= 64, "a program of more than 64 events")
    rows = Array(repeating: 0, count: count)
  }

  func contains(_ first: Int, _ second: Int) -> Bool { rows[first] & 1 << UInt64(second) != 0 }

  mutating func insert(_ first: Int, _ second: Int) { rows[first] |= 1 << UInt64(second) }

  mutating func formUnion(_ other: Relation) {
    for index in rows.indices { rows[index] |= other.rows[index] }
  }

  /// Whether no event leads back to itself.
  var isAcyclic: Bool {
    var closure = rows
    for middle in closure.indices {
      for first in closure.indices where closure[first] & 1 << UInt64(middle) != 0 {
        closure[first] |= closure[middle]
      }
    }
    return closure.indices.allSatisfy { closure[$0] & 1 << UInt64($0) == 0 }
  }
}
