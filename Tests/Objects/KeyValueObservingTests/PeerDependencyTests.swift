import KeyValueObserving
import XCTest

/// Properties that depend on others, with the counts of GNUstep's `NSKVOSupport`: circles, aliases
/// and branches, what getters read and what `dependentKeys` says.
final class PeerDependencyTests: XCTestCase {
  private var calls = 0

  private func count<Object>(_ object: Object, _ change: Change<some Any>) { calls += 1 }

  private func expect(
    _ expected: Int, _ what: String, line: UInt = #line, _ act: () -> Void
  ) {
    calls = 0
    act()
    XCTAssertEqual(calls, expected, what, line: line)
  }

  func testCirclesOfTwoAndThreeComputedKeysTellOfTheirLeafOnce() {
    class Root: KeyValueObservable {
      @Observed var leaf = 1
      var a: Int { leaf }
      var b: Int { leaf }
      var c: Int { leaf }
      var derived: Int { a + leaf }
      class var dependentKeys: DependentKeys {
        DependentKeys(of: Root.self, [\.a: [\.b], \.b: [\.a], \.derived: [\.a, \.leaf]])
      }
    }
    final class Three: Root {
      override class var dependentKeys: DependentKeys {
        [
          \Root.a: [\Root.b], \Root.b: [\Root.c], \Root.c: [\Root.a],
          \Root.derived: [\Root.a, \Root.leaf],
        ]
      }
    }
    for root in [Root(), Three()] {
      root.observe(\.derived, options: [], count)
      expect(1, "\(root)") { root.leaf = 2 }
    }
  }

  func testACircleOfTwoPropertiesThatAreSetTellsOfBothEachTime() {
    final class Pair: KeyValueObservable {
      @Observed var first = ""
      @Observed var second = ""
      static var dependentKeys: DependentKeys {
        [\Pair.first: [\Pair.second], \Pair.second: [\Pair.first]]
      }
    }
    let pair = Pair()
    pair.observe(\.first, count)
    pair.observe(\.second, count)
    expect(4, "each of two sets tells both observers") {
      pair.first = "x"
      pair.second = "y"
    }
  }

  func testAPropertyOfTwoKeysAndOfTwoSubKeysTellsOfEach() {
    final class Gate: KeyValueObservable {
      @Observed var first: String?
      @Observed var second: String?
      @Observed var child: Gate?
      var isOpen: Bool { first != nil && second != nil }
      var isChildOpen: Bool { child?.first != nil && child?.second != nil }
    }
    let gate = Gate()
    let child = Gate()
    var log: [Change<Bool>] = []
    gate.observe(\.isChildOpen) { log.append($1) }
    gate.child = child
    XCTAssertEqual(log, [Change(new: false)])
    child.observe(\.isOpen) { log.append($1) }
    log = []
    child.first = "first"
    XCTAssertEqual(log, [Change(new: false), Change(new: false)])
    log = []
    child.second = "second"
    XCTAssertEqual(log, [Change(new: true), Change(new: true)])
  }

  /// What a getter does not come to read cannot change its value, and is told only if it is
  /// declared; Foundation has nothing but declarations.
  func testWhatAGetterDoesNotComeToReadIsToldOnlyIfItIsDeclared() {
    class Gate: KeyValueObservable {
      @Observed var first = false
      @Observed var second = false
      var isOpen: Bool { first && second }
      class var dependentKeys: DependentKeys { [:] }
    }
    final class Declared: Gate {
      override class var dependentKeys: DependentKeys {
        [\Gate.isOpen: [\Gate.first, \Gate.second]]
      }
    }
    for (gate, expected) in [(Gate(), 0), (Declared(), 1)] {
      gate.observe(\.isOpen, count)
      expect(expected, "\(gate)") { gate.second = true }
    }
  }

  // MARK: Branches

  private final class Leaf: KeyValueObservable {
    @Observed var value = 1
    @Observed var flag = true
  }

  private final class Middle: KeyValueObservable {
    @Observed var leaf: Leaf?
    var score: Int { leaf?.value ?? 0 }
    static var dependentKeys: DependentKeys { [\Middle.score: [\Middle.leaf?.value]] }
  }

  private final class Holder: KeyValueObservable {
    @Observed var node: Middle?
  }

  /// Two names of one path, and a property of both.
  private class Root: KeyValueObservable {
    @Observed var holder: Holder? = Holder()
    var first: Middle? { holder?.node }
    var second: Middle? { holder?.node }
    var derived: Bool { first?.leaf?.flag ?? false && (second?.score ?? 0) > 0 }
    class var dependentKeys: DependentKeys { [:] }
  }

  private final class DeclaredRoot: Root {
    override class var dependentKeys: DependentKeys {
      [
        \Root.first: [\Root.holder?.node], \Root.second: [\Root.holder?.node],
        \Root.derived: [\Root.first?.leaf?.flag, \Root.second?.score],
      ]
    }
  }

