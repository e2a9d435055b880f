import KeyValueObserving
import TestSupport
import XCTest

final class PathTests: XCTestCase {
  private var log: [String] = []

  private func note<Value>(_ change: Change<Value>) { log.append("\(change)") }

  func testAPathFollowsItsLinks() {
    let person = Person("Ada")
    person.observe(\.address?.city, options: [.old, .new]) { self.note($1) }
    let london = Address("London")
    person.address = london
    london.city = "Londres"
    person.address = Address("Paris")
    london.city = "unseen"
    person.address?.city = "Lutetia"
    person.address = nil
    person.address = nil
    XCTAssertEqual(
      log,
      [
        "setting new London", "setting old London new Londres", "setting old Londres new Paris",
        "setting old Paris new Lutetia", "setting old Lutetia", "setting",
      ])
  }

  func testThreeLevelsOfWhichEachIsReplaced() {
    let list = Node(1, Node(2, Node(3)))
    list.observe(\.next?.next?.value) { self.note($1) }
    list.next?.next?.value = 4
    list.next?.next = Node(5)
    list.next = Node(6, Node(7))
    list.next = nil
    list.next = Node(8)
    list.next?.next = Node(9)
    XCTAssertEqual(
      log,
      [
        "setting new 4", "setting new 5", "setting new 7", "setting", "setting", "setting new 9",
      ])
  }

  func testAReplacedChildNoLongerTells() {
    let list = Node(1, Node(2))
    let child = list.next
    list.observe(\.next?.value) { self.note($1) }
    list.next = Node(3)
    child?.value = 100
    list.next = child
    child?.value = 101
    XCTAssertEqual(log, ["setting new 3", "setting new 100", "setting new 101"])
  }

  func testInitialCallsOfPathsThroughNothing() {
    let list = Node()
    let options: ObservingOptions = [.initial, .new]
    list.observe(\.next?.value, options: options) { self.note($1) }
    list.observe(\.value, options: options) { self.note($1) }
    list.observe(\.next?.extra, options: options) { self.note($1) }
    XCTAssertEqual(log, ["setting", "setting new 0", "setting"])
  }

  func testTwoPathsThroughOneObjectTellOnceEach() {
    let shared = Node(5)
    let first = Node(1, shared)
    let second = Node(2, shared)
    first.observe(\.next?.value) { self.log.append("first \($1)") }
    second.observe(\.next?.value) { self.log.append("second \($1)") }
    shared.value = 6
    XCTAssertEqual(log, ["first setting new 6", "second setting new 6"])
  }

  func testAPathThatMeetsAPropertyTwiceTellsOnce() {
    let node = Node(1)
    node.next = node
    node.observe(\.next?.next?.next?.value) { self.note($1) }
    node.value = 2
    XCTAssertEqual(log, ["setting new 2"])
    node.next = nil
    XCTAssertEqual(log.count, 2)
  }

  func testAComputedPropertyDependsOnWhatItReads() {
    let person = Person("Ada")
    person.observe(\.greeting, options: [.old, .new]) { self.note($1) }
    person.name = "Grace"
    person.nickname = "G"
    person.name = "unseen"
    person.nickname = nil
    XCTAssertEqual(
      log,
      [
        "setting old Hello, Ada new Hello, Grace", "setting old Hello, Grace new Hello, G",
        "setting old Hello, G new Hello, unseen",
      ])
  }

  func testAComputedPropertyOfAComputedPropertyInsideAPath() {
    let person = Person()
    person.observe(\.friend?.letterhead) { self.note($1) }
    person.observe(\.friend?.letterhead.count) { self.note($1) }
    person.friend = Person("Ada", in: "London")
    person.friend?.address?.city = "Paris"
    person.friend?.address = nil
    person.friend?.nickname = "A"
    XCTAssertEqual(
      log,
      [
        "setting new Hello, Ada of London", "setting new 20", "setting new Hello, Ada of Paris",
        "setting new 19", "setting new Hello, Ada of nowhere", "setting new 21",
        "setting new Hello, A of nowhere", "setting new 19",
      ])
  }

