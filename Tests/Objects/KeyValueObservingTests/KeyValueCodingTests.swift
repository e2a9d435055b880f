import Foundation
import KeyValueObserving
import TestSupport
import XCTest

final class KeyValueCodingTests: XCTestCase {
  // MARK: Reading

  func testKeysAndPathsGiveValuesThatAreNotDoublyOptional() throws {
    let ada = Member("Ada", 36, height: 1.6, in: "London")
    ada.friend = Member("Grace", in: nil)
    ada.settings = ["colour": "red", "window": ["width": 3], "empty": Optional<Int>.none as Any]
    let table: [(String, String)] = [
      ("name", "Ada"), ("age", "36"), ("height", "1.6"), ("nickname", "nil"), ("badge", "nil"),
      ("title", "Ada, 36"), ("city", "London"), ("office.city", "London"), ("office.zip", "nil"),
      ("friend.office.city", "nil"), ("friend.friend.friend.name", "nil"), ("größe", "1.6"),
      ("settings.colour", "red"), ("settings.window.width", "3"), ("settings.missing", "nil"),
      ("settings.missing.more", "nil"), ("settings.empty", "nil"), ("limits.low", "nil"),
      ("self.name.self", "Ada"), ("me.me.name", "Ada"), ("friend.title", "Grace, 0"),
      ("twice", "Ada"), ("friend.boss.name", "nil"),
    ]
    for (path, expected) in table {
      XCTAssertEqual(text(try ada.value(forKeyPath: path)), expected, path)
      guard !path.contains(".") else { continue }
      XCTAssertEqual(text(try ada.value(forKey: path)), expected, path)
    }
    XCTAssertIdentical(try ada.value(forKey: "self") as AnyObject, ada)
  }

  func testASubclassAddsKeysAndReplacesThem() throws {
    let manager = Manager("Eve", 50)
    manager.budget = 7
    XCTAssertEqual(try manager.value(forKey: "budget") as? Int, 7)
    XCTAssertEqual(try manager.value(forKey: "age") as? Int, 7)
    XCTAssertEqual(try manager.value(forKey: "name") as? String, "Eve")
    XCTAssertEqual(try (manager as Member).value(forKey: "budget") as? Int, 7)
    XCTAssertEqual(Manager.keys.names.count, Member.keys.names.count + 1)
    XCTAssertEqual(Manager.keys["budget"], \Manager.budget)
    XCTAssertNil(Member.keys["budget"])
  }

  // MARK: Setting

  func testASetThroughAKeyTellsObserversOnce() throws {
    let ada = Member("Ada", in: "London")
    var log: [String] = []
    ada.observe(\.name, options: [.old, .new]) { log.append("name \($1)") }
    ada.observe(\.nickname, options: [.old, .new]) { log.append("nickname \($1)") }
    ada.observe(\.origin) { log.append("origin \($1.new?.x ?? 0)") }
    ada.office?.observe(\.city) { log.append("city \($1)") }
    try ada.setValue("Grace", forKey: "name")
    try ada.setValue("G", forKey: "nickname")
    try ada.setValue(nil, forKey: "nickname")
    try ada.setValue(Optional("H"), forKeyPath: "nickname")
    try ada.setValue(Point(x: 3), forKey: "origin")
    try ada.setValue("Paris", forKeyPath: "office.city")
    XCTAssertEqual(
      log,
      [
        "name setting old Ada new Grace", "nickname setting new G", "nickname setting old G",
        "nickname setting new H", "origin 3.0", "city setting new Paris",
      ])
  }

  func testASetThroughDictionariesSetsTheirPropertyOnce() throws {
    let ada = Member("Ada", in: "London")
    ada.settings = ["window": ["width": 3, "office": ada.office as Any], "old": true]
    var count = 0
    ada.observe(\.settings) { _, _ in count += 1 }
    try ada.setValue("red", forKeyPath: "settings.colour")
    try ada.setValue(4, forKeyPath: "settings.window.width")
    try ada.setValue(nil, forKeyPath: "settings.old")
    XCTAssertEqual(count, 3)
    try ada.setValue("Paris", forKeyPath: "settings.window.office.city")
    XCTAssertEqual(count, 3, "the office was set, not the dictionary")
    try ada.setValue(9, forKeyPath: "limits.low")
    XCTAssertEqual(ada.settings.keys.sorted(), ["colour", "window"])
    XCTAssertEqual(ada.settings["colour"] as? String, "red")
    XCTAssertEqual((ada.settings["window"] as? [String: Any])?["width"] as? Int, 4)
    XCTAssertEqual(ada.office?.city, "Paris")
    XCTAssertEqual(ada.limits, ["low": 9])
  }

