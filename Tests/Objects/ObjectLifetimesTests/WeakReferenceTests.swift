import ObjectLifetimes
import TestSupport
import XCTest

final class WeakReferenceTests: XCTestCase {
  func testAReferenceDoesNotKeepItsObject() {
    var object: Page? = Page("Index")
    let reference = object.map { WeakReference($0) }
    XCTAssertTrue(reference?.object === object)
    XCTAssertEqual(reference?.withObject { $0.title }, "Index")
    object = nil
    XCTAssertNil(reference?.object)
    XCTAssertNil(reference?.withObject { _ in XCTFail("the object is gone") })
  }

  func testReferencesToOneObjectAreEqualAlsoWhenItIsDead() {
    var object: Page? = Page()
    let references = (0..<2).compactMap { _ in object.map { WeakReference($0) } }
    let other = Page()
    XCTAssertEqual(Set(references).count, 1)
    XCTAssertNotEqual(references[0], WeakReference(other))
    let identity = references[0].identity
    object = nil
    XCTAssertEqual(references[0], references[1])
    XCTAssertEqual(references[0].identity, identity)
    XCTAssertTrue(Set(references).contains(references[1]))
    withExtendedLifetime(other) {}
  }

  func testAReferenceToADeadObjectIsEqualToNoneAtItsAddress() {
    var dead: Set<WeakReference<Owner>> = []
    var addresses: Set<ObjectIdentifier> = []
    for _ in 0..<1000 {
      let object = Owner()
      addresses.insert(ObjectIdentifier(object))
      XCTAssertTrue(dead.insert(WeakReference(object)).inserted)
    }
    XCTAssertEqual(dead.count, 1000)
    if !isSanitized { XCTAssertLessThan(addresses.count, 1000, "no address was used again") }
  }

  func testAReferenceGoesToOtherThreads() {
    let object = Owner()
    let reference = WeakReference(object)
    let results = Recorder<Bool>()
    let group = ThreadGroup()
    group.start { results.record(reference.object != nil) }
    group.wait()
    XCTAssertEqual(results.entries, [true])
    withExtendedLifetime(object) {}
  }

  func testAClosureOfTheReferencesCanThrow() {
    struct Failure: Error {}
    let object = Page()
    XCTAssertThrowsError(
      try WeakReference(object).withObject { _ throws(Failure) in throw Failure() })
  }
}
