/// Removals of results, so that what a call began to compute before one of them is not stored after
/// it.
///
/// Keys are told apart by hashes. Only the last removals of single keys are known: what began
/// before them counts as removed.
package struct RemovalLog: Sendable {
  private static let capacity = 1024

  /// The number of removals: who begins to compute a result takes it as a ticket.
  package private(set) var ticket: UInt64 = 0

  /// The ticket after the last removal of all results.
  private var lastOfAll: UInt64 = 0

  /// The tickets after the last removals of single keys.
  private var last: [Int: UInt64] = [:]

  package init() {}

  /// Notes the removal of a key; if a ticket is given, only of what began before that.
  package mutating func note(_ hash: Int, before given: UInt64? = nil) {
    let ticket = given ?? nextTicket()
    guard last.count == Self.capacity else {
      last[hash] = max(last[hash] ?? 0, ticket)
      return
    }
    lastOfAll = max(lastOfAll, ticket, last.values.max() ?? 0)
    last.removeAll()
  }

  /// Notes the removal of all keys, or of some that are not known.
  package mutating func noteAll() {
    lastOfAll = nextTicket()
    last.removeAll()
  }

  /// A ticket that tells apart what began before and after it; it removes nothing.
  package mutating func nextTicket() -> UInt64 {
    ticket += 1
    return ticket
  }

  /// Whether a key was removed since a ticket was taken.
  package func covers(_ hash: Int, since earlier: UInt64) -> Bool {
    if earlier == ticket { return false }
    return lastOfAll > earlier || last[hash] ?? 0 > earlier
  }
}
