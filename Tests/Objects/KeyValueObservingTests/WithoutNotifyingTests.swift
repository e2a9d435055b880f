import KeyValueObserving
import TestSupport
import XCTest

/// Changes of which observers are not notified.
final class WithoutNotifyingTests: XCTestCase {
  func testNobodyIsToldOfTheChangesAndTheNextOneHasTheValueThatIsLeft() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name, options: [.old, .new, .prior]) { log.append("name \($1)") }
    person.observe(\.greeting, options: [.old, .new]) { log.append("greeting \($1)") }
    person.observe(\.mirror.name, options: [.old, .new]) { log.append("path \($1)") }
    let count = person.withoutNotifying(\.name) {
      person.name = "Bo"
      person.name += "b"
      return person.name.count
    }
    XCTAssertEqual(count, 3)
    XCTAssertEqual(log, [])
    person.name = "Cy"
    XCTAssertEqual(
      log,
      [
        "name will: setting old Bob", "name setting old Bob new Cy",
        "greeting setting old Hello, Bob new Hello, Cy", "path setting old Bob new Cy",
      ])
  }

  func testOnlyTheNamedPropertyIsSilent() {
    let person = Person("Ada", in: "Rome")
    var log: [String] = []
    person.observe(\.age) { log.append("age \($1)") }
    person.observe(\.greeting) { log.append("greeting \($1)") }
    person.observe(\.address?.city) { log.append("city \($1)") }
    person.withoutNotifying(\.greeting) { person.name = "Bo" }
    person.withoutNotifying(\.address) {
      person.address?.city = "Oslo"
      person.age = 1
    }
    person.withoutNotifying(\.address?.city) { person.address?.city = "Bern" }
    XCTAssertEqual(
      log,
      [
        "greeting setting new Hello, Bo", "city setting new Oslo", "age setting new 1",
        "city setting new Bern",
      ])
  }

  func testPathsFollowWhereThePropertyLeads() {
    let person = Person(in: "Rome")
    let rome = person.address
    var log: [String] = []
    person.observe(\.address?.city, options: [.old, .new]) { log.append("\($1)") }
    let oslo = Address("Oslo")
    person.withoutNotifying(\.address) { person.address = oslo }
    rome?.city = "Roma"
    oslo.city = "Bergen"
    XCTAssertEqual(log, ["setting old Oslo new Bergen"])
  }

  func testInEveryWayThatAPropertyIsChanged() {
    let team = Team()
    var count = 0
    team.observe(\.scores, options: [.prior, .old, .new]) { _, _ in count += 1 }
    team.observe(\.count) { _, _ in count += 1 }
    let changes: [() -> Void] = [
      { team.scores = [1] }, { team.scores.append(2) }, { team.$scores.append(3) },
      { team.$scores.mutate { $0.reverse() } }, { team[keyPath: \.scores] = [4] },
      { team.withChange(of: \.scores, .insertion) { team.scores.append(5) } },
      { withChangeTransaction { team.$scores.append(6) } },
      { team.withoutNotifying(\.scores) { team.scores = [7] } },
    ]
    for change in changes { team.withoutNotifying(\.scores, change) }
    XCTAssertEqual(count, 0)
    withChangeTransaction { team.withoutNotifying(\.scores) { team.scores = [8] } }
    XCTAssertEqual(count, 0)
    team.scores = []
    XCTAssertEqual(count, 3)
    let account = Account()
    account.observe(\.balance) { _, _ in XCTFail("told") }
    account.withoutNotifying(\.balance) { account.balance = 5 }
    XCTAssertEqual(account.balance, 5)
  }

  func testTheOutermostDecides() {
    let person = Person()
    var log: [Change<Int>] = []
    person.observe(\.age, options: [.old, .new]) { log.append($1) }
    person.withChange(of: \.age) { person.withoutNotifying(\.age) { person.age = 1 } }
    XCTAssertEqual(log, [Change(old: 0, new: 1)])
    person.withoutNotifying(\.age) {
      person.withChange(of: \.age) { person.age = 2 }
      person.didChange(\.age)
      XCTAssertEqual(log.count, 1, "an end without a beginning")
    }
    XCTAssertEqual(log.count, 1)
    person.age = 3
    XCTAssertEqual(log.last, Change(old: 2, new: 3))
  }

  func testAnObserverThatTheClosureAddsHearsOfLaterChanges() {
    for isObserved in [false, true] {
      let person = Person()
      var count = 0
      if isObserved { person.observe(\.age) { _, _ in } }
      person.withoutNotifying(\.age) {
        person.observe(\.age) { _, _ in count += 1 }
        person.age = 1
      }
      XCTAssertEqual(count, 0)
      person.age = 2
      XCTAssertEqual(count, 1)
    }
  }

  func testAnErrorEndsIt() {
    struct Failure: Error {}
    let person = Person()
    var count = 0
    person.observe(\.age) { _, _ in count += 1 }
    XCTAssertThrowsError(
      try person.withoutNotifying(\.age) {
        person.age = 1
        throw Failure()
      })
    person.age = 2
    XCTAssertEqual(count, 1)
  }

  func testWithinTheCallBeforeAChange() {
    let person = Person()
    var log: [Change<Int>] = []
    person.observe(\.age, options: [.old, .new, .prior]) { person, change in
      if change.isPrior { person.withoutNotifying(\.age) { person.age = 7 } }
      log.append(change)
    }
    person.age = 1
    XCTAssertEqual(log, [Change(old: 0, isPrior: true), Change(old: 0, new: 1)])
  }

  func testAPropertyThatIsChangedInPlaceMeanwhileFollowsAtTheEnd() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.letterhead) { log.append("\($1)") }
    let oslo = Address("Oslo")
    func change(_ name: inout String) {
      person.withoutNotifying(\.address) { person.address = oslo }
      name = "Bo"
    }
    change(&person.name)
    oslo.city = "Bergen"
    XCTAssertEqual(
      log, ["setting new Hello, Bo of Oslo", "setting new Hello, Bo of Bergen"])
  }

  func testAnEndWithoutABeginningLeavesTheSilence() {
    let person = Person()
    var count = 0
    person.observe(\.age) { _, _ in count += 1 }
    person.withoutNotifying(\.age) {
      person.didChange(\.age)
      person.age = 1
    }
    XCTAssertEqual(count, 0)
    person.age = 2
    XCTAssertEqual(count, 1)
  }

  func testAnEndWithoutABeginningLeavesNestedSilence() {
    let person = Person()
    var log: [Change<Int>] = []
    person.observe(\.age, options: [.old, .new]) { log.append($1) }
    person.withoutNotifying(\.age) {
      person.withoutNotifying(\.age) {
        person.didChange(\.age)
        person.age = 1
      }
      person.age = 2
    }
    XCTAssertEqual(log, [])
    person.age = 3
    XCTAssertEqual(log, [Change(old: 2, new: 3)])
  }

  func testAPathThatLeavesAManualChangeInSilenceHasTheValueThatIsLeft() {
    final class Node: KeyValueObservable {
      @Observed var next: Node?
      @ManuallyObserved var value = 1
    }
    let (root, first, second) = (Node(), Node(), Node())
    root.next = first
    second.value = 5
    var log: [Change<Int>] = []
    root.observe(\.next?.value, options: [.old, .new]) { log.append($1) }
    first.willChange(\.value)
    first.value = 2
    root.withoutNotifying(\.next) { root.next = second }
    first.didChange(\.value)
    second.withChange(of: \.value) { second.value = 6 }
    XCTAssertEqual(log, [Change(old: 5, new: 6)])
  }

  func testAnotherPropertysChangeWithinASilentChangeInPlaceIsTold() {
    final class Box: KeyValueObservable {
      @Observed var name = "a"
      @Observed var items: [Int] = []
      var text: String { "\(name) \(items.count)" }
    }
    let box = Box()
    var log: [String?] = []
    box.observe(\.text) { log.append($1.new) }
    func change(_ items: inout [Int]) {
      items.append(1)
      box.name = "b"
    }
    box.withoutNotifying(\.items) { change(&box.items) }
    XCTAssertEqual(log, ["b 1"])
    box.name = "c"
    XCTAssertEqual(log, ["b 1", "c 1"])
  }
}
