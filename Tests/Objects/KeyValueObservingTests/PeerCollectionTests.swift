import KeyValueObserving
import XCTest

/// Collections, with the kinds, indexes and values of GNUstep's `kvoToMany.m`, BlocksKit and
/// ReactiveObjC, in every way in which they can be changed here.
final class PeerCollectionTests: XCTestCase {
  private final class Bag: KeyValueObservable {
    @Observed var array: [String] = []
    @Observed var set: Set<Int> = []
    @Observed var elements: [Person] = []
    var bare: [String] = []
    private var hidden: [String] = []
    private var hiddenSet: Set<Int> = []

    var manual: [String] {
      willRead(\.manual)
      return hidden
    }
    var manualSet: Set<Int> {
      willRead(\.manualSet)
      return hiddenSet
    }
    var names: [String] { elements.map(\.name) }

    func addManually(_ element: String) {
      let place = hidden.count
      withChange(of: \.manual, .insertion, at: RangeSet(place..<place + 1)) {
        hidden.append(element)
      }
    }

    func removeManually(at index: Int) {
      withChange(of: \.manual, .removal, at: RangeSet(index..<index + 1)) {
        _ = hidden.remove(at: index)
      }
    }

    func add(_ element: String) { $array.append(element) }
    func remove(at index: Int) throws { try $array.remove(at: index) }

    func changeSetManually(_ kind: ChangeKind, _ body: (inout Set<Int>) -> Void) {
      withChange(of: \.manualSet, kind) { body(&hiddenSet) }
    }
  }

  private final class Holder: KeyValueObservable {
    @Observed var bag: Bag? = Bag()
  }

  private typealias Changes = [Change<[String]>]

  // MARK: Arrays

  func testAnArrayWithoutNotificationIsSilent() {
    let bag = Bag()
    bag.observe(\.bare, options: []) { _, _ in XCTFail("called") }
    bag.bare.append("hello")
    XCTAssertEqual(bag.bare, ["hello"])
  }

  /// Insert at 0, insert at 1, remove at 0: three calls, six with prior ones.
  func testThreeChangesOfAnArrayTellTheSameInEveryWay() throws {
    typealias Way = (
      property: KeyPath<Bag, [String]>, path: KeyPath<Holder, [String]?>,
      act: (Bag) throws -> Void
    )
    func manual(_ bag: Bag) {
      bag.addManually("object1")
      bag.addManually("object2")
      bag.removeManually(at: 0)
    }
    func inPlace(_ bag: Bag) throws {
      try bag.$array.insert("object1", at: 0)
      try bag.$array.insert("object2", at: 1)
      try bag.$array.remove(at: 0)
    }
    func byMethods(_ bag: Bag) throws {
      bag.add("object1")
      bag.add("object2")
      try bag.remove(at: 0)
    }
    let ways: [Way] = [
      (\.manual, \.bag?.manual, manual), (\.array, \.bag?.array, inPlace),
      (\.array, \.bag?.array, byMethods),
    ]
    let (first, second) = (RangeSet(0..<1), RangeSet(1..<2))
    let posts: Changes = [
      Change(kind: .insertion, new: ["object1"], indexes: first),
      Change(kind: .insertion, new: ["object2"], indexes: second),
      Change(kind: .removal, old: ["object1"], indexes: first),
    ]
    let priors: Changes = [
      Change(kind: .insertion, indexes: first, isPrior: true),
      Change(kind: .insertion, indexes: second, isPrior: true),
      Change(kind: .removal, old: ["object1"], indexes: first, isPrior: true),
    ]
    for (number, way) in ways.enumerated() {
      for options: ObservingOptions in [[.old, .new], [.prior, .old, .new]] {
        let holder = Holder()
        let bag = try XCTUnwrap(holder.bag)
        var log: Changes = []
        var pathLog: Changes = []
        bag.observe(way.property, options: options) { log.append($1) }
        holder.observe(way.path, options: options) { pathLog.append($1) }
        try way.act(bag)
        let expected =
          options.contains(.prior) ? zip(priors, posts).flatMap { [$0, $1] } : posts
        XCTAssertEqual(log, expected, "\(number) \(options)")
        XCTAssertEqual(pathLog, expected, "\(number) \(options), through a link")
        var initial: Changes = []
        bag.observe(way.property, options: [.initial, .new]) { initial.append($1) }
        XCTAssertEqual(initial, [Change(new: ["object2"])], "\(number)")
      }
    }
  }

