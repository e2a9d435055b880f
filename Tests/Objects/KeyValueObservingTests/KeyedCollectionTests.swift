import KeyValueObserving
import TestSupport
import XCTest

/// Arrays and sets that are changed by their keys.
final class KeyedCollectionTests: XCTestCase {
  private struct Layout {
    var rows = [1, 2]
  }

  private class Page: KeyValueCoding {
    @Observed var lines: [String] = ["a", "b"]
    @Observed var maybe: [Int]?
    @Observed var holes: [String?] = ["a", nil]
    @Observed var tags: Set<String> = ["x"]
    @Observed var numbers: Set<UInt8>?
    @Observed var next: Page?
    @Observed var layout = Layout()
    @Observed var values: [String: [Int]] = ["a": [1]]
    let fixed = [1]

    class var keys: KeyTable {
      [
        "lines": \Page.lines, "maybe": \Page.maybe, "holes": \Page.holes, "tags": \Page.tags,
        "numbers": \Page.numbers, "next": \Page.next, "rows": \Page.layout.rows,
        "values": \Page.values, "fixed": \Page.fixed,
      ]
    }
  }

  private final class LongPage: Page {}

  private func log<Value>(
    _ page: Page, _ key: KeyPath<Page, Value>, _ body: () throws -> Void
  ) rethrows -> [String] {
    var log: [String] = []
    let token = page.observe(key, options: [.prior, .old, .new]) { log.append("\($1)") }
    defer { token.remove() }
    try body()
    return log
  }

  func testObserversReceiveTheElementsThatChange() throws {
    let page = LongPage()
    let lines = try page.mutableArrayValue(forKey: "lines")
    let changes: [(KeyedArray) throws -> Void] = [
      { try $0.append("c") }, { try $0.insert("d", at: 0) },
      { try $0.insert(contentsOf: ["e", "f"], at: 1) },
      { XCTAssertEqual(try $0.remove(at: 0) as? String, "d") },
      { try $0.replace(at: 0, with: "g") }, { try $0.replaceSubrange(0..<2, with: ["h", "i"]) },
      { try $0.replaceSubrange(0..<2, with: ["j"]) }, { try $0.replaceSubrange(1..<3, with: []) },
      { try $0.append(contentsOf: []) }, { try $0.removeAll() }, { try $0.removeAll() },
    ]
    // The property itself makes the same changes.
    let model = Page()
    let same: [(ObservedProperty<[String]>) throws -> Void] = [
      { $0.append("c") }, { try $0.insert("d", at: 0) },
      { try $0.insert(contentsOf: ["e", "f"], at: 1) },
      { XCTAssertEqual(try $0.remove(at: 0), "d") },
      { try $0.replace(at: 0, with: "g") }, { try $0.replaceSubrange(0..<2, with: ["h", "i"]) },
      { try $0.replaceSubrange(0..<2, with: ["j"]) }, { try $0.replaceSubrange(1..<3, with: []) },
      { $0.append(contentsOf: []) }, { $0.removeAll() }, { $0.removeAll() },
    ]
    for (index, (change, same)) in zip(changes, same).enumerated() {
      XCTAssertEqual(
        try log(page, \.lines) { try change(lines) },
        try log(model, \.lines) { try same(model.$lines) }, "change \(index)")
      XCTAssertEqual(page.lines, model.lines, "change \(index)")
      XCTAssertEqual(lines.elements.map { $0 as? String }, model.lines)
      XCTAssertEqual(lines.count, model.lines.count)
    }
    XCTAssertTrue(lines.isEmpty)
  }

