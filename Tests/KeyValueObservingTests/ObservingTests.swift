import KeyValueObserving
import TestSupport
import XCTest

final class ObservingTests: XCTestCase {
  func testASetTellsTheNewValue() {
    let person = Person("Ada")
    var log: [Change<String>] = []
    person.observe(\.name) { observed, change in
      XCTAssertIdentical(observed, person)
      XCTAssertEqual(person.name, "Grace")
      log.append(change)
    }
    person.name = "Grace"
    XCTAssertEqual(log, [Change(new: "Grace")])
  }

  func testEachObserverGetsWhatItAsksFor() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name, options: []) { log.append("none: \($1)") }
    person.observe(\.name, options: [.initial, .new]) { log.append("initial: \($1)") }
    person.observe(\.name, options: [.old, .new]) { log.append("both: \($1)") }
    person.observe(\.name, options: [.prior, .old, .new]) { log.append("prior: \($1)") }
    person.name = "Grace"
    XCTAssertEqual(
      log,
      [
        "initial: setting new Ada", "prior: will: setting old Ada", "none: setting",
        "initial: setting new Grace", "both: setting old Ada new Grace",
        "prior: setting old Ada new Grace",
      ])
  }

  func testAPathFollowsItsLinks() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.address?.city, options: [.old, .new]) { log.append("\($1)") }
    let london = Address("London")
    person.address = london
    london.city = "Londres"
    person.address = Address("Paris")
    london.city = "unseen"
    person.address?.city = "Lutetia"
    person.address = nil
    XCTAssertEqual(
      log,
      [
        "setting new London", "setting old London new Londres", "setting old Londres new Paris",
        "setting old Paris new Lutetia", "setting old Lutetia",
      ])
  }

  func testAComputedPropertyDependsOnWhatItReads() {
    let person = Person("Ada")
    var log: [String?] = []
    person.observe(\.greeting) { log.append($1.new) }
    person.name = "Grace"
    person.nickname = "G"
    person.name = "unseen"
    person.nickname = nil
    XCTAssertEqual(log, ["Hello, Grace", "Hello, G", "Hello, unseen"])
  }
}
