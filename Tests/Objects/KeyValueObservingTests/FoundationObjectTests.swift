import Foundation
import KeyValueObserving
import ObjectLifetimes
import TestSupport
import XCTest

/// Classes of Foundation as superclasses, as those of ported code are.
final class FoundationObjectTests: XCTestCase {
  private class Person: NSObject, KeyValueCoding {
    @Observed var name = "Ada"
    @Observed var age = 0
    static let nickname = AssociationKey<String>("nickname")

    class var keys: KeyTable { ["name": \Person.name, "age": \Person.age] }

    override var description: String { "Person \(name)" }
    override func isEqual(_ object: Any?) -> Bool { (object as? Person)?.name == name }
    override var hash: Int { name.hashValue }
  }

  private final class Student: Person {
    @Observed var school = ""
  }

  func testASubclassOfNSObjectIsObservedAndEndsItsObservers() throws {
    let tracker = LifetimeTracker()
    let log = Recorder<String>()
    do {
      let student = Student()
      student.observe(\.name, options: [.old, .new]) { [tracked = tracker.track()] _, change in
        _ = tracked
        log.record("\(change)")
      }
      try student.observe(keyPath: "age") { student, change in log.record("\(student) \(change)") }
      try onDeinit(of: student, .before) { log.record("end") }
      try Person.nickname.set("A", on: student)
      student.name = "Bo"
      try student.setValue(3, forKey: "age")
      XCTAssertEqual(try student.value(forKey: "name") as? String, "Bo")
      XCTAssertEqual(Person.nickname.value(of: student), "A")
      XCTAssertEqual("\(student)", "Person Bo")
      XCTAssertEqual(Set<NSObject>([student, student]).count, 1)
    }
    XCTAssertEqual(log.entries, ["setting old Ada new Bo", "Person Bo setting new 3", "end"])
    tracker.expectNothingAlive()
  }

  func testEqualObjectsHaveObserversOfTheirOwn() {
    let (first, second) = (Person(), Person())
    XCTAssertEqual(first, second)
    var count = 0
    first.observe(\.age) { _, _ in count += 1 }
    second.age = 1
    XCTAssertEqual(count, 0)
    first.age = 1
    XCTAssertEqual(count, 1)
  }
}
