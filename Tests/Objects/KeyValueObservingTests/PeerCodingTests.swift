import KeyValueObserving
import TestSupport
import XCTest

/// Key-value coding, with the values of GNUstep's `Tests/base/KVC`.
final class PeerCodingTests: XCTestCase {
  private struct Pair: Equatable {
    var number: CInt = 1
    var character: CChar = 2
  }

  private class Tester: KeyValueCoding {
    @Observed var name: String?
    @Observed var integer: CInt = 7
    @Observed var double = 0.0
    @Observed var pair = Pair()
    @Observed var child: Tester?
    @Observed var entries: [String: Any] = [:]
    private var stored = 0
    var adjusted: Int {
      get { stored }
      set { stored = newValue == 8 ? 7 : newValue }
    }

    class var keys: KeyTable {
      [
        "name": \Tester.name, "integer": \Tester.integer, "double": \Tester.double,
        "pair": \Tester.pair, "child": \Tester.child, "entries": \Tester.entries,
        "adjusted": \Tester.adjusted,
      ]
    }

    func value(forUndefinedKey key: String) throws -> Any? { throw undefinedKeyError(key) }
    func setValue(_ value: Any?, forUndefinedKey key: String) throws {
      throw undefinedKeyError(key)
    }
    func setNilValue(forKey key: String) throws { _ = try validateType(nil, forKey: key) }
  }

  private final class Lenient: Tester {
    private var text: String?
    override func value(forUndefinedKey key: String) -> Any? { key == "Lücke" ? text : nil }
    override func setValue(_ value: Any?, forUndefinedKey key: String) {
      if key == "Lücke" { text = value as? String }
    }
    override func setNilValue(forKey key: String) { integer = 0 }
  }

  func testValuesAreReadAndSetByKey() throws {
    let tester = Tester()
    let table: [(key: String, set: Any, read: AnyHashable)] = [
      ("name", "tester", "tester"), ("integer", 8, CInt(8)), ("double", 87.999, 87.999),
      ("adjusted", 8, 7),
    ]
    for (key, set, read) in table {
      try tester.setValue(set, forKey: key)
      XCTAssertEqual(try tester.value(forKey: key) as? AnyHashable, read, key)
    }
    XCTAssertEqual(try tester.value(forKey: "pair") as? Pair, Pair())
    try tester.setValue(Pair(number: 3, character: 4), forKey: "pair")
    XCTAssertEqual(tester.pair, Pair(number: 3, character: 4))
  }

  func testAPathIsFollowedThroughObjectsAndDictionaries() throws {
    let tester = Tester()
    tester.child = Tester()
    tester.child?.child = Lenient()
    tester.child?.entries = ["test": Lenient()]
    for (path, value) in [
      ("child.double", 87.999 as AnyHashable), ("child.child.integer", CInt(8)),
      ("child.child.Lücke", "GNUstep"), ("entries.Lücke", "GNUstep"),
      ("child.entries.test.Lücke", "GNUstep"),
    ] {
      try tester.setValue(value, forKeyPath: path)
      XCTAssertEqual(try tester.value(forKeyPath: path) as? AnyHashable, value, path)
    }
  }

  func testAnUndefinedKeyIsAnErrorUnlessTheClassKnowsIt() throws {
    let (tester, lenient) = (Tester(), Lenient())
    tester.child = Tester()
    expectError(.unknownKey) { try tester.setValue("", forKey: "nonexistent") }
    expectError(.unknownKey) { try tester.setValue("", forKeyPath: "child.nonexistent") }
    expectError(.unknownKey) { _ = try tester.value(forKeyPath: "child.nonexistent") }
    try lenient.setValue("GNUstep", forKey: "Lücke")
    XCTAssertEqual(try lenient.value(forKey: "Lücke") as? String, "GNUstep")
    XCTAssertNil(try lenient.value(forKey: "nonexistent"))
  }

  func testNilForANumberIsAnErrorUnlessTheClassTakesIt() throws {
    let (tester, lenient) = (Tester(), Lenient())
    expectError(.typeMismatch) { try tester.setValue(nil, forKey: "integer") }
    XCTAssertEqual(tester.integer, 7)
    try lenient.setValue(nil, forKey: "integer")
    XCTAssertEqual(lenient.integer, 0)
  }

  private final class Row: KeyValueCoding {
    @Observed var value: Int
    @Observed var details: [Row]
    static var keys: KeyTable { ["value": \Row.value, "details": \Row.details] }
    init(_ value: Int = 0, _ details: [Row] = []) {
      self.value = value
      self.details = details
    }
  }

  func testOperatorsWithinOperators() throws {
    let root = Row(0, [Row(10, [Row(4), Row(2)]), Row(12, [Row(8), Row(10)])])
    let table: [(path: String, result: Double)] = [
      ("details.@sum.value", 22), ("details.@count.value", 2), ("details.@count", 2),
      ("details.@sum.details.@avg.value", 12), ("details.@sum.details.@count.value", 4),
      ("details.@sum.details.@count", 4),
    ]
    for (path, result) in table {
      let value = try root.value(forKeyPath: path)
      XCTAssertEqual(value as? Double ?? (value as? Int).map(Double.init), result, path)
    }
  }

  private final class Lists: KeyValueCoding {
    @Observed var numbers = ["One", "Ten", "Three", "Ninety"]
    @Observed var words: Set<String> = ["one", "two", "eight"]
    @Observed var entries: [String: Any] = [:]
    static var keys: KeyTable {
      ["numbers": \Lists.numbers, "words": \Lists.words, "entries": \Lists.entries]
    }
  }

  func testCollectionsAreChangedByTheirKeys() throws {
    let lists = Lists()
    var changes: [ChangeKind] = []
    lists.observe(\.numbers, options: [.old, .new]) { changes.append($1.kind) }
    let numbers = try lists.mutableArrayValue(forKey: "numbers")
    try numbers.remove(at: 3)
    expectError(.indexOutOfRange) { try numbers.remove(at: 3) }
    try numbers.replace(at: 1, with: "Two")
    try numbers.append("Four")
    XCTAssertEqual(lists.numbers, ["One", "Two", "Three", "Four"])
    XCTAssertEqual(changes, [.removal, .replacement, .insertion])
    XCTAssertEqual(try numbers.element(at: 1) as? String, "Two")

    let words = try lists.mutableSetValue(forKey: "words")
    try words.insert("seven")
    try words.subtract(["eight"])
    XCTAssertEqual(words.members, ["one", "two", "seven"])

    // Through a dictionary.
    lists.entries = ["list": Lists()]
    try lists.mutableArrayValue(forKeyPath: "entries.list.numbers").removeAll()
    try lists.mutableSetValue(forKeyPath: "entries.list.words").remove("one")
    let list = lists.entries["list"] as? Lists
    XCTAssertEqual(list?.numbers, [])
    XCTAssertEqual(list?.words, ["two", "eight"])
  }

  func testElementsAreRemovedInBothOrders() throws {
    for order in [[0, 0], [1, 0]] {
      let lists = Lists()
      lists.numbers = ["Moose1", "Moose2"]
      for index in order { try lists.mutableArrayValue(forKey: "numbers").remove(at: index) }
      XCTAssertEqual(lists.numbers, [])
    }
  }
}
