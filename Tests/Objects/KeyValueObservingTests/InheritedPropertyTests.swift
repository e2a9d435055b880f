import KeyValueObserving
import XCTest

/// Which key paths name one property, `\Base.name` and `\Derived.name`, and which only read it.
final class InheritedPropertyTests: XCTestCase {
  private class Base: KeyValueObservable {
    @Observed var name = "a"
    @Observed final var fixed = "f"
    @Observed var overridden = "o"
    var notified = "h" {
      willSet { willChange(\.notified) }
      didSet { didChange(\.notified) }
    }
    @ManuallyObserved var manual = "m"
  }

  private class Derived: Base {
    var title: String { name }
    final var finalTitle: String { fixed }
    var settable: String {
      get { name }
      set { name = newValue }
    }
    final var finalSettable: String {
      get { fixed }
      set { fixed = newValue }
    }
    override var overridden: String {
      get { super.overridden }
      set { super.overridden = newValue }
    }
    @Observed var own = "d"
  }

  private final class Leaf: Derived {
    var alias: String { own }
  }

  private class Generic<Value>: KeyValueObservable {
    @Observed var value: Value
    @Observed var other: Value
    init(_ value: Value) { (self.value, other) = (value, value) }
  }

  private final class Specific: Generic<String> {
    var alias: String { value }
  }

  private class Passed<Value>: Generic<Value> {}

  /// Expects that one property reads another, and is another.
  private func expect<Owner: KeyValueObservable, Value>(
    _ reader: KeyPath<Owner, Value>, reads source: KeyPath<Owner, Value>, of make: () -> Owner,
    line: UInt = #line
  ) {
    for isRead in [true, false] {
      let (first, second) = isRead ? (source, reader) : (reader, source)
      let owner = make()
      var calls = 0
      let token = owner.observe(first) { (_, _: Change<Value>) in calls += 1 }
      owner.withChange(of: second) {}
      XCTAssertEqual(calls, isRead ? 0 : 1, "a manual change of \(second)", line: line)
      XCTAssertEqual(owner.removeObservers(of: second), 0, line: line)
      XCTAssertFalse(token.isRemoved, line: line)
      XCTAssertEqual(owner.removeObservers(of: first), 1, line: line)
    }
  }

  func testAComputedPropertyIsNotTheInheritedOneThatItReads() {
    expect(\Derived.title, reads: \.name, of: Derived.init)
    expect(\Derived.finalTitle, reads: \.fixed, of: Derived.init)
    expect(\Derived.settable, reads: \.name, of: Derived.init)
    expect(\Derived.finalSettable, reads: \.fixed, of: Derived.init)
    expect(\Leaf.alias, reads: \.own, of: Leaf.init)
    expect(\Leaf.title, reads: \.name, of: Leaf.init)
    expect(\Specific.alias, reads: \.value) { Specific("v") }
  }

  func testAPropertyIsTheSameByAnyNameOfIt() {
    /// Observes through one class, and changes and removes through the other.
    func expect<Upper: KeyValueObservable, Lower: KeyValueObservable, Value>(
      _ upper: KeyPath<Upper, Value>, _ lower: KeyPath<Lower, Value>, of lowerOwner: Lower,
      line: UInt = #line
    ) {
      guard let upperOwner = lowerOwner as? Upper else { return XCTFail("no subclass", line: line) }
      var calls = 0
      upperOwner.observe(upper) { (_, _: Change<Value>) in calls += 1 }
      lowerOwner.withChange(of: lower) {}
      XCTAssertEqual(calls, 1, "manually", line: line)
      XCTAssertEqual(lowerOwner.removeObservers(of: lower), 1, line: line)
      lowerOwner.observe(lower) { (_, _: Change<Value>) in calls += 1 }
      upperOwner.withChange(of: upper) {}
      XCTAssertEqual(calls, 2, "manually", line: line)
      XCTAssertEqual(upperOwner.removeObservers(of: upper), 1, line: line)
      lowerOwner.observe([lower]) { _, _, _ in calls += 1 }
      upperOwner.withChange(of: upper) {}
      XCTAssertEqual(calls, 3, "several key paths", line: line)
      XCTAssertEqual(upperOwner.removeObservers(of: upper), 1, line: line)
      XCTAssertEqual(lowerOwner.observations.count, 0, line: line)
    }
    expect(\Base.name, \Derived.name, of: Derived())
    expect(\Base.name, \Leaf.name, of: Leaf())
    expect(\Derived.name, \Leaf.name, of: Leaf())
    expect(\Derived.title, \Leaf.title, of: Leaf())
    expect(\Base.fixed, \Derived.fixed, of: Derived())
    expect(\Derived.finalTitle, \Leaf.finalTitle, of: Leaf())
    expect(\Base.overridden, \Derived.overridden, of: Leaf())
    expect(\Base.notified, \Leaf.notified, of: Leaf())
    expect(\Base.manual, \Leaf.manual, of: Leaf())
    expect(\Generic<String>.value, \Specific.value, of: Specific("v"))
    expect(\Generic<Int>.value, \Passed<Int>.value, of: Passed(1))
  }

  func testInsideOfGenericCodeAPropertyIsTheSame() {
    func changeManually<Value>(_ owner: Generic<Value>) { owner.withChange(of: \.value) {} }
    func changeManually<Value>(_ owner: Passed<Value>) { owner.withChange(of: \.value) {} }
    func observe<Value>(_ owner: Passed<Value>, _ body: @escaping () -> Void) {
      owner.observe(\.value) { (_, _: Change<Value>) in body() }
    }
    let owner = Passed("v")
    var calls = 0
    observe(owner) { calls += 1 }
    owner.observe(\.value) { (_, _: Change<String>) in calls += 10 }
    owner.withChange(of: \.other) {}
    XCTAssertEqual(calls, 0)
    changeManually(owner as Generic<String>)
    XCTAssertEqual(calls, 11)
    changeManually(owner)
    XCTAssertEqual(calls, 22)
    owner.withChange(of: \.value) {}
    XCTAssertEqual(calls, 33)
    owner.value = "w"
    XCTAssertEqual(calls, 44)
    XCTAssertEqual(owner.removeObservers(of: \.value), 2)
  }

  func testAnOverrideWithAnotherTypeIsObservedByItself() {
    class Keeper: KeyValueObservable {
      @Observed fileprivate var first = Leaf()
      var pet: Base { first }
    }
    final class LeafKeeper: Keeper {
      override var pet: Leaf { first }
    }
    let keeper = LeafKeeper()
    var log: [String] = []
    keeper.observe(\.pet) { (_, change: Change<Leaf>) in log.append("leaf \(change.new?.own ?? "")")
    }
    (keeper as Keeper).observe(\.pet) { (_, change: Change<Base>) in
      log.append("base \(change.new?.name ?? "")")
    }
    keeper.first = Leaf()
    keeper.withChange(of: \.pet) {}
    XCTAssertEqual(log, ["leaf d", "base a", "leaf d"])
  }
}