  func testAllPropertiesObservedAtOnce() {
    let person = Person("Ada", in: "London")
    person.observe(\.name) { self.note($1) }
    person.observe(\.nickname) { self.note($1) }
    person.observe(\.age) { self.note($1) }
    person.observe(\.address?.city) { self.note($1) }
    person.observe(\.greeting) { self.note($1) }
    person.observe(\.letterhead) { self.note($1) }
    person.age = 1
    XCTAssertEqual(log, ["setting new 1"])
    log = []
    person.name = "G"
    XCTAssertEqual(
      log, ["setting new G", "setting new Hello, G", "setting new Hello, G of London"])
    log = []
    person.address?.city = "P"
    XCTAssertEqual(log, ["setting new P", "setting new Hello, G of P"])
  }

  func testPriorCallsOfAPathComeBeforeAnyLinkChanges() {
    let person = Person("Ada", in: "London")
    person.observe(\.address?.city, options: [.prior, .old, .new]) {
      self.log.append("\($1), now \($0.address?.city ?? "-")")
    }
    person.address = Address("Paris")
    person.address?.city = "Rome"
    XCTAssertEqual(
      log,
      [
        "will: setting old London, now London", "setting old London new Paris, now Paris",
        "will: setting old Paris, now Paris", "setting old Paris new Rome, now Rome",
      ])
  }

  /// 25 flips of a link between nil and an object, then exactly one call for a change.
  func testALinkThatFlipsLeavesOneLinkBehind() {
    let list = Node()
    var count = 0
    list.observe(\.next?.value) { _, _ in count += 1 }
    list.observe(\.next?.extra) { _, _ in count += 1 }
    for index in 0..<25 { list.next = index.isMultiple(of: 2) ? Node(index) : nil }
    XCTAssertEqual(count, 50)
    list.next?.value = -1
    XCTAssertEqual(count, 51)
  }

  func testASetterThatChangesASecondPropertyTellsBoth() {
    final class Pair: KeyValueObservable {
      @Observed var first: Int?
      @Observed var second = 0
      var both: String {
        get { "\(first ?? -1) \(second)" }
        set {
          first = Int(newValue)
          if first != nil { second += 1 }
        }
      }
    }
    let pair = Pair()
    pair.observe(\.both) { self.note($1) }
    pair.both = "3"
    pair.both = "x"
    pair.both = "4"
    XCTAssertEqual(
      log,
      [
        "setting new 3 0", "setting new 3 1", "setting new -1 1", "setting new 4 1",
        "setting new 4 2",
      ])
  }

  func testALinkThatDiesBeforeItsRootIsLetGo() {
    let tracker = LifetimeTracker()
    final class Leaf: KeyValueObservable {
      @Observed var value = 0
      let tracked: LifetimeTracker.Tracked
      init(_ tracked: LifetimeTracker.Tracked) { self.tracked = tracked }
    }
    final class Root: KeyValueObservable {
      @Observed var leaf: Leaf?
    }
    let root = Root()
    root.observe(\.leaf?.value, options: [.old, .new]) { self.note($1) }
    root.leaf = Leaf(tracker.track())
    root.leaf?.value = 1
    root.leaf = nil
    tracker.expectNothingAlive()
    XCTAssertEqual(log, ["setting new 0", "setting old 0 new 1", "setting old 1"])
  }

  func testAnUnownedLinkMayDieFirst() {
    final class Root: KeyValueObservable {
      weak var plain: Node?
      var value: Int? { plain?.value }
    }
    let root = Root()
    do {
      let node = Node(1)
      root.plain = node
      root.observe(\.value) { self.note($1) }
      node.value = 2
      XCTAssertEqual(log, ["setting new 2"])
    }
    XCTAssertEqual(root.observations.count, 1)
    root.removeObservers()
  }
}
