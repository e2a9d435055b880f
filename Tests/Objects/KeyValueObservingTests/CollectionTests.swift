import KeyValueObserving
import TestSupport
import XCTest

final class CollectionTests: XCTestCase {
  private var log: [String] = []

  private func note<Value>(_ change: Change<Value>) { log.append("\(change)") }

  func testArraysTellWhichElementsChanged() throws {
    let team = Team()
    team.observe(\.scores, options: [.old, .new]) { self.note($1) }
    team.$scores.append(10)
    team.$scores.append(contentsOf: [20, 30])
    try team.$scores.insert(5, at: 0)
    try team.$scores.insert(contentsOf: [6, 7], at: 1)
    try XCTAssertEqual(team.$scores.remove(at: 0), 5)
    try team.$scores.replace(at: 0, with: 60)
    try team.$scores.swapAt(0, 4)
    try team.$scores.remove(at: RangeSet([0..<1, 3..<5]))
    team.$scores.removeAll { $0 == 10 }
    team.$scores.mutate { $0.append(1) }
    try team.$scores.replaceSubrange(0..<2, with: [8, 9])
    try team.$scores.replaceSubrange(0..<1, with: [1, 2])
    team.$scores.removeAll()
    team.scores = [1]
    XCTAssertEqual(
      log,
      [
        "insertion at 0 new [10]", "insertion at 1..<3 new [20, 30]", "insertion at 0 new [5]",
        "insertion at 1..<3 new [6, 7]", "removal at 0 old [5]",
        "replacement at 0 old [6] new [60]", "replacement at 0, 4 old [60, 30] new [30, 60]",
        "removal at 0, 3..<5 old [30, 20, 60]", "removal at 1 old [10]",
        "setting old [7] new [7, 1]", "replacement at 0..<2 old [7, 1] new [8, 9]",
        "removal at 0 old [8]", "insertion at 0..<2 new [1, 2]",
        "removal at 0..<3 old [1, 2, 9]", "setting old [] new [1]",
      ])
  }

  func testPriorCallsOfAnArrayTellWhatWillBeRemoved() throws {
    let team = Team()
    team.scores = [1]
    team.observe(\.scores, options: [.prior, .old, .new]) {
      self.log.append("\($1), now \($0.scores)")
    }
    try team.$scores.insert(0, at: 0)
    try team.$scores.remove(at: 1)
    XCTAssertEqual(
      log,
      [
        "will: insertion at 0, now [1]", "insertion at 0 new [0], now [0, 1]",
        "will: removal at 1 old [1], now [0, 1]", "removal at 1 old [1], now [0]",
      ])
  }

  func testWhatChangesNothingTellsNothing() throws {
    let team = Team()
    team.scores = [1]
    team.observe(\.scores) { self.note($1) }
    team.observe(\.tags) { self.note($1) }
    team.observe(\.results) { self.note($1) }
    team.$scores.append(contentsOf: [])
    try team.$scores.insert(contentsOf: [], at: 1)
    try team.$scores.remove(at: RangeSet())
    try team.$scores.replaceSubrange(0..<0, with: [])
    try team.$scores.swapAt(0, 0)
    team.$scores.removeAll { _ in false }
    team.$tags.removeAll()
    team.$tags.remove("x")
    team.$tags.formUnion([])
    team.$tags.replaceAll(with: [])
    team.$results.removeAll()
    team.$results.removeValue(forKey: "x")
    team.$results.merge([])
    XCTAssertEqual(log, [])
  }

  func testPlacesThatAreNotInTheArrayAreRefused() throws {
    let team = Team()
    team.scores = [1, 2]
    team.observe(\.scores) { self.note($1) }
    let scores = team.$scores
    let attempts: [(Int, () throws(KeyValueError) -> Void)] = [
      (3, { () throws(KeyValueError) in try scores.insert(0, at: 3) }),
      (-1, { () throws(KeyValueError) in try scores.insert(0, at: -1) }),
      (2, { () throws(KeyValueError) in try scores.remove(at: 2) }),
      (Int.max, { () throws(KeyValueError) in try scores.remove(at: Int.max) }),
      (Int.min, { () throws(KeyValueError) in try scores.replace(at: Int.min, with: 0) }),
      (9, { () throws(KeyValueError) in try scores.swapAt(0, 9) }),
      (4, { () throws(KeyValueError) in try scores.replaceSubrange(1..<4, with: [1]) }),
      (6, { () throws(KeyValueError) in try scores.remove(at: RangeSet([0..<1, 5..<7])) }),
    ]
    for (index, attempt) in attempts {
      do throws(KeyValueError) {
        try attempt()
        XCTFail("\(index) was taken")
      } catch {
        XCTAssertEqual(error.code, .indexOutOfRange)
        XCTAssertEqual(error.position, index)
      }
    }
    XCTAssertEqual(team.scores, [1, 2])
    XCTAssertEqual(log, [])
  }

