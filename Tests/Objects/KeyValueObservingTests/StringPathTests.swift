import KeyValueObserving
import TestSupport
import XCTest

final class StringPathTests: XCTestCase {
  /// Notes what observers are told.
  private final class Log {
    var lines: [String] = []

    func observe(
      _ object: some KeyValueCoding, _ path: String, _ options: ObservingOptions = [.old, .new]
    ) throws {
      try object.observe(keyPath: path, options: options) { [self] observed, change in
        XCTAssertIdentical(observed, object)
        lines.append("\(change)")
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private let log = Log()

  func testAPathFollowsItsLinks() throws {
    let ada = Member("Ada")
    try log.observe(ada, "office.city")
    let rome = Office("Rome")
    ada.office = rome
    rome.city = "Roma"
    ada.office = Office("Oslo")
    rome.city = "unseen"
    ada.office?.city = "Bergen"
    ada.office = nil
    XCTAssertEqual(
      log.take(),
      [
        "setting new Rome", "setting old Rome new Roma", "setting old Roma new Oslo",
        "setting old Oslo new Bergen", "setting old Bergen",
      ])
  }

  func testEachObserverGetsWhatItAsksFor() throws {
    let table: [(ObservingOptions, [String])] = [
      ([], ["setting", "setting", "setting"]),
      (.new, ["setting new a", "setting new a", "setting"]),
      ([.distinct, .new], ["setting new a", "setting"]),
      ([.initial, .new], ["setting", "setting new a", "setting new a", "setting"]),
      (
        [.prior, .old],
        ["will: setting", "setting", "will: setting old a", "setting old a"]
          + ["will: setting old a", "setting old a"]
      ),
    ]
    for (options, expected) in table {
      let ada = Member("Ada")
      try log.observe(ada, "nickname", options)
      for value in ["a", "a", nil] { ada.nickname = value }
      XCTAssertEqual(log.take(), expected)
    }
  }

  func testInitialCallsOfSubPaths() throws {
    let ada = Member("Ada", in: "London")
    for path in ["office.zip", "office.floor", "friend.name"] {
      try log.observe(ada, path, [.initial, .new])
    }
    XCTAssertEqual(log.take(), ["setting", "setting new 0", "setting"])
  }

  func testAllPropertiesAreObservedByTheirKeys() throws {
    let ada = Member("Ada", in: "London")
    let values: [(String, Any?)] = [
      ("name", "Eve"), ("nickname", "E"), ("age", 3), ("height", 1.5), ("office", nil),
      ("origin", Point(x: 1)),
    ]
    for (key, _) in values { try log.observe(ada, key, .new) }
    for (key, value) in values { try ada.setValue(value, forKey: key) }
    XCTAssertEqual(
      log.take(),
      [
        "setting new Eve", "setting new E", "setting new 3", "setting new 1.5", "setting",
        "setting new Point(x: 1.0, y: 0.0)",
      ])
  }

  func testDictionariesAreLinks() throws {
    let ada = Member("Ada")
    let office = Office("Rome")
    try log.observe(ada, "settings.colour")
    try log.observe(ada, "settings.office.city", [.distinct, .old, .new])
    ada.settings["colour"] = "red"
    ada.settings["office"] = office
    XCTAssertEqual(log.take(), ["setting new red", "setting old red new red", "setting new Rome"])
    try ada.setValue("blue", forKeyPath: "settings.colour")
    office.city = "Roma"
    try ada.setValue("Ostia", forKeyPath: "settings.office.city")
    XCTAssertEqual(
      log.take(),
      ["setting old red new blue", "setting old Rome new Roma", "setting old Roma new Ostia"])
    ada.settings = [:]
    office.city = "unseen"
    XCTAssertEqual(log.take(), ["setting old blue", "setting old Ostia"])
  }

  func testOperatorsFollowMembership() throws {
    let (ada, eve) = (Member("Ada", 36), Member("Eve", 20))
    let shelf = Shelf([ada])
    try log.observe(shelf, "members.@count", [.old, .new])
    try log.observe(shelf, "members.@sum.age", [.old, .new])
    shelf.members.append(eve)
    XCTAssertEqual(log.take(), ["setting old 1 new 2", "setting old 36 new 56"])
    eve.age = 21
    XCTAssertEqual(log.take(), ["setting old 56 new 57"])
    shelf.$members.mutate { _ = $0.removeFirst() }
    ada.age = 99
    XCTAssertEqual(log.take(), ["setting old 2 new 1", "setting old 57 new 21"])
    shelf.members = []
    eve.age = 99
    XCTAssertEqual(log.take(), ["setting old 1 new 0", "setting old 21 new 0"])
  }

  func testAPathToACollectionTellsWhatWasDone() throws {
    let ada = Member("Ada")
    ada.friend = ada
    var log: [String] = []
    for path in ["floors", "friend.floors"] {
      try ada.observe(keyPath: path, options: [.old, .new]) { log.append("\(path) \($1)") }
    }
    ada.$floors.append(4)
    XCTAssertEqual(
      log, ["floors insertion at 1 new [4]", "friend.floors insertion at 1 new [4]"])
    log = []
    ada.withChange(of: \.floors, .insertion, at: RangeSet(2..<3)) { ada.floors.append(5) }
    XCTAssertEqual(
      log,
      ["floors insertion at 2 new [5]", "friend.floors insertion at 2 new [5]"])
  }

  func testAGetterThatReadsAPathCanBeObserved() {
    let ada = Member("Ada", 36)
    let shelf = Shelf([ada])
    var log: [Int?] = []
    shelf.observe(\.total) { log.append($1.new) }
    shelf.observe(\.moods) { log.append($1.new?.count) }
    ada.age = 37
    ada.withChange(of: \.mood) { ada.mood = "wild" }
    shelf.members = []
    XCTAssertEqual(log, [37, 1, 0, 0])
  }

  func testManualChangesAreSeenAtEachLink() throws {
    let (ada, eve) = (Member("Ada"), Member("Eve"))
    ada.friend = eve
    let shelf = Shelf([ada, eve])
    try log.observe(ada, "friend.mood", .new)
    try log.observe(shelf, "members.@max.mood", .new)
    eve.withChange(of: \.mood) { eve.mood = "wild" }
    XCTAssertEqual(log.take(), ["setting new wild", "setting new wild"])
    ada.withChange(of: \.mood) { ada.mood = "xenial" }
    XCTAssertEqual(log.take(), ["setting new xenial"])
    ada.mood = "silent"
    XCTAssertEqual(log.take(), [])
  }

  func testAPathThroughACollectionNeedsAnOperator() throws {
    let shelf = Shelf([Member("Ada")])
    shelf.offices = [Office("Rome", shelf.members)]
    for (path, position) in [
      ("members.name", 8), ("tags.name", 5), ("numbered.name", 9),
      ("offices.@unionOfObjects.members.name", 32), ("values.@count.self", nil),
      ("members.@unionOfObjects.name", nil), ("named.first.name", nil), ("members.self", nil),
    ] {
      do throws(KeyValueError) {
        try shelf.observe(keyPath: path) { _, _ in }
        XCTAssertNil(position, path)
      } catch {
        XCTAssertEqual(error.code, .pathThroughCollection, path)
        XCTAssertEqual(error.position, position, path)
      }
    }
    XCTAssertEqual(shelf.observations.count, 4)
  }

  func testAPathThatCannotBeEvaluatedLaterIsNil() throws {
    let ada = Member("Ada")
    try log.observe(ada, "settings.window.width")
    ada.settings = ["window": ["width": 3]]
    ada.settings = ["window": 4]
    ada.settings = ["window": [Member("Eve")]]
    ada.settings = ["window": ["width": 5]]
    XCTAssertEqual(
      log.take(), ["setting new 3", "setting old 3", "setting", "setting new 5"])
  }

  func testATransactionTellsThePathOnce() throws {
    let shelf = Shelf([Member("Ada", 36), Member("Eve", 20)])
    try log.observe(shelf, "members.@sum.age")
    withChangeTransaction { for member in shelf.members { member.age += 1 } }
    XCTAssertEqual(log.take(), ["setting old 56 new 58"])
  }

  func testAnObjectForAllThreadsIsObservedOnAll() throws {
    let gauge = Gauge()
    let log = Recorder<String>()
    try gauge.observe(keyPath: "level") { gauge, change in log.record("\(change)") }
    let threads = ThreadGroup()
    threads.start { gauge.level = 3 }
    threads.wait()
    XCTAssertEqual(log.entries, ["setting new 3"])
  }

  func testObserversAreRemovedByTheirString() throws {
    let ada = Member("Ada", in: "Rome")
    let observation = try ada.observe(keyPath: "office.city", name: "a") { _, _ in }
    try ada.observe(keyPath: "office.city", name: "b") { _, _ in }
    try ada.observe(keyPath: "name", name: "a") { _, _ in }
    ada.observe(\.name, name: "a") { _, _ in }
    XCTAssertEqual(observation.stringKeyPath, "office.city")
    XCTAssertEqual(observation.description, "KeyValueObservation \"a\"(office.city)")
    XCTAssertEqual(ada.removeObservers(ofKeyPath: "office"), 0)
    XCTAssertEqual(ada.removeObservers(ofKeyPath: "office.city", name: "a"), 1)
    XCTAssertTrue(observation.isRemoved)
    XCTAssertEqual(ada.removeObservers(ofKeyPath: "office.city"), 1)
    XCTAssertEqual(ada.removeObservers(of: \.name), 1, "the one of the typed key path")
    XCTAssertEqual(ada.removeObservers(ofKeyPath: "name"), 1)
    XCTAssertEqual(ada.observations.count, 0)
  }

  func testRemovedAndDyingObjectsLetEverythingGo() throws {
    let tracker = LifetimeTracker()
    let office = Office("Rome", [Member("Ada")])
    do {
      let ada = Member("Ada")
      ada.office = office
      for path in ["office.city", "office.members.@sum.age", "name"] {
        let tracked = tracker.track()
        try ada.observe(keyPath: path) { _, _ in withExtendedLifetime(tracked) {} }
      }
      let tracked = tracker.track()
      let observation = try ada.observe(keyPath: "office.floor") { _, _ in
        withExtendedLifetime(tracked) {}
      }
      XCTAssertEqual(tracker.alive, 4)
      observation.remove()
    }
    tracker.expectNothingAlive()
    office.city = "Roma"
  }
}
