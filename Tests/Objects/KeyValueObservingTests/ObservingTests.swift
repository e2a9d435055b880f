import KeyValueObserving
import TestSupport
import XCTest

final class ObservingTests: XCTestCase {
  func testASetTellsTheNewValueAfterTheChange() {
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

  func testEachObserverGetsWhatItAsksForInTheOrderOfRegistration() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name, options: []) { log.append("none: \($1)") }
    person.observe(\.name, options: [.initial, .new]) { log.append("initial: \($1)") }
    person.observe(\.name, options: [.old, .new]) { log.append("both: \($1)") }
    person.observe(\.name, options: [.prior, .old, .new]) {
      log.append("prior: \($1), name \(person.name)")
    }
    person.observe(\.name, options: [.initial, .old]) { log.append("old: \($1)") }
    person.name = "Grace"
    XCTAssertEqual(
      log,
      [
        "initial: setting new Ada", "old: setting",
        "prior: will: setting old Ada, name Ada", "none: setting",
        "initial: setting new Grace", "both: setting old Ada new Grace",
        "prior: setting old Ada new Grace, name Grace", "old: setting old Ada",
      ])
  }

  /// All sets of options, on a property and on a path, against what Foundation documents.
  func testAllSetsOfOptionsOfAPropertyAndOfAPath() {
    for bits in UInt16(0)..<16 {
      let options = ObservingOptions(rawValue: bits)
      var expected: [Change<String>] = []
      let old = options.contains(.old) ? "London" : nil
      if options.contains(.initial) {
        expected.append(Change(new: options.contains(.new) ? "London" : nil))
      }
      if options.contains(.prior) { expected.append(Change(old: old, isPrior: true)) }
      expected.append(Change(old: old, new: options.contains(.new) ? "Paris" : nil))
      let person = Person("Ada", in: "London")
      var direct: [Change<String>] = []
      var path: [Change<String>] = []
      person.address?.observe(\.city, options: options) { direct.append($1) }
      person.observe(\.address?.city, options: options) { path.append($1) }
      person.address?.city = "Paris"
      XCTAssertEqual(direct, expected, "\(bits)")
      XCTAssertEqual(path, expected, "\(bits)")
    }
  }

  func testValuesOfOptionalPropertiesAreNotDoublyOptional() {
    let person = Person("Ada")
    var log: [Change<String>] = []
    person.observe(\.nickname, options: [.initial, .old, .new]) { log.append($1) }
    person.nickname = "A"
    person.nickname = nil
    XCTAssertEqual(log, [Change(), Change(new: "A"), Change(old: "A")])
  }

  func testAnEqualValueIsTold() {
    let person = Person("Ada")
    var count = 0
    person.observe(\.name) { _, _ in count += 1 }
    person.name = "Ada"
    XCTAssertEqual(count, 1)
  }

  func testDistinctLeavesOutEqualValues() {
    let person = Person("Ada", in: "London")
    var names: [Change<String>] = []
    var cities: [Change<String>] = []
    var nicknames: [Change<String>] = []
    person.observe(\.name, options: [.new, .distinct]) { names.append($1) }
    person.observe(\.address?.city, options: [.old, .new, .distinct]) { cities.append($1) }
    person.observe(\.nickname, options: [.new, .distinct]) { nicknames.append($1) }
    person.name = "Ada"
    person.name = "Grace"
    person.address = Address("London")
    person.address = Address("Paris")
    person.nickname = nil
    person.nickname = "A"
    XCTAssertEqual(names, [Change(new: "Grace")])
    XCTAssertEqual(cities, [Change(old: "London", new: "Paris")])
    XCTAssertEqual(nicknames, [Change(new: "A")])
  }

  func testValuesThatCannotBeComparedAreAlwaysDistinct() {
    let person = Person("Ada")
    var count = 0
    let address = Address("London")
    person.observe(\.address, options: [.new, .distinct]) { _, _ in count += 1 }
    person.address = address
    person.address = address
    XCTAssertEqual(count, 2)
  }

  func testDistinctShowsOnlyValuesThatWereAskedFor() {
    for options: ObservingOptions in [[], .old, .new, [.old, .new], .prior, [.prior, .old]] {
      let person = Person("Ada", in: "London")
      var log: [String] = []
      func observe<Value>(_ keyPath: KeyPath<Person, Value>, _ name: String) {
        person.observe(keyPath, options: options.union(.distinct)) { _, change in
          log.append(
            "\(name) \(change.isPrior) \(change.old.map { _ in "old" } ?? "") "
              + "\(change.new.map { _ in "new" } ?? "")")
        }
      }
      func expect(_ names: [String]) {
        let old = options.contains(.old) ? "old" : ""
        let new = options.contains(.new) ? "new" : ""
        XCTAssertEqual(
          log.sorted(),
          names.flatMap { name in
            (options.contains(.prior) ? ["\(name) true \(old) "] : [])
              + ["\(name) false \(old) \(new)"]
          }.sorted(), "\(options)")
        log = []
      }
      observe(\.name, "name")
      observe(\.address, "address")
      observe(\.address?.city, "city")
      person.name = "Grace"
      expect(["name"])
      person.address?.city = "Paris"
      expect(["city"])
      person.address = Address("Rome")
      expect(["address", "city"])
    }
  }

  func testObserversOfDifferentKeysAreExclusive() {
    let person = Person("Ada")
    var log: [String] = []
    person.observe(\.name) { log.append("name \($1.new ?? "")") }
    person.observe(\.age) { log.append("age \($1.new ?? -1)") }
    person.age = 3
    person.name = "Grace"
    XCTAssertEqual(log, ["age 3", "name Grace"])
  }

  func testObserversOfOneKeyDoNotSeeWhatOthersAskedFor() {
    let person = Person("Ada")
    var log: [Change<String>] = []
    person.observe(\.name, options: .old) { log.append($1) }
    person.observe(\.name, options: .new) { log.append($1) }
    person.name = "Grace"
    XCTAssertEqual(log, [Change(old: "Ada"), Change(new: "Grace")])
  }

  func testSeveralKeyPathsTellWhichOneChanged() {
    let person = Person("Ada", in: "London")
    var log: [String] = []
    let observation = person.observe(
      [\.name, \.nickname, \.address?.city], options: [.initial, .old, .new]
    ) { _, keyPath, change in
      let key = keyPath == \Person.name ? "name" : keyPath == \Person.nickname ? "nick" : "city"
      log.append("\(key): \(change)")
    }
    person.name = "Grace"
    person.nickname = "G"
    person.address?.city = "Paris"
    observation.remove()
    person.name = "unseen"
    XCTAssertEqual(
      log,
      [
        "name: setting new Ada", "nick: setting", "city: setting new London",
        "name: setting old Ada new Grace", "nick: setting new G",
        "city: setting old London new Paris",
      ])
  }

  func testSeveralKeyPathsMayBeOneOrNone() {
    let person = Person("Ada")
    var count = 0
    person.observe([\.name]) { _, _, _ in count += 1 }
    person.observe([PartialKeyPath<Person>]()) { _, _, _ in count += 1 }
    person.name = "Grace"
    XCTAssertEqual(count, 1)
  }

  func testAnObjectObservesItself() {
    final class Counter: KeyValueObservable {
      @Observed var value = 0
      var seen: [Int] = []
      init() {
        observe(\.value) { counter, change in counter.seen.append(change.new ?? -1) }
      }
    }
    weak var dead: Counter?
    do {
      let counter = Counter()
      dead = counter
      counter.value = 1
      counter.value = 2
      XCTAssertEqual(counter.seen, [1, 2])
    }
    XCTAssertNil(dead)
  }

  func testPropertiesOfASuperclassAreObservedThroughTheSubclass() {
    let student = Student("Ada", in: "London")
    var log: [String] = []
    student.observe(\.name, options: [.old, .new]) { log.append("\($1)") }
    student.observe(\.school) { log.append("\($1)") }
    (student as Person).observe(\.name) { log.append("person: \($1)") }
    student.name = "Grace"
    student.school = "Yale"
    XCTAssertEqual(
      log, ["setting old Ada new Grace", "person: setting new Grace", "setting new Yale"])
  }

  func testObserversOfAnObjectThatAnyThreadMayChange() {
    final class Meter: KeyValueObservable, @unchecked Sendable {
      @Observed var value = 0
      @Observed var unit: String?
    }
    let meter = Meter()
    let log = Recorder<String>()
    meter.observe(\.value) { log.record("\($1)") }
    meter.observe(\.unit, options: [.old, .new]) { log.record("\($1)") }
    meter.value = 3
    meter.unit = "V"
    XCTAssertEqual(log.entries, ["setting new 3", "setting new V"])
  }

  func testAChangeCanBeMadeForTests() {
    let change = Change(kind: .insertion, new: [1], indexes: RangeSet(0..<1))
    XCTAssertEqual(change.description, "insertion at 0 new [1]")
    XCTAssertEqual(change.indexText, "0")
    XCTAssertEqual(
      Change<[Int]>(
        kind: .removal, old: [1, 2, 3], indexes: RangeSet([0..<1, 4..<6]), isPrior: true
      ).description, "will: removal at 0, 4..<6 old [1, 2, 3]")
    XCTAssertEqual(
      change.compactMap { $0.first }, Change(kind: .insertion, new: 1, indexes: change.indexes))
  }
}
