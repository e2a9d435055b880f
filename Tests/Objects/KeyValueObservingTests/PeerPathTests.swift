import KeyValueObserving
import XCTest

/// Chains and properties computed through them, with the counts and values of GNUstep's
/// `NSKVOSupport`: `general.m`, `proxy.m`, `keypathRegistration.m`, `userdefaults.m`.
final class PeerPathTests: XCTestCase {
  private var log: [String] = []

  private func note<Value>(_ change: Change<Value>) { log.append("\(change)") }

  func testEachReplacementOfALinkTellsOnce() {
    // Which child is replaced, counted from the root, and whether by another one or by nil.
    typealias Step = (depth: Int, isThere: Bool)
    typealias Case = (
      name: String, path: KeyPath<Thing, Thing?>, depth: Int, calls: Int, steps: [Step]
    )
    let two = \Thing.child?.child
    let three = \Thing.child?.child?.child
    let cases: [Case] = [
      ("sub-path", two, 0, 2, [(0, true), (0, false)]),
      ("three levels", three, 0, 4, [(0, true), (1, true), (1, false), (0, false)]),
      ("head", two, 1, 1, [(0, false)]),
      ("tail and head", three, 2, 2, [(1, false), (0, false)]),
      ("several", two, 0, 3, [(0, true), (0, true), (0, false)]),
      (
        "several, and a tail", two, 0, 7,
        [(0, true), (0, false), (0, true), (0, false), (0, true), (1, true), (0, false)]
      ),
      ("below the path", two, 2, 0, [(2, true), (2, false)]),
    ]
    for test in cases {
      let root = Thing()
      func thing(_ depth: Int) -> Thing? {
        (0..<depth).reduce(root) { thing, _ in thing?.child }
      }
      for depth in 0..<test.depth { thing(depth)?.child = Thing() }
      var calls = 0
      root.observe(test.path, options: []) { _, _ in calls += 1 }
      for step in test.steps { thing(step.depth)?.child = step.isThere ? Thing() : nil }
      XCTAssertEqual(calls, test.calls, test.name)
    }
  }

  func testADictionarysEntriesAreLinks() {
    let complete = Thing(entries: ["guy": Thing()])
    let root = Thing()
    root.child = complete
    var calls = 0
    root.observe(\.child?.entries["guy"]?.number, options: []) { _, _ in calls += 1 }
    root.child = complete
    XCTAssertEqual(calls, 1, "a complete tree")
    let empty = Thing()
    calls = 0
    empty.observe(\.child?.entries["guy"]?.number, options: []) { _, _ in calls += 1 }
    empty.child = complete
    empty.child = complete
    XCTAssertEqual(calls, 2, "an incomplete tree")
    complete.entries["guy"]?.number = 1
    XCTAssertEqual(calls, 4, "both roots are wired to the leaf")
  }

  func testAPathBeginsWithAComputedProperty() {
    let root = Thing()
    root.child = Thing(entries: ["key": Thing()])
    var calls = 0
    root.observe(\.derivedChild?.entries["key"], options: []) { _, _ in calls += 1 }
    let second = Thing()
    root.child = second
    second.entries = ["key": Thing()]
    XCTAssertEqual(calls, 2)
  }

  func testAPathBeginsWithAPropertyComputedOfADictionary() {
    let root = Thing()
    root.table = ["sub": ["x": 1.234]]
    root.observe(\.subtable?["x"]) { self.note($1) }
    root.$table.updateValue(["x": 3.5], forKey: "sub")
    root.table = ["sub": ["x": 5.5]]
    root.$table.updateValue(["x": 7.5], forKey: "sub")
    XCTAssertEqual(log, ["setting new 3.5", "setting new 5.5", "setting new 7.5"])
  }

  func testAComputedPropertyInsideAPathIsSilentAfterRemoval() {
    let root = Thing()
    let observation = root.observe(\.child?.derived?.count) { self.note($1) }
    let child = Thing(text: "Hello")
    root.child = child
    XCTAssertEqual(log, ["setting new 11"])
    observation.remove()
    child.text = "Whatever"
    XCTAssertEqual(log.count, 1)
  }

  func testADependentOfADependentTellsItsNewValue() {
    let thing = Thing(text: "Hello")
    thing.observe(\.twice) { self.note($1) }
    thing.text = "KVO"
    thing.text = "$$$"
    XCTAssertEqual(log, ["setting new ---!!!KVO!!!---", "setting new ---!!!$$$!!!---"])
  }

  func testThreeInitialCallsOfSubPaths() {
    let root = Thing()
    root.child = Thing()
    let options: ObservingOptions = [.initial, .new]
    root.observe(\.child?.text, options: options) { self.note($1) }
    root.observe(\.child?.number, options: options) { self.note($1) }
    root.observe(\.child?.derived, options: options) { self.note($1) }
    XCTAssertEqual(log, ["setting", "setting new 0", "setting"])
  }

  func testTwoObserversOfALinkAndOfAPathThroughItKeepTheirValuesApart() {
    let root = Thing()
    let old = Thing(text: "Original")
    let new = Thing(text: "New")
    root.child = old
    var links: [(Thing?, Thing?)] = []
    root.observe(\.child, options: [.old, .new]) { links.append(($1.old, $1.new)) }
    root.observe(\.child?.text, options: [.old, .new]) { self.note($1) }
    root.child = new
    XCTAssertEqual(links.count, 1)
    XCTAssertTrue(links.first?.0 === old && links.first?.1 === new)
    XCTAssertEqual(log, ["setting old Original new New"])
  }

