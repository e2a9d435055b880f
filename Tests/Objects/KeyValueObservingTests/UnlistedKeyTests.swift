import KeyValueObserving
import TestSupport
import XCTest

/// Keys that a class does not list, nil for keys that are not optional, and validation.
final class UnlistedKeyTests: XCTestCase {
  private struct NotToday: Error, Equatable {}

  /// A class that answers for other keys than those it lists.
  private class Options: KeyValueCoding {
    @Observed var values: [String: Any] = [:]
    @Observed var width = 1
    @Observed var name: String? = "a"
    @Observed var link: Options?

    class var keys: KeyTable {
      ["width": \Options.width, "name": \Options.name, "link": \Options.link]
    }

    func value(forUndefinedKey key: String) throws -> Any? {
      if key == "locked" { throw NotToday() }
      if key.hasPrefix("x") { throw undefinedKeyError(key) }
      return values[key]
    }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws {
      if key == "locked" { throw NotToday() }
      values[key] = value
    }

    func setNilValue(forKey key: String) throws {
      if key == "width" { width = 0 } else { throw NotToday() }
    }

    func validateValue(_ value: Any?, forKey key: String) throws -> Any? {
      guard key == "width", let value = value as? Int else {
        return try validateType(value, forKey: key)
      }
      if value > 100 { throw NotToday() }
      return max(value, 0)
    }
  }

  private final class SpecialOptions: Options {
    override func value(forUndefinedKey key: String) throws -> Any? {
      key == "special" ? true : try super.value(forUndefinedKey: key)
    }
  }

  func testAClassAnswersForKeysThatItDoesNotList() throws {
    let options = SpecialOptions()
    options.link = Options()
    try options.setValue("red", forKey: "colour")
    try options.setValue("blue", forKeyPath: "link.colour")
    XCTAssertEqual(try options.value(forKey: "colour") as? String, "red")
    XCTAssertEqual(try options.value(forKeyPath: "link.colour") as? String, "blue")
    XCTAssertEqual(try options.value(forKey: "special") as? Bool, true)
    XCTAssertNil(try options.value(forKeyPath: "link.special"))
    XCTAssertNil(try options.value(forKeyPath: "missing.city"))
    XCTAssertEqual(try options.value(forKey: "width") as? Int, 1)
  }

  func testErrorsOfTheClassAreErrorsOfThePath() {
    let options = Options()
    options.link = Options()
    let table: [(path: String, sets: Bool, says: String, underlying: NotToday?)] = [
      (
        "link.locked", false, "value(forUndefinedKey:) of Options threw an error: NotToday()",
        NotToday()
      ),
      ("link.locked", true, "setValue(_:forUndefinedKey:) of Options threw", NotToday()),
      (
        "link.x", false, "Options has no key \"x\": its keys are \"link\", \"name\", \"width\"", nil
      ),
    ]
    for (path, sets, says, underlying) in table {
      do throws(KeyValueError) {
        if sets {
          try options.setValue(1, forKeyPath: path)
        } else {
          _ = try options.value(forKeyPath: path)
        }
        XCTFail("no error of \(path)")
      } catch {
        XCTAssertEqual(error.code, .unknownKey)
        XCTAssertEqual(error.keyPath, path)
        XCTAssertEqual(error.position, 5)
        XCTAssertTrue(error.message.contains(says), error.message)
        XCTAssertEqual(error.underlyingError as? NotToday, underlying)
      }
    }
  }

  func testAnUnlistedKeyIsObservedByWhatItsMethodReads() throws {
    let options = Options()
    options.link = Options()
    var log: [String] = []
    try options.observe(keyPath: "colour") { log.append(text($1.new)) }
    try options.observe(keyPath: "link.colour") { log.append("link \(text($1.new))") }
    try options.setValue("red", forKey: "colour")
    options.link?.values["colour"] = "blue"
    options.link = nil
    XCTAssertEqual(log, ["red", "link blue", "link nil"])
    expectError(.unknownKey) { try options.observe(keyPath: "locked") { _, _ in } }
  }

  func testNilForAKeyThatIsNotOptional() throws {
    final class Count: KeyValueCoding {
      @Observed var count = 3
      static let keys: KeyTable = ["count": \Count.count]
    }
    let options = Options()
    try options.setValue(nil, forKey: "width")
    XCTAssertEqual(options.width, 0)
    try options.setValue(nil, forKey: "name")
    XCTAssertNil(options.name)
    expectError(.typeMismatch, "\"count\" takes Int, not nil") {
      try Count().setValue(nil, forKey: "count")
    }
    expectError(.typeMismatch, "takes Int, not String") {
      try options.setValue("x", forKey: "width")
    }
  }

  func testAClassValidatesAndCorrectsValues() throws {
    let options = Options()
    options.link = Options()
    XCTAssertEqual(try options.validateValue(-3, forKey: "width") as? Int, 0)
    XCTAssertEqual(try options.validateValue(7, forKeyPath: "link.width") as? Int, 7)
    XCTAssertEqual(try options.validateValue(7.0, forKey: "width") as? Int, 7, "converted")
    XCTAssertEqual(try options.validateValue("b", forKey: "name") as? String, "b")
    XCTAssertNil(try options.validateValue(nil, forKey: "name"))
    XCTAssertEqual(try options.validateValue(7, forKey: "unlisted") as? Int, 7)
    XCTAssertThrowsError(try options.validateValue(101, forKeyPath: "link.width")) {
      XCTAssertEqual($0 as? NotToday, NotToday())
    }
    expectError(.typeMismatch) { _ = try options.validateType("x", forKey: "width") }
    XCTAssertThrowsError(try options.validateValue(1, forKeyPath: "link.link.width")) {
      XCTAssertEqual(($0 as? KeyValueError)?.code, .nilLink)
    }
    try options.setValue(1000, forKey: "width")
    XCTAssertEqual(options.width, 1000, "setting does not validate")
  }

  func testSeveralKeysAreReadAndSet() throws {
    let (ada, eve) = (Member("Ada", 36), Member("Eve", 20))
    ada.height = 1.5
    let keys = ["name", "age", "height", "nickname"]
    let values = try ada.dictionaryWithValues(forKeys: keys)
    XCTAssertEqual(Set(values.keys), Set(keys))
    XCTAssertEqual(values["nickname"].map { $0 == nil }, true)
    eve.nickname = "E"
    var log: [String] = []
    for key in keys { try eve.observe(keyPath: key) { log.append("\(key) \(text($1.new))") } }
    try eve.setValuesForKeys(values)
    XCTAssertEqual(log, ["age 36", "height 1.5", "name Ada", "nickname nil"])
    expectError(.unknownKey) { _ = try ada.dictionaryWithValues(forKeys: ["name", "nome"]) }
    expectError(.typeMismatch) { try eve.setValuesForKeys(["age": 3, "name": 4, "nickname": "x"]) }
    XCTAssertEqual(eve.age, 3, "keys before the one that failed are set")
    XCTAssertNil(eve.nickname)
  }
}