  func testWhatCannotBeSetIsRefusedAndChangesNothing() throws {
    let table: [(path: String, value: Any?, code: ErrorCode, at: Int, says: String)] = [
      ("nmae", 1, .unknownKey, 0, "did you mean \"name\"?"),
      ("office.town", 1, .unknownKey, 7, "Office has no key \"town\": its keys are \"city\""),
      ("age", "old", .typeMismatch, 0, "\"age\" takes Int, not String"),
      ("age", 3.5, .typeMismatch, 0, "takes Int, not Double"),
      ("age", nil, .typeMismatch, 0, "takes Int, not nil"),
      ("nickname", 3, .typeMismatch, 0, "takes Optional<String>, not Int"),
      ("office", Member("Eve"), .typeMismatch, 0, "takes Optional<Office>, not Member"),
      ("title", "x", .readOnly, 0, "\"title\" of Member cannot be set"),
      ("badge", 3, .readOnly, 0, "cannot be set"), ("me", 3, .readOnly, 0, "cannot be set"),
      ("friend.name", "x", .nilLink, 0, "\"friend\" is nil"),
      ("office.zip.x", "x", .nilLink, 7, "\"zip\" is nil"),
      ("settings.a.b", "x", .nilLink, 9, "\"a\" is nil"),
      ("name.x", "x", .noKeys, 5, "String has no keys, thus no \"x\""),
      ("origin.x", 1.0, .noKeys, 7, "Point has no keys"),
      ("limits.low", "x", .typeMismatch, 7, "\"low\" takes Int, not String"),
      ("foreign", "x", .foreignKeyPath, 0, "a key path of Office"),
      ("office.members.name", "x", .pathThroughCollection, 15, "a collection's members"),
      ("office.members.@count", 1, .readOnly, 15, "what @count gives cannot be set"),
      ("größe.ä", 1, .noKeys, 8, "Double has no keys"),
    ]
    let ada = Member("Ada", 36, height: 1.6, in: "London")
    var count = 0
    for key in Member.keys.names where key != "foreign" {
      try ada.observe(keyPath: key) { _, _ in count += 1 }
    }
    for (path, value, code, position, message) in table {
      assertError(code, path, at: position, message) {
        () throws(KeyValueError) in try ada.setValue(value, forKeyPath: path)
      }
    }
    XCTAssertEqual(count, 0)
    assertError(.unknownKey, "office.city", at: 0, "has no key \"office.city\"") {
      () throws(KeyValueError) in try ada.setValue("x", forKey: "office.city")
    }
  }

  // MARK: Errors of reading

  func testWhatCannotBeReadIsRefused() {
    let ada = Member("Ada", 36, in: "London")
    ada.friend = ada
    let long = String(repeating: "x", count: 1 << 20)
    let table: [(path: String, code: ErrorCode, at: Int, says: String)] = [
      ("", .invalidKeyPath, 0, "a key is missing"), (".", .invalidKeyPath, 0, "a key is missing"),
      ("name..x", .invalidKeyPath, 5, "a key is missing"),
      ("name.", .invalidKeyPath, 5, "a key is missing"),
      ("größe..x", .invalidKeyPath, 8, "a key is missing"),
      ("@", .unknownOperator, 0, "no operator \"@\""),
      ("@nope.x", .unknownOperator, 0, "the operators are @count, @sum, @avg, @min, @max"),
      ("name.@\u{301}count", .unknownOperator, 5, "no operator"),
      ("@count", .notACollection, 0, "takes a collection, not Member"),
      ("name.@count", .notACollection, 5, "not String"),
      ("friend.friend.nome", .unknownKey, 14, "did you mean \"name\"?"),
      ("Age", .unknownKey, 0, "did you mean \"age\"?"),
      ("name.length", .noKeys, 5, "String has no keys"),
      ("foreign", .foreignKeyPath, 0, "list one that begins at the class"),
      ("👩‍👩‍👧.\u{0}", .unknownKey, 0, "has no key \"👩‍👩‍👧\""), (long, .unknownKey, 0, "xxx…"),
      (long.replacing("xx", with: "x."), .invalidKeyPath, 1 << 20, "a key is missing"),
      (String(repeating: "friend.", count: 150_000) + "x", .unknownKey, 1_050_000, "no key \"x\""),
    ]
    for (path, code, position, message) in table {
      assertError(code, path, at: position, message) {
        () throws(KeyValueError) in _ = try ada.value(forKeyPath: path)
      }
      assertError(code, path, at: position, message) {
        () throws(KeyValueError) in try ada.observe(keyPath: path) { _, _ in }
      }
    }
    XCTAssertEqual(ada.observations.count, 0)
  }