  func testAnObserverThatComesLaterIsToldOfLaterChangesOnly() {
    let thing = Thing()
    var calls = [0, 0]
    thing.observe(\.text) { _, _ in calls[0] += 1 }
    thing.text = "Hello"
    XCTAssertEqual(calls, [1, 0])
    thing.observe(\.text) { object, change in
      XCTAssertIdentical(object, thing)
      self.note(change)
      calls[1] += 1
    }
    thing.text = "Goodbye"
    XCTAssertEqual(calls, [2, 1])
    XCTAssertEqual(log, ["setting new Goodbye"])
  }

  func testAStructureIsToldAsItselfAndByItsFields() {
    struct Size: Equatable {
      var width = 1
      var height = 2
    }
    final class Box: KeyValueObservable {
      @Observed var size = Size()
    }
    let box = Box()
    var sizes: [Change<Size>] = []
    box.observe(\.size, options: [.prior, .old, .new]) { sizes.append($1) }
    box.observe(\.size.width, options: [.old, .new]) { self.note($1) }
    box.size.width = 3
    let (old, new) = (Size(width: 1, height: 2), Size(width: 3, height: 2))
    XCTAssertEqual(sizes, [Change(old: old, isPrior: true), Change(old: old, new: new)])
    XCTAssertEqual(log, ["setting old 1 new 3"])
  }

  func testASettersOldNilIsNilInBothCalls() {
    let thing = Thing()
    var changes: [Change<String>] = []
    thing.observe(\.text, options: [.prior, .old]) { changes.append($1) }
    thing.text = "Hello"
    XCTAssertEqual(changes, [Change(isPrior: true), Change()])
  }

  // MARK: Objects that show another's properties

  /// In the order of registration; GNUstep tells the dependent property first.
  func testAnObjectThatShowsAnothersPropertiesTellsOfThem() {
    final class Front: KeyValueObservable {
      @Observed var target: Thing
      var text: String? {
        get { target.text }
        set { target.text = newValue }
      }
      var derived: String? { target.derived }
      init(_ target: Thing) { self.target = target }
    }
    let target = Thing()
    let front = Front(target)
    let nested = Front(target)
    front.observe(\.text) { self.log.append("text \($1)") }
    front.observe(\.derived) { self.log.append("derived \($1)") }
    func told(_ text: String) -> [String] {
      ["text setting new \(text)", "derived setting new !!!\(text)!!!"]
    }
    front.text = "a"
    XCTAssertEqual(log, told("a"))
    target.text = "b"
    nested.text = "c"
    XCTAssertEqual(log, told("a") + told("b") + told("c"))
    front.target = Thing(text: "d")
    XCTAssertEqual(log.count, 8)
    target.text = "unseen"
    XCTAssertEqual(log.count, 8)
  }

  func testAnObjectInTheMiddleShowsTheObjectsThatItHolds() {
    final class Registrar: KeyValueObservable {
      let elements: [Thing]
      var texts: [String?] { elements.map(\.text) }
      init(_ elements: [Thing]) { self.elements = elements }
    }
    final class Holder: KeyValueObservable {
      @Observed var registrar: Registrar?
    }
    let element = Thing(text: "a")
    let holder = Holder()
    holder.registrar = Registrar([element])
    var calls = 0
    let observation = holder.observe(\.registrar?.texts) { object, change in
      XCTAssertIdentical(object, holder)
      XCTAssertEqual(change, Change(new: ["b"]))
      calls += 1
    }
    element.text = "b"
    XCTAssertEqual(calls, 1)
    observation.remove()
    element.text = "c"
    XCTAssertEqual(calls, 1)
    XCTAssertTrue(element.observations.isEmpty)
  }

  /// The six steps of user defaults with two domains: a call only if the visible value changes.
  func testAValueSeenThroughTwoDomainsTellsOnlyVisibleChanges() {
    final class Defaults: KeyValueObservable {
      @Observed var application: [String: String] = [:]
      @Observed var registration: [String: String] = [:]
      subscript(key: String) -> String? { application[key] ?? registration[key] }
    }
    let defaults = Defaults()
    let options: ObservingOptions = [.old, .new, .distinct]
    defaults.observe(\.["key1"], options: options) { self.log.append("key1 \($1)") }
    defaults.observe(\.["key2"], options: options) { self.log.append("key2 \($1)") }
    defaults.$application.updateValue("value1", forKey: "key1")
    defaults.$application.removeValue(forKey: "key1")
    defaults.$application.updateValue("value2", forKey: "key2")
    defaults.registration["key2"] = "value2Alt"
    XCTAssertEqual(
      log,
      ["key1 setting new value1", "key1 setting old value1", "key2 setting new value2"])
    defaults.$application.removeValue(forKey: "key2")
    XCTAssertEqual(log.last, "key2 setting old value2 new value2Alt")
    XCTAssertEqual(log.count, 4)
    defaults.application["key1"] = "value1"
    XCTAssertEqual(log.count, 5, "nothing was registered for the key")
    defaults.registration["key1"] = "value1"
    defaults.application["key1"] = "value1"
    defaults.$application.removeValue(forKey: "key1")
    XCTAssertEqual(log.count, 5, "the other domain has the same value")
  }
}

/// A class with a child, dictionaries, and properties computed of them.
private final class Thing: KeyValueObservable {
  @Observed var text: String?
  @Observed var number = 0
  @Observed var child: Thing?
  @Observed var entries: [String: Thing]
  @Observed var table: [String: [String: Double]] = [:]

  var derived: String? { text.map { "!!!\($0)!!!" } }
  var twice: String? { derived.map { "---\($0)---" } }
  var derivedChild: Thing? { child }
  var subtable: [String: Double]? { table["sub"] }

  init(text: String? = nil, entries: [String: Thing] = [:]) {
    self.text = text
    self.entries = entries
  }
}
