#if Macros
import MessageMacros
import XCTest

private final class Whole: Deepest {
  var numbers: [Int] = []
  var other = 1
  func base(_ number: Int) { numbers.append(number) }
  func derived() -> Int { numbers.count }
  func deepest() -> Bool { true }
}

final class InheritanceTests: XCTestCase {
  func testInheritedRequirementsGoToTheSameTargets() {
    let whole = Whole()
    let forwarder = DeepestObjects(weak: whole)
    forwarder.base(4)
    forwarder.other = 9
    XCTAssertEqual(whole.numbers, [4])
    XCTAssertEqual([whole.other, forwarder.other, forwarder.derived()], [9, 9, 1])
    XCTAssertTrue(forwarder.deepest())
    XCTAssertEqual(forwarder.word(), "base")
    forwarder.remove(whole)
    XCTAssertEqual(forwarder.other, 0)
    XCTAssertFalse(forwarder.deepest())
  }

  func testInheritedClosuresAndPoliciesAreNamedAsOwnOnes() {
    let forwarder = DeepestObjects()
    for word in ["a", "b"] {
      forwarder.add {
        $0.deepest = { true }
        $0.derived = { 2 }
        $0.word = { word }
      }
    }
    forwarder.policies.word = .last
    XCTAssertEqual(forwarder.word(), "b")
    XCTAssertEqual(forwarder.derived(), 2)
    let token = forwarder.add { $0.word = { "c" } }
    XCTAssertEqual(forwarder.word(), "c")
    token.remove()
    XCTAssertEqual(forwarder.word(), "b")
  }

  func testAForwarderOfADerivedProtocolIsATargetOfTheBases() {
    let whole = Whole()
    let base = Bases(weak: DeepestObjects(weak: whole))
    base.base(1)
    XCTAssertEqual(whole.numbers, [], "it was not held")
    let inner = DeepestObjects(weak: whole)
    base.add(weak: inner)
    base.base(1)
    XCTAssertEqual(whole.numbers, [1])
  }
}
#endif
