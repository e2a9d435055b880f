import KeyValueObserving
import XCTest

final class TransactionTests: XCTestCase {
  func testEachObserverIsToldOnceOfTheNetChange() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name, options: [.old, .new]) { log.append("name \($1)") }
    person.observe(\.greeting, options: [.prior, .old, .new]) { log.append("greeting \($1)") }
    person.observe(\.age) { log.append("age \($1)") }
    withChangeTransaction {
      person.name = "Grace"
      person.nickname = "G"
      person.name = "Jean"
      person.nickname = nil
      XCTAssertEqual(log, ["greeting will: setting old Hello, Ada"])
    }
    XCTAssertEqual(
      log,
      [
        "greeting will: setting old Hello, Ada", "name setting old Ada new Jean",
        "greeting setting old Hello, Ada new Hello, Jean",
      ])
    person.name = "Mary"
    XCTAssertEqual(log.count, 6)
  }

  func testDistinctSaysNothingOfAValueThatIsWhatItWas() {
    let person = Person("Ada")
    var count = 0
    person.observe(\.name, options: [.new, .distinct]) { _, _ in count += 1 }
    withChangeTransaction {
      person.name = "Grace"
      person.name = "Ada"
    }
    XCTAssertEqual(count, 0)
  }

  func testTheOuterTransactionTells() {
    let person = Person("Ada")
    var log: [Change<String>] = []
    person.observe(\.name, options: [.old, .new]) { log.append($1) }
    withChangeTransaction {
      withChangeTransaction { person.name = "Grace" }
      XCTAssertEqual(log, [])
      person.name = "Jean"
    }
    XCTAssertEqual(log, [Change(old: "Ada", new: "Jean")])
  }

  func testWhatWasChangedBeforeAnErrorIsTold() {
    struct Failure: Error {}
    let person = Person("Ada")
    var count = 0
    person.observe(\.name) { _, _ in count += 1 }
    XCTAssertThrowsError(
      try withChangeTransaction {
        person.name = "Grace"
        throw Failure()
      })
    XCTAssertEqual(count, 1)
    person.name = "Jean"
    XCTAssertEqual(count, 2)
  }

  func testChangesOfObserversAfterTheTransactionAreToldAtOnce() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name) { person, _ in person.age += 1 }
    person.observe(\.age) { log.append("age \($1)") }
    withChangeTransaction { person.name = "Grace" }
    XCTAssertEqual(log, ["age setting new 1"])
  }

  func testAnObserverRemovedDuringTheTransactionIsNotTold() {
    let person = Person("Ada")
    var count = 0
    let observation = person.observe(\.name) { _, _ in count += 1 }
    withChangeTransaction {
      person.name = "Grace"
      observation.remove()
    }
    XCTAssertEqual(count, 0)
  }

  func testCollectionsAreSetAsAWhole() {
    let team = Team()
    team.scores = [1]
    var log: [String] = []
    team.observe(\.scores, options: [.old, .new]) { log.append("\($1)") }
    withChangeTransaction {
      team.$scores.append(2)
      team.$scores.append(3)
    }
    XCTAssertEqual(log, ["setting old [1] new [1, 2, 3]"])
  }

  func testAnObjectThatDiesInTheTransactionIsSilent() {
    var count = 0
    weak var dead: Person?
    withChangeTransaction {
      let person = Person("Ada")
      dead = person
      person.observe(\.name) { _, _ in count += 1 }
      person.name = "Grace"
    }
    XCTAssertNil(dead)
    XCTAssertEqual(count, 1, "the transaction keeps what changed until its observers are told")
  }
}