  func testAnErrorShowsWhereItIs() {
    let ada = Member("Ada", in: "London")
    XCTAssertThrowsError(try ada.value(forKeyPath: "office.citty")) {
      XCTAssertEqual(
        "\($0)",
        "unknownKey at byte 7 in \"office.citty\": Office has no key \"citty\": its keys are "
          + "\"city\", \"floor\", \"members\", \"zip\"; did you mean \"city\"?")
    }
  }

  func testLongPathsAndCirclesEnd() throws {
    let ada = Member("Ada")
    ada.friend = ada
    let path = String(repeating: "friend.", count: 150_000) + "name"
    XCTAssertEqual(try ada.value(forKeyPath: path) as? String, "Ada")
    try ada.setValue("Eve", forKeyPath: path)
    XCTAssertEqual(ada.name, "Eve")
    var log: [String] = []
    try ada.observe(keyPath: String(path.suffix(70_004))) { log.append(text($1.new)) }
    ada.name = "Grace"
    XCTAssertEqual(log, ["Grace"])
    ada.friend = nil
    XCTAssertEqual(log, ["Grace", "nil"])

    let shelf = Shelf()
    shelf.shelves = [shelf]
    shelf.maybe = Array(repeating: nil, count: 1 << 21)
    XCTAssertEqual(text(try shelf.value(forKeyPath: "shelves.@sum.maybe.@count")), "2097152")
    for path in [
      String(repeating: "shelves.", count: 100_000) + "total",
      String(repeating: "shelves.@sum.", count: 70_000) + "@count", "shelves.maybe.name",
    ] {
      expectError(.tooManyMembers) { _ = try shelf.value(forKeyPath: path) }
    }
    shelf.shelves = []
  }

  private func assertError(
    _ code: ErrorCode, _ path: String, at position: Int, _ message: String,
    line: UInt = #line, _ body: () throws(KeyValueError) -> Void
  ) {
    let name = path.prefix(40)
    do throws(KeyValueError) {
      try body()
      XCTFail("\(name): no error", line: line)
    } catch {
      XCTAssertEqual(error.code, code, "\(name): \(error.message)", line: line)
      XCTAssertEqual(error.keyPath == path, true, "\(name)", line: line)
      XCTAssertEqual(error.position, position, "\(name)", line: line)
      XCTAssertTrue(error.message.contains(message), "\(name): \(error.message)", line: line)
      XCTAssertLessThan(error.description.utf8.count, 1000, "\(name)", line: line)
    }
  }
}

final class ObservedCodingTests: XCTestCase {
  private final class Note: KeyValueCoding, Codable {
    @Observed var text = ""
    @Observed var stars: Int? = 3
    @Observed var weight: Double = 0
    @Observed var count: UInt8 = 0

    static var keys: KeyTable {
      ["stars": \Note.stars, "weight": \Note.weight, "count": \Note.count]
    }
  }

  func testObservedPropertiesAreEncodedAsIfTheyHadNoAttribute() throws {
    let note = Note()
    note.text = "a"
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try String(decoding: encoder.encode(note), as: UTF8.self)
    XCTAssertEqual(json, #"{"count":0,"stars":3,"text":"a","weight":0}"#)
    let copy = try JSONDecoder().decode(Note.self, from: Data(json.utf8))
    XCTAssertEqual(copy.text, "a")
    XCTAssertEqual(copy.stars, 3)
  }

  func testNumbersAreConvertedIfNothingIsLost() throws {
    let note = Note()
    try note.setValue(Int8(5), forKey: "stars")
    try note.setValue(2, forKey: "weight")
    try note.setValue(3.0, forKey: "count")
    XCTAssertEqual(note.stars, 5)
    XCTAssertEqual(note.weight, 2)
    XCTAssertEqual(note.count, 3)
    for (value, key) in [(3.5, "stars"), (256.0, "count"), (-1.0, "count"), (.nan, "stars")] {
      expectError(.typeMismatch) { _ = try note.setValue(value, forKey: key) }
    }
    XCTAssertThrowsError(try note.setValue(Int.max, forKey: "weight"))
  }
}
