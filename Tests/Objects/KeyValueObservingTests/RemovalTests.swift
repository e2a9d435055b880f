import KeyValueObserving
import TestSupport
import XCTest

final class RemovalTests: XCTestCase {
  private var log: [String] = []

  func testRemovalIsIdempotentAndSaysWhoDidIt() {
    let person = Person("Ada")
    let observation = person.observe(\.name) { self.log.append("\($1)") }
    person.name = "Grace"
    XCTAssertFalse(observation.isRemoved)
    XCTAssertTrue(observation.remove())
    XCTAssertFalse(observation.remove())
    XCTAssertFalse(observation.removeAndWait())
    XCTAssertTrue(observation.isRemoved)
    person.name = "unseen"
    XCTAssertEqual(log, ["setting new Grace"])
  }

  func testRegisteringRemovingAndRegisteringAgain() {
    let person = Person("Ada")
    var count = 0
    person.observe(\.name) { _, _ in count += 1 }.remove()
    person.name = "1"
    let second = person.observe(\.name) { _, _ in count += 1 }
    person.name = "2"
    XCTAssertEqual(count, 1)
    second.remove()
    person.observe(\.name) { _, _ in count += 1 }
    person.name = "3"
    XCTAssertEqual(count, 2)
  }

  func testEachOfTwoEqualObserversIsCalledAndRemovedAlone() {
    let person = Person("Ada")
    var count = 0
    let first = person.observe(\.name, name: "same") { _, _ in count += 1 }
    person.observe(\.name, name: "same") { _, _ in count += 1 }
    person.name = "1"
    XCTAssertEqual(count, 2)
    first.remove()
    person.name = "2"
    XCTAssertEqual(count, 3)
  }

  func testRemovalByKeyPathByIdentifierAndOfAll() {
    let person = Person("Ada", in: "London")
    func add() {
      for identifier in ["a", "b"] {
        person.observe(\.name, name: identifier) { self.log.append("n\(identifier) \($1)") }
        person.observe(\.address?.city, name: identifier) { _, _ in
          self.log.append("c\(identifier)")
        }
      }
      person.observe(\.name) { _, _ in self.log.append("n") }
    }
    let cases: [(remove: () -> Int, count: Int, left: [String])] = [
      ({ person.removeObservers(of: \.name) }, 3, ["ca", "cb"]),
      ({ person.removeObservers(of: \.address?.city) }, 2, ["na", "nb", "n"]),
      ({ person.removeObservers(name: "a") }, 2, ["nb", "n", "cb"]),
      ({ person.removeObservers(of: \.name, name: "b") }, 1, ["na", "n", "ca", "cb"]),
      ({ person.removeObservers() }, 5, []),
      ({ person.removeObservers(name: "c") }, 0, ["na", "nb", "n", "ca", "cb"]),
      ({ person.removeObservers(of: \.age) }, 0, ["na", "nb", "n", "ca", "cb"]),
    ]
    for (index, (remove, count, left)) in cases.enumerated() {
      log = []
      add()
      XCTAssertEqual(remove(), count, "\(index)")
      person.name = "x"
      person.address?.city = "y"
      XCTAssertEqual(log.map { $0.split(separator: " ")[0].description }, left, "\(index)")
      XCTAssertEqual(person.observations.count, left.count)
      person.removeObservers()
    }
  }

  func testRemovalOfAnObjectNeverObserved() {
    let person = Person("Ada")
    XCTAssertEqual(person.removeObservers(), 0)
    XCTAssertEqual(person.observations.count, 0)
  }

  func testAnObserverOfSeveralKeyPathsIsRemovedByAnyOfThem() {
    let person = Person("Ada")
    let observation = person.observe([\.name, \.age]) { _, _, _ in self.log.append("called") }
    XCTAssertEqual(person.observations.count, 1)
    XCTAssertEqual(person.removeObservers(of: \.age), 1)
    XCTAssertTrue(observation.isRemoved)
    person.name = "x"
    XCTAssertEqual(log, [])
  }