  func testAnArrayThatIsNotObservedIsChangedInPlace() {
    let team = Team()
    team.$scores.mutate { $0.reserveCapacity(100) }
    func address() -> UnsafeRawPointer? {
      unsafe team.scores.withUnsafeBytes { $0.baseAddress }
    }
    let before = unsafe address()
    for score in 0..<50 { team.$scores.append(score) }
    unsafe XCTAssertEqual(address(), before)
    XCTAssertEqual(team.scores.count, 50)
  }

  func testKindsAreKeptThroughPathsAndPropertiesThatHandTheArrayOn() {
    let person = Person("Ada", in: "London")
    person.observe(\.address?.streets, options: [.prior, .old, .new]) { self.note($1) }
    person.address?.observe(\.ways, options: [.old, .new]) { self.log.append("ways \($1)") }
    person.address?.$streets.append("Strand")
    person.address?.$streets.removeAll()
    XCTAssertEqual(
      log,
      [
        "will: insertion at 0", #"insertion at 0 new ["Strand"]"#,
        #"ways insertion at 0 new ["Strand"]"#, #"will: removal at 0 old ["Strand"]"#,
        #"removal at 0 old ["Strand"]"#, #"ways removal at 0 old ["Strand"]"#,
      ])
  }

  func testOfAnotherArrayAChangeIsASetting() {
    let address = Address("London")
    address.observe(\.sortedStreets, options: [.old, .new]) { self.note($1) }
    address.streets = ["b", "c"]
    address.$streets.append("a")
    XCTAssertEqual(
      log,
      [
        #"setting old [] new ["b", "c"]"#, #"setting old ["b", "c"] new ["a", "b", "c"]"#,
      ])
  }

  func testACountOfAnArrayIsASetting() {
    let team = Team()
    team.observe(\.count, options: [.old, .new]) { self.note($1) }
    team.observe(\.scores.count) { self.note($1) }
    team.$scores.append(3)
    team.scores = []
    XCTAssertEqual(
      log,
      ["setting old 0 new 1", "setting new 1", "setting old 1 new 0", "setting new 0"])
  }

  func testSetsTellOnlyRealDifferences() {
    let team = Team()
    team.tags = ["a", "b"]
    team.observe(\.tags, options: [.old, .new]) { _, change in
      let old = change.old.map { " -" + $0.sorted().joined() } ?? ""
      let new = change.new.map { " +" + $0.sorted().joined() } ?? ""
      self.log.append("\(change.kind)\(old)\(new)")
    }
    XCTAssertTrue(team.$tags.insert("c"))
    XCTAssertFalse(team.$tags.insert("c"))
    XCTAssertTrue(team.$tags.remove("a"))
    XCTAssertFalse(team.$tags.remove("a"))
    team.$tags.formUnion(["b", "d", "e"])
    team.$tags.subtract(["a", "b"])
    team.$tags.formIntersection(["c", "d", "z"])
    team.$tags.replaceAll(with: ["d", "x"])
    team.$tags.mutate { $0 = ["y"] }
    team.$tags.removeAll()
    XCTAssertEqual(
      log,
      [
        "insertion +c", "removal -a", "insertion +de", "removal -b", "removal -e",
        "replacement -c +x", "setting -dx +y", "removal -y",
      ])
    XCTAssertEqual(team.tags, [])
  }

  func testDictionariesTellTheEntriesConcerned() {
    let team = Team()
    team.observe(\.results, options: [.prior, .old, .new]) { self.note($1) }
    XCTAssertNil(team.$results.updateValue(1, forKey: "a"))
    XCTAssertEqual(team.$results.updateValue(2, forKey: "a"), 1)
    team.$results.merge([(key: "a", value: 3), (key: "b", value: 4)])
    XCTAssertEqual(team.$results.removeValue(forKey: "a"), 3)
    team.$results.removeAll()
    XCTAssertEqual(
      log,
      [
        "will: insertion", #"insertion new ["a": 1]"#,
        #"will: replacement old ["a": 1]"#, #"replacement old ["a": 1] new ["a": 2]"#,
        "will: insertion", #"insertion new ["b": 4]"#,
        #"will: replacement old ["a": 2]"#, #"replacement old ["a": 2] new ["a": 3]"#,
        #"will: removal old ["a": 3]"#, #"removal old ["a": 3]"#,
        #"will: removal old ["b": 4]"#, #"removal old ["b": 4]"#,
      ])
  }