  func testObserversReceiveTheMembersThatChange() throws {
    let page = Page()
    let tags = try page.mutableSetValue(forKey: "tags")
    let changes: [(KeyedSet) throws -> Void] = [
      { XCTAssertTrue(try $0.insert("y")) }, { XCTAssertFalse(try $0.insert("y")) },
      { XCTAssertTrue(try $0.remove("x")) }, { XCTAssertFalse(try $0.remove("x")) },
      { XCTAssertFalse(try $0.remove(3)) }, { try $0.formUnion(["y", "z"]) },
      { try $0.subtract(["y", 3]) }, { try $0.replaceAll(with: ["v"]) },
      { try $0.replaceAll(with: ["v"]) }, { try $0.formIntersection(["v", 3]) },
      { try $0.formIntersection([3]) }, { try $0.formUnion(["q"]) }, { try $0.removeAll() },
    ]
    let model = Page()
    let same: [(ObservedProperty<Set<String>>) -> Void] = [
      { $0.insert("y") }, { $0.insert("y") }, { $0.remove("x") }, { $0.remove("x") }, { _ in },
      { $0.formUnion(["y", "z"]) }, { $0.subtract(["y"]) }, { $0.replaceAll(with: ["v"]) },
      { $0.replaceAll(with: ["v"]) }, { $0.formIntersection(["v"]) }, { $0.formIntersection([]) },
      { $0.formUnion(["q"]) }, { $0.removeAll() },
    ]
    for (index, (change, same)) in zip(changes, same).enumerated() {
      XCTAssertEqual(
        try log(page, \.tags) { try change(tags) }, log(model, \.tags) { same(model.$tags) },
        "change \(index)")
      XCTAssertEqual(tags.members, Set(model.tags.map { AnyHashable($0) }))
    }
    XCTAssertTrue(tags.isEmpty)
    XCTAssertFalse(tags.contains("q"))
    try tags.insert("r")
    XCTAssertTrue(tags.contains("r"))
    XCTAssertEqual(tags.description, #"["r"]"#)
  }

  func testANilPropertyIsAnEmptyCollection() throws {
    let page = Page()
    let (maybe, numbers) = (
      try page.mutableArrayValue(forKey: "maybe"), try page.mutableSetValue(forKey: "numbers")
    )
    XCTAssertTrue(maybe.isEmpty)
    try maybe.removeAll()
    XCTAssertFalse(try numbers.remove(1))
    XCTAssertNil(page.maybe)
    XCTAssertNil(page.numbers)
    XCTAssertEqual(
      try log(page, \.maybe) { try maybe.append(7.0) },
      ["will: insertion at 0", "insertion at 0 new Optional([7])"])
    try numbers.insert(255)
    XCTAssertEqual(page.maybe, [7])
    XCTAssertEqual(page.numbers, [255])
    XCTAssertEqual(maybe.description, "[7]")
  }

  func testElementsMayBeNil() throws {
    let page = Page()
    let holes = try page.mutableArrayValue(forKey: "holes")
    try holes.append(nil)
    try holes.replace(at: 0, with: nil)
    XCTAssertEqual(page.holes, [nil, nil, nil])
    XCTAssertNil(try holes.element(at: 2))
    try holes.replace(at: 1, with: "b")
    XCTAssertEqual(page.holes, [nil, "b", nil])
    XCTAssertEqual(try holes.remove(at: 1) as? String, "b")
  }

  func testTheObjectIsTheOneThatWasLastOnThePath() throws {
    let page = Page()
    page.next = Page()
    let first = page.next
    let lines = try page.mutableArrayValue(forKeyPath: "next.lines")
    let tags = try page.mutableSetValue(forKeyPath: "next.tags")
    page.next = Page()
    try lines.append("c")
    try tags.insert("c")
    XCTAssertEqual(first?.lines, ["a", "b", "c"])
    XCTAssertEqual(page.next?.lines, ["a", "b"])
    XCTAssertEqual(first?.tags, ["x", "c"])
  }

  func testAPropertyOfAStructureHasOneNotification() throws {
    let page = Page()
    let rows = try page.mutableArrayValue(forKey: "rows")
    var log: [String] = []
    page.observe(\.layout.rows, options: [.old, .new]) { log.append("rows \($1)") }
    page.observe(\.layout) { log.append("layout \($1.kind)") }
    try rows.append(3)
    XCTAssertEqual(page.layout.rows, [1, 2, 3])
    XCTAssertEqual(log.filter { $0.hasPrefix("layout") }, ["layout setting"])
    XCTAssertEqual(log.filter { $0.hasPrefix("rows") }.count, 1, "\(log)")
  }

  func testInATransactionTheWholeValueIsSet() throws {
    let page = Page()
    let (lines, tags) = (
      try page.mutableArrayValue(forKey: "lines"), try page.mutableSetValue(forKey: "tags")
    )
    let logged = try log(page, \.lines) {
      try withChangeTransaction {
        try lines.append("c")
        try lines.remove(at: 0)
        try tags.insert("y")
      }
    }
    XCTAssertEqual(
      logged,
      [#"will: setting old ["a", "b"]"#, #"setting old ["a", "b"] new ["b", "c"]"#])
  }

  func testAReaderOfACollectionIsObserved() throws {
    final class Count: KeyValueObservable {
      let page = Page()
      var lines: Int { (try? page.mutableArrayValue(forKey: "lines").count) ?? -1 }
    }
    let count = Count()
    var log: [Int] = []
    count.observe(\.lines) { log.append($1.new ?? -2) }
    count.page.lines.append("c")
    try count.page.mutableArrayValue(forKey: "lines").append("d")
    XCTAssertEqual(log, [3, 4])
  }

  func testAnObserverThatChangesTheArrayBeforeIsNotLied() throws {
    let page = Page()
    let lines = try page.mutableArrayValue(forKey: "lines")
    var log: [String] = []
    var token: KeyValueObservation?
    token = page.observe(\.lines, options: [.prior, .old, .new]) { page, change in
      log.append("\(change)")
      if change.isPrior {
        token?.remove()
        page.observe(\.lines, options: [.new]) { log.append("later \($1)") }
        page.lines = []
      }
    }
    page.observe(\.lines, options: .new) { log.append("\($1)") }
    expectError(.indexOutOfRange, "an observer changed the array's length before") {
      try lines.remove(at: 1)
    }
    XCTAssertEqual(log.first, #"will: removal at 1 old ["b"]"#)
    XCTAssertFalse(log.contains { $0.hasPrefix("removal") }, "\(log)")
    XCTAssertEqual(page.lines, [])
  }

  func testWhatIsNotACollectionOrNotInItIsRefused() throws {
    let page = Page()
    page.next = page
    defer { page.next = nil }
    let paths: [(String, ErrorCode, Int, String)] = [
      ("next.line", .unknownKey, 5, "did you mean \"lines\"?"),
      ("next.next", .typeMismatch, 5, "is a Optional<Page>, not a"),
      ("values.a", .readOnly, 7, "in a dictionary cannot be changed in place"),
      ("next..lines", .invalidKeyPath, 5, "a key is missing"),
    ]
    for (path, code, position, says) in paths {
      for isArray in [true, false] {
        do throws(KeyValueError) {
          if isArray {
            _ = try page.mutableArrayValue(forKeyPath: path)
          } else {
            _ = try page.mutableSetValue(forKeyPath: path)
          }
          XCTFail("no error of \(path)")
        } catch {
          XCTAssertEqual(error.code, code, path)
          XCTAssertEqual(error.position, position, path)
          XCTAssertTrue(error.message.contains(says), error.message)
        }
      }
    }
    expectError(.typeMismatch, "not an array") { _ = try page.mutableArrayValue(forKey: "tags") }
    expectError(.typeMismatch, "not a set") { _ = try page.mutableSetValue(forKey: "lines") }
    let lines = try page.mutableArrayValue(forKey: "lines")
    let tags = try page.mutableSetValue(forKey: "tags")
    var count = 0
    page.observe(\.lines) { _, _ in count += 1 }
    page.observe(\.tags) { _, _ in count += 1 }
    expectError(.indexOutOfRange) { try lines.insert("x", at: 3) }
    expectError(.indexOutOfRange) { try lines.insert("x", at: -1) }
    expectError(.indexOutOfRange) { try lines.remove(at: 2) }
    expectError(.indexOutOfRange) { _ = try lines.element(at: -1) }
    expectError(.indexOutOfRange) { try lines.replace(at: Int.min, with: "x") }
    expectError(.indexOutOfRange) { _ = try lines.element(at: Int.max) }
    expectError(.typeMismatch, "\"lines\" contains String, not Int") { try lines.append(3) }
    expectError(.typeMismatch, "not nil") { try lines.append(nil) }
    expectError(.typeMismatch) { try lines.replaceSubrange(0..<1, with: ["x", 3]) }
    expectError(.typeMismatch, "\"tags\" contains String, not Int") { try tags.insert(3) }
    expectError(.typeMismatch) { try tags.replaceAll(with: ["a", 3]) }
    expectError(.readOnly, "list a writable key path") {
      try page.mutableArrayValue(forKey: "fixed").append(2)
    }
    XCTAssertEqual(count, 0)
    XCTAssertEqual(page.lines, ["a", "b"])
    XCTAssertEqual(page.tags, ["x"])
  }

  func testACollectionRetainsItsObject() throws {
    let tracker = LifetimeTracker()
    final class Tracked: KeyValueCoding {
      @Observed var values = [1]
      let tracked: AnyObject
      static let keys: KeyTable = ["values": \Tracked.values]
      init(_ tracked: AnyObject) { self.tracked = tracked }
    }
    do {
      let values = try Tracked(tracker.track()).mutableArrayValue(forKey: "values")
      try values.append(2)
      XCTAssertEqual(values.elements.count, 2)
      XCTAssertEqual(tracker.alive, 1)
    }
    XCTAssertEqual(tracker.alive, 0)
  }
}