  func testACountOfAnArrayIsASettingWithoutIndexes() {
    let bag = Bag()
    var log: [Change<Int>] = []
    bag.observe(\.array.count, options: [.old, .new]) { log.append($1) }
    bag.observe(\.manual.count, options: [.old, .new]) { log.append($1) }
    bag.add("object1")
    bag.addManually("object1")
    XCTAssertEqual(log, [Change(old: 0, new: 1), Change(old: 0, new: 1)])
  }

  func testAnInsertionSeenThroughTheElementsIsASettingOfTheWhole() {
    let bag = Bag()
    bag.elements = [Person("Value")]
    var log: Changes = []
    bag.observe(\.names, options: [.old, .new]) { log.append($1) }
    bag.$elements.append(Person("Value"))
    XCTAssertEqual(log, [Change(old: ["Value"], new: ["Value", "Value"])])
  }

  func testWhatOneObserverOfAnArrayAsksForDoesNotReachAnother() {
    let bag = Bag()
    bag.observe(\.manual, options: [.old, .new]) { _, _ in }
    bag.observe(\.array, options: [.old, .new]) { _, _ in }
    var log: Changes = []
    bag.observe(\.manual, options: .new) { log.append($1) }
    bag.observe(\.array, options: .new) { log.append($1) }
    bag.addManually("object1")
    bag.array = ["object1"]
    XCTAssertEqual(
      log,
      [
        Change(kind: .insertion, new: ["object1"], indexes: RangeSet(0..<1)),
        Change(new: ["object1"]),
      ])
  }

