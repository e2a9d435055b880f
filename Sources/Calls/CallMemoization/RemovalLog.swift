/// A log of removals: a result that a call began to compute before its removal is not stored after
/// it.
///
/// Keys are told apart by hashes. Only the last removals of single keys are known: results whose
/// computation began before them count as removed.
package struct RemovalLog: Sendable {
  private static let capacity = 1024

  /// The number of removals, which the computation of a result takes as its ticket when it begins.
  package private(set) var ticket: UInt64 = 0

  /// The ticket after the last removal of all results.
  private var lastOfAll: UInt64 = 0

  /// The tickets after the last removals of single keys.
  private var last: [Int: UInt64] = [:]

  package init() {}

  /// Notes the removal of a key; if a ticket is given, only for computations that began before it.
  package mutating func note(_ hash: Int, before given: UInt64? = nil) {
    let ticket = given ?? nextTicket()
    guard last.count == Self.capacity else {
      last[hash] = max(last[hash] ?? 0, ticket)
      return
    }
    lastOfAll = max(lastOfAll, ticket, last.values.max() ?? 0)
    last.removeAll()
  }

  /// Notes the removal of all keys, or of unknown ones.
  package mutating func noteAll() {
    lastOfAll = nextTicket()
    last.removeAll()
  }

  /// Makes a new ticket, by which computations that began before and after are told apart; nothing
  /// is removed.
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