  func testTwoAliasesOfAPathAreBothWiredAndTellOnce() {
    for root in [Root(), DeclaredRoot()] {
      let node = Middle()
      let leaf = Leaf()
      node.leaf = leaf
      root.observe(\.derived, options: [], count)
      expect(1, "the graph comes after the observer") { root.holder?.node = node }
      expect(1, "value") { leaf.value = 2 }
      expect(1, "flag") { leaf.flag = false }
    }
  }

  func testABranchThatComesAndGoes25TimesTellsOnce() {
    for root in [Root(), DeclaredRoot()] {
      let node = Middle()
      let leaf = Leaf()
      node.leaf = leaf
      root.observe(\.derived, options: [], count)
      expect(50, "each replacement") {
        for _ in 0..<25 {
          root.holder?.node = nil
          root.holder?.node = node
        }
      }
      expect(1, "value") { leaf.value = 2 }
    }
  }

  // MARK: A circular graph, with nil

  private final class CNode: KeyValueObservable {
    @Observed var d: Leaf?
    @Observed var b: BNode?
    private var number = 0
    /// Tells of `d` too, when there is one.
    var f: Int {
      get { number }
      set {
        let isTold = d != nil
        willChange(\.f)
        if isTold { willChange(\.d) }
        number = newValue
        if isTold { didChange(\.d) }
        didChange(\.f)
      }
    }
  }

  private final class BNode: KeyValueObservable {
    @Observed var c: CNode?
    @Observed var e = 1
  }

  private final class ANode: KeyValueObservable {
    @Observed var b: BNode?
    @Observed var c: CNode?
  }

  private final class XNode: KeyValueObservable {
    @Observed var a: ANode?
    var x: Bool { a?.b?.c?.d != nil || (a?.c?.b?.e ?? 0) > 0 }
    static var dependentKeys: DependentKeys { [\XNode.x: [\XNode.a?.b?.c?.d, \XNode.a?.c?.b?.e]] }
  }

  func testACircularGraphThroughNilTellsOncePerStep() {
    let b = BNode()
    let forA = CNode()
    forA.b = b
    let a = ANode()
    a.b = b
    a.c = forA
    let forB = CNode()
    forB.f = 10
    b.c = forB
    let root = XNode()
    root.a = a
    root.observe(\.x, options: [], count)
    let new = CNode()
    new.d = Leaf()
    new.f = 100
    expect(1, "e") { b.e = 2 }
    expect(1, "another c, whose d is there") { b.c = new }
    expect(1, "e again") { b.e = 3 }
    expect(1, "f tells of d") { new.f = 101 }
    expect(1, "d becomes nil") { new.d = nil }
    expect(0, "f without d") { new.f = 102 }
    expect(1, "c becomes nil") { b.c = nil }
    expect(1, "e once more") { b.e = 4 }
    forA.b = nil
  }

  // MARK: Values

  func testOneObjectFeedsTwoDependentsEachWithItsOwnValues() {
    final class Bar: KeyValueObservable {
      @Observed var x = 0
    }
    final class Foo: KeyValueObservable {
      @Observed var bar: Bar?
      @Observed var a: Int
      var b: Int { a + (bar?.x ?? 0) }
      init(_ a: Int, _ bar: Bar) {
        self.a = a
        self.bar = bar
      }
    }
    let bar = Bar()
    let foos = [Foo(1, bar), Foo(2, bar)]
    var log: [[Change<Int>]] = [[], []]
    for (index, foo) in foos.enumerated() {
      foo.observe(\.b, options: [.old, .new]) { log[index].append($1) }
    }
    bar.x = 1
    XCTAssertEqual(log, [[Change(old: 1, new: 2)], [Change(old: 2, new: 3)]])
    log = [[], []]
    bar.x = 1
    XCTAssertEqual(log, [[Change(old: 2, new: 2)], [Change(old: 3, new: 3)]])
    log = [[], []]
    foos[0].a = 2
    XCTAssertEqual(log, [[Change(old: 2, new: 3)], []])
  }

  /// Entries add up; the deprecated `setKeys:…` of Foundation replaces those before.
  func testEntriesOfOneKeyAddUpAndASubclassMayReplaceThem() {
    class Name: KeyValueObservable {
      @Observed var first = ""
      @Observed var middle = ""
      @Observed var trigger = false
      // The getter reads nothing observed.
      var full: String { "full" }
      class var dependentKeys: DependentKeys {
        [\Name.full: [\Name.first], \Name.full: [\Name.middle]]
      }
    }
    final class Mixed: Name {
      override class var dependentKeys: DependentKeys { [\Name.full: [\Name.trigger]] }
    }
    for (name, expected) in [(Name(), 2), (Mixed(), 1)] {
      name.observe(\.full, count)
      expect(expected, "\(name)") {
        name.first = "Hey"
        name.middle = "Not"
        name.trigger = true
      }
    }
  }

  /// A key and its dependent are observed, each by two observers (WinObjC#2947).
  func testAKeyAndItsDependentObservedTwiceTellEachObserverOnce() {
    let person = Person("Ada")
    for _ in 0..<2 {
      person.observe(\.name, count)
      person.observe(\.greeting, count)
    }
    expect(4, "set") { person.name = "Grace" }
  }
}
