import KeyValueObserving
import TestSupport
import XCTest

/// A set within a call is told to all before the first goes on, each call with its own values: of
/// properties, paths and computed properties alike.
final class NestedChangeTests: XCTestCase {
  func testEachCallHasTheValuesOfItsOwnChange() {
    expectOwnValues("property", \.age)
    expectOwnValues("through a link", \.mirror.age)
    expectOwnValues("of a value", \.age.bigEndian.bigEndian)
    expectOwnValues("computed", \.sameAge)
  }

  private func expectOwnValues(_ name: String, _ keyPath: KeyPath<Person, Int>) {
    let person = Person()
    var log: [String] = []
    person.observe(keyPath, options: [.old, .new]) { person, change in
      log.append("a \(change)")
      if person.age == 3 { person.age = 4 }
    }
    person.observe(keyPath, options: [.old, .new]) { log.append("b \($1)") }
    person.age = 3
    XCTAssertEqual(
      log,
      [
        "a setting old 0 new 3", "a setting old 3 new 4", "b setting old 3 new 4",
        "b setting old 0 new 3",
      ], name)
  }

  func testAChangeIsToldAlsoWhereTheFirstObserverLeadsThePathElsewhere() {
    let ways: [(to: Address?, change: String)] = [
      (nil, "3>nil"), (Address("Oslo"), "3>Oslo"),
    ]
    for (address, change) in ways {
      let person = Person(in: "0")
      var log: [String] = []
      person.observe(\.address?.city, options: [.old, .new]) { person, change in
        log.append("a \(change.text(\.old))>\(change.text(\.new))")
        if change.new == "3" { person.address = address }
      }
      person.observe(\.address?.city, options: [.old, .new]) { _, change in
        log.append("b \(change.text(\.old))>\(change.text(\.new))")
      }
      person.address?.city = "3"
      XCTAssertEqual(log, ["a 0>3", "a \(change)", "b \(change)", "b 0>3"])
    }
  }

  func testAPriorCallHasTheValueBeforeItsOwnChange() {
    let person = Person(in: "0")
    var log: [String] = []
    for name in ["a", "b"] {
      var isFirst = name == "a"
      person.observe(\.address?.city, options: [.prior, .old, .new]) { person, change in
        log.append("\(name) \(change)")
        guard isFirst else { return }
        isFirst = false
        person.address?.city = "7"
      }
    }
    person.address?.city = "3"
    XCTAssertEqual(
      log,
      [
        "a will: setting old 0", "a will: setting old 0", "b will: setting old 0",
        "a setting old 0 new 7", "b setting old 0 new 7", "b will: setting old 0",
        "a setting old 0 new 3", "b setting old 0 new 3",
      ])
  }

  func testPathsAndPropertiesAreToldOfAManualChangeInTheOrderOfRegistration() {
    let account = Account()
    var log: [String] = []
    account.observe(\.balance.description) { log.append("path \($1)") }
    account.observe(\.balance) { log.append("property \($1)") }
    account.balance = 5
    XCTAssertEqual(log, ["path setting new 5", "property setting new 5"])
  }

  func testRandomNestedChangesAreToldAsTheRulesSay() { expectRules(inOrder: false) }

  func testRandomNestedChangesAreToldInOrderAsTheRulesSay() { expectRules(inOrder: true) }

  func testRandomPausesAreHeardAsTheRulesSay() {
    for inOrder in [false, true] { expectRules(inOrder: inOrder, isPausing: true) }
  }

  private func expectRules(inOrder: Bool, isPausing: Bool = false) {
    for seed in 0..<shortened(3_000) {
      let program = ModelProgram(seed: UInt64(seed), inOrder: inOrder, isPausing: isPausing)
      let expected = ExpectedRun(program).log
      let told = ObservedRun(program).log
      guard told != expected else { continue }
      return XCTFail("seed \(seed): \(program)\ntold\n\(told)\nexpected\n\(expected)")
    }
  }
}

extension Change {
  fileprivate func text(_ value: KeyPath<Change, Value?>) -> String {
    self[keyPath: value].map { "\($0)" } ?? "nil"
  }
}
