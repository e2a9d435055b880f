import KeyValueObserving
import XCTest

final class ReentrancyTests: XCTestCase {
  private var log: [String] = []

  func testASetWithinACallIsToldToAllBeforeTheFirstGoesOn() {
    let person = Person("Ada")
    person.observe(\.age, options: [.old, .new]) { person, change in
      self.log.append("a \(change)")
      if person.age < 3 { person.age += 1 }
    }
    person.observe(\.age, options: [.old, .new]) { self.log.append("b \($1)") }
    person.age = 1
    XCTAssertEqual(
      log,
      [
        "a setting old 0 new 1", "a setting old 1 new 2", "a setting old 2 new 3",
        "b setting old 2 new 3", "b setting old 1 new 2", "b setting old 0 new 1",
      ])
  }

  func testASetWithinAPriorCall() {
    let person = Person("Ada", in: "London")
    var isNested = false
    person.observe(\.address?.city, options: [.prior, .old, .new]) { person, change in
      self.log.append("\(change)")
      if change.isPrior, !isNested {
        isNested = true
        person.address = Address("Paris")
      }
    }
    person.address?.city = "Rome"
    person.address?.city = "Bern"
    XCTAssertEqual(
      log,
      [
        "will: setting old London", "will: setting old London",
        "setting old London new Paris",
        "will: setting old Paris", "setting old Paris new Bern",
      ], "the first address is no longer the person's when it changes")
  }

  func testAnObserverAddedDuringAChangeIsToldOfLaterOnesOnly() {
    let person = Person("Ada")
    person.observe(\.age, options: .prior) { person, change in
      self.log.append(change.isPrior ? "will" : "did")
      guard self.log.count == 1 else { return }
      person.observe(\.age) { _, _ in self.log.append("same key") }
      person.observe(\.name) { _, _ in self.log.append("other key") }
    }
    person.age = 1
    XCTAssertEqual(log, ["will", "did"])
    person.name = "Grace"
    person.age = 2
    XCTAssertEqual(log, ["will", "did", "other key", "will", "did", "same key"])
  }

  func testAnObserverAddedInACallAfterTheChangeIsNotToldOfThatChange() {
    let person = Person("Ada")
    var isAdded = false
    person.observe(\.age) { person, _ in
      self.log.append("first")
      guard !isAdded else { return }
      isAdded = true
      person.observe(\.age) { _, _ in self.log.append("added") }
    }
    person.observe(\.age) { _, _ in self.log.append("second") }
    person.age = 1
    XCTAssertEqual(log, ["first", "second"])
  }

  func testObserversMayReadAndChangeEverything() throws {
    let team = Team()
    team.observe(\.scores, options: [.prior, .new]) { team, change in
      self.log.append("\(change) \(team.scores)")
      if !change.isPrior, team.scores.count < 3 { team.$scores.append(team.scores.count) }
    }
    team.$scores.append(0)
    XCTAssertEqual(team.scores, [0, 1, 2])
    XCTAssertEqual(log.count, 6)
  }

  func testARootThatIsReleasedByItsObserver() {
    var person: Person? = Person("Ada", in: "London")
    weak let dead = person
    person?.observe(\.address?.city) { _, _ in
      person = nil
      self.log.append("called")
    }
    let address = person?.address
    address?.city = "Paris"
    XCTAssertNil(dead)
    address?.city = "Rome"
    XCTAssertEqual(log, ["called"])
  }

  func testACallOfAnObserverRecordsNothing() {
    final class Odd: KeyValueObservable {
      @Observed var value = 0
      @Observed var unrelated = 0
      @Observed var trigger = 0
      var computed: Int {
        trigger += 1
        return value
      }
    }
    let odd = Odd()
    odd.observe(\.trigger) { odd, _ in _ = odd.unrelated }
    var count = 0
    odd.observe(\.value) { _, _ in }
    odd.observe([\.computed]) { _, _, _ in count += 1 }
    odd.unrelated = 1
    XCTAssertEqual(count, 0)
  }
}
