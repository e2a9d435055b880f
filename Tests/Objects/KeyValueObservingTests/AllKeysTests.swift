import KeyValueObserving
import TestSupport
import XCTest

/// One observer of all keys of a class.
final class AllKeysTests: XCTestCase {
  func testItIsToldOfEachKeyThatChanges() {
    let member = Member("Ada", 36, in: "London")
    var log: [String] = []
    let token = member.observeAll(options: [.old, .new]) { log.append("\($0.name): \($1) \($2)") }
    member.age = 37
    member.office?.city = "Rome"
    member.settings["a"] = 1
    member.mood = "glad"
    XCTAssertEqual(
      log,
      [
        "Ada: age setting old 36 new 37", "Ada: title setting old Ada, 36 new Ada, 37",
        "Ada: city setting old London new Rome",
        #"Ada: settings setting old [:] new ["a": 1]"#,
      ])
    XCTAssertEqual(member.observations.map(\.name), [token.name])
    token.suspend()
    (member.age, member.age) = (38, 39)
    token.resume(tellingLast: true)
    XCTAssertEqual(
      log.suffix(2),
      ["Ada: age setting old 37 new 39", "Ada: title setting old Ada, 37 new Ada, 39"])
    XCTAssertEqual(member.removeObservers(), 1)
    member.age = 0
    XCTAssertEqual(log.count, 6)
  }

  func testASubclassesKeysAndInheritedOnesAreTold() {
    let manager = Manager("Bo")
    var log: [String] = []
    manager.observeAll { (manager: Manager, key, change) in log.append("\(key) \(change)") }
    manager.budget = 5
    manager.name = "Cy"
    XCTAssertEqual(
      log,
      [
        "age setting new 5", "budget setting new 5", "name setting new Cy",
        "title setting new Cy, 0", "twice setting new Cy",
      ])
  }

  func testInitialCallsNameAllKeysAndMayEndTheObservation() {
    let office = Office("Rome")
    var keys: [String] = []
    office.observeAll(options: [.initial, .new]) { _, key, _ in keys.append(key) }.remove()
    XCTAssertEqual(keys, Office.keys.names)
    struct Enough: Error {}
    let token = office.observeAll(options: .initial) { _, key, _ in
      keys.append(key)
      throw Enough()
    }
    XCTAssertEqual(keys.count, 5)
    XCTAssertTrue(token.isRemoved && token.failure is Enough)
    XCTAssertEqual(office.observations.count, 0)
  }

  func testItLetsGoItsClosure() {
    let tracker = LifetimeTracker()
    do {
      let office = Office()
      office.observeAll { [tracked = tracker.track()] _, _, _ in _ = tracked }
      office.floor = 1
    }
    tracker.expectNothingAlive()
  }
}