  func testRemovalWithinTheCall() {
    for options in [ObservingOptions.new, [.prior, .new], [.initial, .new]] {
      for isPath in [false, true] {
        let person = Person("Ada", in: "London")
        var count = 0
        let handler: (Person, Change<String>) -> Void = { person, _ in
          count += 1
          person.removeObservers(name: "me")
        }
        if isPath {
          person.observe(\.address?.city, options: options, name: "me", handler)
        } else {
          person.observe(\.name, options: options, name: "me", handler)
        }
        for value in ["1", "2"] {
          person.name = value
          person.address?.city = value
        }
        XCTAssertEqual(count, 1, "\(options) \(isPath)")
      }
    }
  }

  func testAnObserverRemovedByAnEarlierOneOfTheSameChangeIsNotCalled() {
    let person = Person("Ada")
    person.observe(\.name) { person, _ in
      self.log.append("first")
      person.removeObservers(name: "second")
    }
    person.observe(\.name, name: "second") { _, _ in self.log.append("second") }
    person.observe(\.name) { _, _ in self.log.append("third") }
    person.name = "Grace"
    person.name = "Jean"
    XCTAssertEqual(log, ["first", "third", "first", "third"])
  }

  func testAnObserverRemovedInAPriorCallIsToldNothingMore() {
    let person = Person("Ada")
    person.observe(\.name, options: .prior) { person, change in
      self.log.append(change.isPrior ? "will" : "did")
      if change.isPrior { person.removeObservers(name: "other") }
    }
    person.observe(\.name, options: .prior, name: "other") { _, change in
      self.log.append("other")
    }
    person.name = "Grace"
    XCTAssertEqual(log, ["will", "did"])
  }

  func testTheClosureIsFreedByTheRemoval() {
    let tracker = LifetimeTracker()
    let person = Person("Ada", in: "London")
    let tokens = [
      person.observe(\.name) { [tracked = tracker.track()] _, _ in _ = tracked },
      person.observe(\.address?.city) { [tracked = tracker.track()] _, _ in _ = tracked },
      person.observe([\.name, \.age]) { [tracked = tracker.track()] _, _, _ in _ = tracked },
      person.observe(\.name, options: [.distinct]) { [tracked = tracker.track()] _, _ in
        _ = tracked
      },
    ]
    XCTAssertEqual(tracker.alive, 4)
    for token in tokens { token.remove() }
    tracker.expectNothingAlive()
    withExtendedLifetime(person) {}
  }

  func testTheClosureOfARemovalWithinTheCallIsFreedByTheEndOfTheCall() {
    let tracker = LifetimeTracker()
    let person = Person("Ada")
    person.observe(\.name, name: "me") { [tracked = tracker.track()] person, _ in
      person.removeObservers(name: "me")
      XCTAssertEqual(tracker.alive, 1)
      _ = tracked
    }
    person.name = "Grace"
    tracker.expectNothingAlive()
  }

  func testDroppingTheTokenDoesNotRemoveAndAScopedOneDoes() {
    let person = Person("Ada")
    var count = 0
    _ = person.observe(\.name) { _, _ in count += 1 }
    do {
      let scoped = person.observe(\.name) { _, _ in count += 10 }.scoped()
      person.name = "1"
      withExtendedLifetime(scoped) {}
    }
    person.name = "2"
    XCTAssertEqual(count, 12)
  }

  func testAnObserverThatThrowsIsRemovedAndKeepsItsError() {
    struct Failure: Error {}
    let person = Person("Ada", in: "London")
    let first = person.observe(\.name) { _, _ in throw Failure() }
    let path = person.observe(\.address?.city) { _, _ in throw Failure() }
    let several = person.observe([\.name, \.age]) { _, _, _ in throw Failure() }
    person.observe(\.name) { _, _ in self.log.append("other") }
    person.name = "1"
    person.name = "2"
    person.address?.city = "3"
    XCTAssertEqual(log, ["other", "other"])
    for observation in [first, path, several] {
      XCTAssertTrue(observation.isRemoved && observation.failure is Failure)
    }
    XCTAssertNil(person.observations.first?.failure)
  }

  func testObservationsAreListedWithWhatTheyObserve() {
    let person = Person("Ada")
    person.observe(\.name, name: "title") { _, _ in }
    person.observe(\.age) { _, _ in }
    XCTAssertEqual(person.observations.map(\.name), ["title", nil])
    XCTAssertEqual(person.observations[0].keyPaths, [\Person.name])
    XCTAssertTrue("\(person.observations[0])".hasPrefix("KeyValueObservation \"title\"("))
  }
}
