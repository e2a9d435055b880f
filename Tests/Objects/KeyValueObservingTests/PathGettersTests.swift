import KeyValueObserving
import TestSupport
import XCTest

/// Paths that consist of observed properties are read by the properties' getters, and others by
/// their key paths; what observers receive is the same.
final class PathGettersTests: XCTestCase {
  fileprivate class Base: KeyValueObservable {
    @Observed var number = 0
    @Observed var text: String?
    @Observed var next: Base?
    @Observed var home = Place()
    @Observed var box = Box<Place>(Place())
    @Observed var pair = (first: Place(), second: 1)
    @ManuallyObserved var manual = Place()
    @ObservedWeak var weakly: Place?
    @Observed var any: any KeyValueObservable = Place()
    let constant = Place()
    var stored: Place { home }
    var twice: Int { 2 * number }
    subscript(index: Int) -> Place { home }
  }

  private final class Derived: Base {
    let elsewhere = Place()
    var isElsewhere = false
    override var home: Place {
      get { isElsewhere ? elsewhere : super.home }
      set { super.home = newValue }
    }
    override var number: Int {
      get { super.number * 10 }
      set { super.number = newValue }
    }
  }

  fileprivate final class Box<Value>: KeyValueObservable {
    @Observed var value: Value
    init(_ value: Value) { self.value = value }
  }

  fileprivate final class Place: KeyValueObservable {
    @Observed var city = 0
    @Observed private(set) var readable = 0
    @Observed var name: String?
    @Observed var owner: Base?
    @Observed var large = Large()
    func setReadable(_ value: Int) { readable = value }
  }