  /// What ReactiveObjC's specification asks of ordered collections: the kinds, and the whole value
  /// as it is at each call.
  func testAnObserverSeesTheWholeArrayBeforeAndAfter() throws {
    typealias Case = (act: (Bag) throws -> Void, after: [String], told: [String])
    let cases: [Case] = [
      (
        { try $0.$array.insert("1", at: 0) }, ["1", "0"],
        ["will: insertion at 0", #"insertion at 0 new ["1"]"#]
      ),
      (
        { try $0.$array.remove(at: 0) }, [],
        [#"will: removal at 0 old ["0"]"#, #"removal at 0 old ["0"]"#]
      ),
      (
        { try $0.$array.replace(at: 0, with: "1") }, ["1"],
        [#"will: replacement at 0 old ["0"]"#, #"replacement at 0 old ["0"] new ["1"]"#]
      ),
    ]
    for test in cases {
      let holder = Holder()
      let bag = try XCTUnwrap(holder.bag)
      bag.array = ["0"]
      var told: [String] = []
      var seen: [[String]] = []
      holder.observe(\.bag?.array, options: [.prior, .old, .new]) {
        told.append("\($1)")
        seen.append($0.bag?.array ?? [])
      }
      try test.act(bag)
      XCTAssertEqual(told, test.told)
      XCTAssertEqual(seen, [["0"], test.after])
    }
  }

  // MARK: Sets

  /// Union, minus, add, remove, intersect, set: six calls with the members that really came or
  /// went.
  func testSixChangesOfASetTellRealDifferencesInEveryWay() throws {
    let expected: [Change<Set<Int>>] = [
      Change(kind: .insertion, new: [1, 2, 3]), Change(kind: .removal, old: [1]),
      Change(kind: .insertion, new: [1]), Change(kind: .removal, old: [1]),
      Change(kind: .removal, old: [3]), Change(kind: .replacement, old: [2], new: [3]),
    ]
    for isPath in [false, true] {
      let holder = Holder()
      let bag = try XCTUnwrap(holder.bag)
      var log: [Change<Set<Int>>] = []
      if isPath {
        holder.observe(\.bag?.set, options: [.old, .new]) { log.append($1) }
      } else {
        bag.observe(\.set, options: [.old, .new]) { log.append($1) }
      }
      bag.$set.formUnion([1, 2, 3])
      bag.$set.subtract([1])
      bag.$set.insert(1)
      bag.$set.remove(1)
      bag.$set.formIntersection([2])
      bag.$set.replaceAll(with: [3])
      XCTAssertEqual(log, expected, "\(isPath)")
      bag.set = [4]
      XCTAssertEqual(log.last, Change(old: [3], new: [4]))
    }
  }

  /// By hand the whole set is told, where GNUstep asks the caller for the members concerned.
  func testASetThatIsChangedManuallyIsToldAsAWhole() {
    let bag = Bag()
    var log: [Change<Set<Int>>] = []
    bag.observe(\.manualSet, options: [.old, .new]) { log.append($1) }
    bag.changeSetManually(.insertion) { $0.formUnion([1, 2]) }
    bag.changeSetManually(.replacement) { $0 = [3] }
    bag.changeSetManually(.removal) { $0 = [] }
    XCTAssertEqual(
      log,
      [
        Change(kind: .insertion, new: [1, 2]),
        Change(kind: .replacement, old: [1, 2], new: [3]), Change(kind: .removal, old: [3]),
      ])
  }

  func testTwoChangesOfACollectionThroughALinkAreTwoCalls() throws {
    let holder = Holder()
    let bag = try XCTUnwrap(holder.bag)
    bag.array = ["one", "two"]
    bag.set = [1, 2]
    var calls = [0, 0]
    holder.observe(\.bag?.array) { _, _ in calls[0] += 1 }
    holder.observe(\.bag?.set) { _, _ in calls[1] += 1 }
    try bag.$array.replace(at: 0, with: "1")
    try bag.$array.replace(at: 1, with: "2")
    bag.$set.remove(2)
    bag.$set.insert(3)
    XCTAssertEqual(calls, [2, 2])
    XCTAssertEqual(bag.array, ["1", "2"])
    XCTAssertEqual(bag.set, [1, 3])
  }

  // MARK: Elements

  /// MAKVONotificationCenter observes the elements that are there; here they are followed.
  func testAnArrayOfTargetsIsObservedElementByElement() {
    let bag = Bag()
    let people = [Person("a"), Person("b"), Person("c")]
    bag.elements = Array(people[0...1])
    var told: [String] = []
    let take = {
      defer { told = [] }
      return told
    }
    let observation = bag.observeElements(of: \.elements, \.age, options: []) { person, _ in
      told.append(person.name)
    }
    people[0].age = 1
    XCTAssertEqual(take(), ["a"])
    people[1].age = 1
    XCTAssertEqual(take(), ["b"])
    people[2].age = 1
    XCTAssertEqual(take(), [], "not in the array")
    bag.$elements.append(people[2])
    for person in people { person.age = 2 }
    XCTAssertEqual(take(), ["a", "b", "c"])
    observation.remove()
    for person in people { person.age = 3 }
    XCTAssertEqual(take(), [])
    XCTAssertTrue(people.allSatisfy(\.observations.isEmpty))
  }

  func testElementsOfAnObjectThatDiesAreNoLongerObserved() {
    let people = [Person("a"), Person("b")]
    var observation: KeyValueObservation?
    do {
      let bag = Bag()
      bag.elements = people
      observation = bag.observeElements(of: \.elements, \.age) { _, _ in XCTFail("called") }
    }
    XCTAssertEqual(observation?.isRemoved, true)
    people[0].age = 1
    XCTAssertTrue(people.allSatisfy(\.observations.isEmpty))
  }
}
