import KeyValueObserving
import TestSupport
import XCTest

/// Changes of members that are told as settings, whose old values are not known.
final class UnknownOldValueTests: XCTestCase {
  func testASettingInsteadOfARemovalHasNoMembersAsOldValue() throws {
    let shelf = Member("A")
    let changes: [(Member) throws -> Void] = [
      { XCTAssertThrowsError(try $0.$floors.remove(at: 2)) },
      { shelf in
        XCTAssertThrowsError(try shelf.mutableArrayValue(forKey: "floors").remove(at: 2))
      },
    ]
    for change in changes {
      shelf.floors = [1, 2, 3]
      var log: [Change<[Int]>] = []
      var isFirst = true
      let token = shelf.observe(\.floors, options: [.old, .new]) { log.append($1) }
      let other = shelf.observe(\.floors, options: .prior) { shelf, change in
        guard change.isPrior, isFirst else { return }
        isFirst = false
        shelf.floors = [1, 2]
      }
      try change(shelf)
      XCTAssertEqual(log.last, Change(new: [1, 2]))
      for observation in [token, other] { observation.remove() }
    }
  }

  func testATransactionDoesNotTakeRemovedMembersForTheValueBefore() {
    let team = Team()
    team.scores = [1, 2]
    var log: [Change<[Int]>] = []
    team.observe(\.scores, options: [.old, .new]) { log.append($1) }
    team.willChange(\.scores, .removal, at: RangeSet(0..<1))
    team.scores.removeFirst()
    withChangeTransaction {
      team.didChange(\.scores)
      team.$scores.append(3)
    }
    XCTAssertEqual(log, [Change(new: [2, 3])])
  }
}