  /// A thousand random changes: what an observer is told rebuilds the array.
  func testWhatIsToldRebuildsTheArray() throws {
    let team = Team()
    var mirror: [Int] = []
    team.observe(\.scores, options: [.old, .new]) { _, change in
      let indexes = change.indexes ?? RangeSet()
      switch change.kind {
      case .setting: mirror = change.new ?? []
      case .insertion:
        for (index, element) in zip(indexes.ranges.flatMap(Array.init), change.new ?? []) {
          mirror.insert(element, at: index)
        }
      case .removal:
        XCTAssertEqual(Array(mirror[indexes]), change.old)
        mirror.removeSubranges(indexes)
      case .replacement:
        XCTAssertEqual(Array(mirror[indexes]), change.old)
        for (index, element) in zip(indexes.ranges.flatMap(Array.init), change.new ?? []) {
          mirror[index] = element
        }
      }
    }
    var generator = SeededGenerator(seed: 7)
    for step in 0..<1_000 {
      let count = team.scores.count
      let index = Int.random(in: 0...count, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: team.$scores.append(step)
      case 1: try team.$scores.insert(contentsOf: [step, -step], at: index)
      case 2 where index < count: try team.$scores.remove(at: index)
      case 3 where index < count: try team.$scores.replace(at: index, with: step)
      case 4: try team.$scores.replaceSubrange(index..<count, with: [step])
      case 5 where count > 40: team.$scores.removeAll { $0.isMultiple(of: 3) }
      case 6 where index < count: try team.$scores.swapAt(index, count - 1)
      default: break
      }
      XCTAssertEqual(mirror, team.scores)
    }
  }

  // MARK: Elements

  func testObserversOfElementsFollowTheMembership() throws {
    let team = Team()
    let ada = Person("Ada")
    let grace = Person("Grace")
    team.members = [ada]
    let observation = team.observeElements(of: \.members, \.age, options: [.initial, .new]) {
      self.log.append("\($0.name) \($1)")
    }
    ada.age = 1
    team.$members.append(grace)
    grace.age = 2
    team.$members.append(grace)
    grace.age = 3
    try team.$members.remove(at: 1)
    grace.age = 4
    try team.$members.remove(at: 1)
    grace.age = 5
    team.members = [grace]
    ada.age = 6
    observation.remove()
    grace.age = 7
    XCTAssertEqual(
      log,
      [
        "Ada setting new 0", "Ada setting new 1", "Grace setting new 0", "Grace setting new 2",
        "Grace setting new 3", "Grace setting new 4", "Grace setting new 5",
      ])
    XCTAssertTrue(ada.observations.isEmpty && grace.observations.isEmpty)
  }

  func testAnElementThatThrowsEndsTheWhole() {
    struct Failure: Error {}
    let team = Team()
    team.members = [Person("Ada"), Person("Grace")]
    let observation = team.observeElements(of: \.members, \.age) { _, _ in throw Failure() }
    team.members[0].age = 1
    XCTAssertTrue(observation.isRemoved)
    XCTAssertTrue(observation.failure is Failure)
    XCTAssertTrue(team.members.allSatisfy(\.observations.isEmpty))
  }

  func testAnElementMayEndTheWholeInItsInitialCall() {
    let team = Team()
    team.members = [Person("Ada"), Person("Grace")]
    var count = 0
    team.observeElements(of: \.members, \.age, options: .initial, name: "all") { _, _ in
      count += 1
      team.removeObservers(name: "all")
    }
    team.members[1].age = 1
    XCTAssertEqual(count, 1)
  }

  func testAPropertyComputedOfElementsFollowsThemToo() {
    let team = Team()
    let ada = Person("Ada")
    team.observe(\.totalAge, options: [.old, .new]) { self.note($1) }
    team.$members.append(ada)
    ada.age = 3
    team.$members.append(ada)
    team.$members.removeAll()
    ada.age = 4
    XCTAssertEqual(
      log,
      [
        "setting old 0 new 0", "setting old 0 new 3", "setting old 3 new 6",
        "setting old 6 new 0",
      ])
  }

  func testElementsObservedByThePlaceAreRemovedOneByOne() {
    let people = (0..<3).map { Person("\($0)") }
    let observations = people[0...1].map { person in
      person.observe(\.age) { self.log.append("\($0.name) \($1)") }
    }
    for person in people { person.age = 1 }
    observations[0].remove()
    for person in people { person.age = 2 }
    observations[1].remove()
    for person in people { person.age = 3 }
    XCTAssertEqual(log, ["0 setting new 1", "1 setting new 1", "1 setting new 2"])
  }
}