  fileprivate struct Large: Equatable {
    var first = 0
    var words = (0, 0, 0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    static func == (first: Self, second: Self) -> Bool {
      first.first == second.first && first.words.9 == second.words.9
    }
  }

  /// Observes a path, makes a change ten times, and expects ten calls with the value that the path
  /// has then.
  private func expect<Root: KeyValueObservable, Value: Equatable>(
    _ path: KeyPath<Root, Value>, of root: Root, allocations: ClosedRange<Int> = 0...0,
    line: UInt = #line, _ change: @escaping (Root, Int) -> Void
  ) {
    let calls = Recorder<Bool>()
    var isRecording = true
    root.observe(path) { (root, seen: Change<Value>) in
      if isRecording { calls.record(seen.new == root[keyPath: path]) }
    }
    // The first change may allocate what later ones use again.
    for number in 1...10 { change(root, number) }
    XCTAssertEqual(calls.entries, Array(repeating: true, count: 10), "\(path)", line: line)
    isRecording = false
    #if !DEBUG
    let count = numberOfAllocations { for number in 1...100 { change(root, number) } }
    XCTAssert(allocations.contains(count), "\(path) allocates \(count)", line: line)
    #endif
    root.removeObservers()
  }

  /// Expects that the getters of a path are those of some properties, and read its value.
  private func expectGetters<Value: Equatable>(
    _ path: KeyPath<Base, Value>, _ properties: [AnyKeyPath], of base: Base,
    line: UInt = #line
  ) {
    guard let getters = PathGetters(of: path, through: properties) else {
      return XCTFail("\(path)", line: line)
    }
    XCTAssertFalse(getters.wrapsValue, line: line)
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { unsafe place.deallocate() }
    // SAFETY: the types are those of the key path.
    XCTAssertTrue(unsafe getters.read(base, into: place), line: line)
    XCTAssertEqual(unsafe place.move(), base[keyPath: path], line: line)
  }

  private func expectNone(_ path: AnyKeyPath, _ properties: [AnyKeyPath], line: UInt = #line) {
    XCTAssertNil(PathGetters(of: path, through: properties), "\(path)", line: line)
  }

  func testTheGettersOfAChainReadItsValue() {
    let base = Derived()
    base.number = 7
    base.next = Base()
    base.next?.home.name = "a"
    base.weakly = base.home
    expectGetters(\.number, [\Base.number], of: base)
    expectGetters(\.home.city, [\Base.home, \Place.city], of: base)
    expectGetters(\.home.large, [\Base.home, \Place.large], of: base)
    expectGetters(\.home.readable, [\Base.home, \Place.readable], of: base)
    expectGetters(\.manual.name, [\Base.manual, \Place.name], of: base)
    expectGetters(\.next?.home.name, [\Base.next, \Base.home, \Place.name], of: base)
    XCTAssertEqual(base.number, 70)
    let wrapped = PathGetters(of: \Base.next?.number, through: [\Base.next, \Base.number])
    XCTAssertEqual(wrapped?.wrapsValue, true)
    var number = 1
    XCTAssertEqual(unsafe wrapped?.read(base, into: &number), true)
    XCTAssertEqual(number, 0)
    base.next = nil
    XCTAssertEqual(unsafe wrapped?.read(base, into: &number), false)
    XCTAssertEqual(unsafe wrapped?.read(base, into: &number), false)
  }

  /// A change of a chain takes fewer instructions than one of another path, by as many as the
  /// standard library takes to read the path.
  func testAChangeOfAChainIsReadByTheGetters() throws {
    #if DEBUG
    throw XCTSkip("this library is compiled without optimisation")
    #else
    func costs(of path: KeyPath<Base, Int>) throws -> (change: Int, read: Int) {
      let base = Base()
      var sum = 0
      base.observe(path) { sum += $1.new ?? 0 }
      let home = base.home
      for number in 1...3 { home.city = number }
      let change = try numberOfInstructions { home.city = 4 }
      let read = try numberOfInstructions { sum += base[keyPath: path] }
      XCTAssertEqual(sum, 14)
      return (change, read)
    }
    let chain = try costs(of: \.home.city)
    let other = try costs(of: \.stored.city)
    XCTAssertLessThan(chain.change + chain.read / 2, other.change)
    #endif
  }

  func testWhatIsNotAChainHasNoGetters() {
    expectNone(\Base.home.city, [])
    expectNone(\Base.home.city, [\Base.home])
    expectNone(\Base.home.city, [\Place.city])
    expectNone(\Base.home.city, [\Base.manual, \Place.city])
    expectNone(\Base.home.city, [\Base.home, \Place.readable])
    expectNone(\Base.home.city, [\Base.home, \Place.city, \Place.city])
    expectNone(\Base.stored.city, [\Base.home, \Place.city])
    expectNone(\Base.twice, [\Base.number])
    expectNone(\Base.next!.number, [\Base.next, \Base.number])
    expectNone(\Base.next?.text?.count, [\Base.next, \Base.text])
    expectNone(\Base.pair.first.city, [\Base.pair, \Place.city])
    expectNone(\Base.constant.city, [\Place.city])
    expectNone(\Base.home.city.description, [\Base.home, \Place.city])
    expectNone(\Base[0].city, [\Base.home, \Place.city])
    expectNone(\Base[0].city, [\Base[0], \Place.city])
    expectNone(\Base.any, [\Base.number])
    expectNone(\Base.self, [\Base.number])
  }

  func testObserversReceiveTheValuesOfThePath() {
    let base = Base()
    base.next = Base()
    base.next?.next = Base()
    base.weakly = base.home
    let end = base.next?.next?.home
    expect(\Base.home.city, of: base) { $0.home.city = $1 }
    expect(\Base.home.large, of: base) { $0.home.large.first = $1 }
    expect(\Base.home.readable, of: base) { $0.home.setReadable($1) }
    expect(\Base.next?.number, of: base) { $0.next?.number = $1 }
    expect(\Base.next?.next?.home.city, of: base) { end?.city = $1 }
    expect(\Base.next?.next?.home.name, of: base) { end?.name = $1.isMultiple(of: 2) ? "a" : nil }
    expect((\Base.next?.next).appending(path: \.?.number), of: base) { $0.next?.next?.number = $1 }
    expect(\Base.weakly?.city, of: base) { $0.weakly?.city = $1 }
    expect(\Base.stored.city, of: base) { $0.home.city = $1 }
    expect(\Base.twice, of: base) { $0.number = $1 }
    expect(\Base.next!.number, of: base) { $0.next?.number = $1 }
    expect(\Base.box.value.city, of: base, allocations: 0...10_000) { $0.box.value.city = $1 }
    expect(\Base.pair.first.city, of: base) { $0.pair.first.city = $1 }
    expect(\Base.constant.city, of: base) { $0.constant.city = $1 }
    expect(\Base[0].city, of: base) { $0.home.city = $1 }
    expect(\Base.home.city.description, of: base) { $0.home.city = $1 }
    expect(\Base.manual.city, of: base, allocations: 1...10_000) { $0.manual.city = $1 }
  }

  func testAnOverridingGetterIsCalled() {
    let derived = Derived()
    let base = Base()
    base.next = derived
    expect(\Base.home.city, of: derived as Base) { $0.home.city = $1 }
    derived.isElsewhere = true
    expect(\Base.home.city, of: derived as Base) { ($0 as? Derived)?.elsewhere.city = $1 }
    expect(\Derived.home.city, of: derived) { $0.elsewhere.city = $1 }
    expect(\Base.next?.number, of: base) { $0.next?.number = $1 }
    derived.number = 3
    XCTAssertEqual(derived.number, 30)
  }

  func testAReferenceOnTheWayMayBeReplacedByTheHandler() {
    let base = Base()
    let first = base.home
    let calls = Recorder<Int?>()
    base.observe(\.home.city) { base, change in
      calls.record(change.new)
      if change.new == 1 { base.home = Place() }
    }
    first.city = 1
    first.city = 2
    base.home.city = 3
    XCTAssertEqual(calls.entries, [1, 0, 3])
  }

  /// A getter that changes another property of the path while the path is evaluated.
  func testAnEvaluationWithinAnEvaluation() {
    final class Counting: KeyValueObservable {
      @Observed var first = 0
      @Observed var second = 0
      var isChanging = false
      var sum: Int {
        if isChanging {
          isChanging = false
          second += 1
        }
        return first + second
      }
    }
    let counting = Counting()
    let calls = Recorder<Int?>()
    counting.observe(\.sum) { calls.record($1.new) }
    counting.first = 1
    counting.isChanging = true
    counting.first = 10
    counting.first = 20
    XCTAssertEqual(calls.entries, [1, 11, 11, 21])
  }

  func testValuesOfAnyTypeAreRead() {
    final class Holder: KeyValueObservable {
      @Observed var action: (Int) -> Int = { $0 }
      @Observed var choice: ((Int) -> Int)?
      @Observed var pair = (1, "a")
      @Observed var object: any KeyValueObservable = Base()
      @Observed var type: Any.Type = Int.self
      @Observed var nothing: Void = ()
    }
    final class Root: KeyValueObservable {
      @Observed var holder = Holder()
      @Observed var maybe: Holder?
    }
    let root = Root()
    root.maybe = root.holder
    let calls = Recorder<String>()
    root.observe(\.holder.action) { calls.record("\($1.new?(2) ?? 0)") }
    root.observe(\.maybe?.action) { calls.record("\($1.new?(3) ?? 0)") }
    root.observe(\.maybe?.choice) { calls.record("\($1.new?(4) ?? 0)") }
    root.observe(\.holder.pair) { calls.record("\($1.new?.1 ?? "")") }
    root.observe(\.maybe?.object) { calls.record("\(($1.new as? Base)?.number ?? 0)") }
    root.observe(\.holder.type) { calls.record("\(String(describing: $1.new))") }
    root.observe(\.maybe?.nothing) { calls.record("\($1.new == nil ? "-" : "void")") }
    root.holder.action = { 10 * $0 }
    root.holder.choice = { 100 * $0 }
    root.holder.pair = (2, "b")
    let base = Base()
    base.number = 5
    root.holder.object = base
    root.holder.type = String.self
    root.holder.nothing = ()
    XCTAssertEqual(
      calls.entries, ["20", "30", "400", "b", "5", "Optional(Swift.String)", "void"])
  }

  func testOptionalsOfEveryShapeAreRead() {
    struct Pair: Equatable {
      var first: Int
      var second: UInt8
    }
    final class Holder: KeyValueObservable {
      @Observed var number: Int?
      @Observed var byte: UInt8?
      @Observed var ratio: Double?
      @Observed var pair: Pair?
      @Observed var flag: Bool?
      @Observed var twice: Int??
    }
    final class Root: KeyValueObservable {
      @Observed var holder = Holder()
      @Observed var maybe: Holder?
    }
    let root = Root()
    root.maybe = root.holder
    let calls = Recorder<String>()
    // Not by a generic function: for an optional value `observe` is another overload.
    root.observe(\.holder.number, options: [.old, .new]) {
      calls.record("\($1.old as Any) \($1.new as Any)")
    }
    root.observe(\.maybe?.number) { calls.record("\($1.new as Any)") }
    root.observe(\.holder.byte) { calls.record("\($1.new as Any)") }
    root.observe(\.maybe?.ratio) { calls.record("\($1.new as Any)") }
    root.observe(\.holder.pair) { calls.record("\($1.new?.second as Any)") }
    root.observe(\.maybe?.flag) { calls.record("\($1.new as Any)") }
    root.observe(\.holder.twice) { calls.record("\($1.new as Any)") }
    func expect(_ texts: String..., line: UInt = #line, after change: (Holder) -> Void) {
      let before = calls.entries.count
      change(root.holder)
      XCTAssertEqual(Array(calls.entries[before...]), texts, line: line)
    }
    for _ in 0..<2 {
      expect("nil Optional(5)", "Optional(5)") { $0.number = 5 }
      expect("Optional(5) nil", "nil") { $0.number = nil }
      expect("Optional(7)") { $0.byte = 7 }
      expect("nil") { $0.byte = nil }
      expect("Optional(1.5)") { $0.ratio = 1.5 }
      expect("nil") { $0.ratio = nil }
      expect("Optional(3)") { $0.pair = Pair(first: 2, second: 3) }
      expect("nil") { $0.pair = nil }
      expect("Optional(true)") { $0.flag = true }
      expect("nil") { $0.flag = nil }
      expect("Optional(Optional(4))") { $0.twice = 4 }
    }
  }

  func testNoReferenceIsRetainedOrReleasedTooOften() {
    let tracker = LifetimeTracker()
    final class Link: KeyValueObservable {
      @Observed var next: Link?
      @Observed var payload: LifetimeTracker.Tracked
      init(_ payload: LifetimeTracker.Tracked, _ next: Link? = nil) {
        (self.payload, self.next) = (payload, next)
      }
    }
    do {
      let last = Link(tracker.track())
      let root = Link(tracker.track(), Link(tracker.track(), last))
      var count = 0
      root.observe(\.next?.next?.payload) { count += $1.new === last.payload ? 1 : 0 }
      for _ in 0..<100 { last.payload = tracker.track() }
      root.next?.next = nil
      last.payload = tracker.track()
      root.next?.next = last
      XCTAssertEqual(count, 101)
    }
    tracker.expectNothingAlive()
  }
}
