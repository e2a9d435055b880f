#if Macros
import KeyValueObserving
import MessageMacros
import XCTest

@Keys
private class Person: KeyValueCoding {
  @Observed var name = "Ann"
  var age = 3
  let number = 7
  var isAdult: Bool { age > 17 }
  var `default`: Int?
  var (left, right) = (1, 2)
  private var secret = 1
  static let count = 0
  var loaded: Int { get async { 1 } }
}

@Keys
private final class Student: Person {
  var school = "none"
  override var isAdult: Bool { true }
}

private class Model {
  var model = 1
}

@Keys
private class Row: Model, KeyValueCoding {
  var value = 2
}

@Keys
private final class Plain {
  var value = 3
}

@MainActor @Keys
private final class Shown {
  @Observed var title = "shown"
}

@MainActor @Keys
private class Listed: @MainActor KeyValueCoding {
  var first: Shown? = Shown()
}

@Messages @Keys
private final class Both: TypedMessageReceiver, KeyValueCoding {
  var title = "both"
}

/// The key tables that the attribute `Keys` makes.
final class KeysTests: XCTestCase {
  func testAClassHasTheKeysOfItsPropertiesAndThoseThatItInherits() throws {
    XCTAssertEqual(Person.keys.names, ["age", "default", "isAdult", "name", "number"])
    XCTAssertEqual(
      Student.keys.names, ["age", "default", "isAdult", "name", "number", "school"])
    XCTAssertEqual(Row.keys.names, ["value"])
    let student = Student()
    try student.setValue("here", forKey: "school")
    try student.setValue(4, forKey: "default")
    XCTAssertEqual(try student.value(forKey: "school") as? String, "here")
    XCTAssertEqual(try student.value(forKey: "default") as? Int, 4)
    XCTAssertEqual(try student.value(forKey: "isAdult") as? Bool, true)
    XCTAssertThrowsError(try student.value(forKey: "secret"))
    XCTAssertThrowsError(try student.setValue(8, forKey: "number"))
    XCTAssertEqual(try Plain().value(forKey: "value") as? Int, 3)
  }

  func testPropertiesAreObservedByTheirKeys() throws {
    let person = Person()
    var names: [String] = []
    let observation = try person.observe(keyPath: "name") { names.append("\($1.new ?? "")") }
    person.name = "Bob"
    observation.remove()
    XCTAssertEqual(names, ["Bob"])
  }

  func testAPropertyIsFoundByItsKeyAndAKeyByItsProperty() throws {
    XCTAssertEqual(KeyTable.name(of: \Person.name), "name")
    XCTAssertEqual(KeyTable.name(of: \Student.school), "school")
    XCTAssertNil(KeyTable.name(of: \Row.model))
  }

  func testAClassOfTheMainActorHasKeysThere() throws {
    try MainActor.assumeIsolated {
      let list = Listed()
      XCTAssertEqual(try list.value(forKeyPath: "first.title") as? String, "shown")
      let shown = try XCTUnwrap(list.first)
      try shown.setValue("set", forKey: "title")
      XCTAssertEqual(shown.title, "set")
    }
  }

  func testTheAttributeStandsBesideMessages() throws {
    XCTAssertEqual(try Both().send(\.title), "both")
    XCTAssertEqual(try Both().value(forKey: "title") as? String, "both")
  }
}
#endif
