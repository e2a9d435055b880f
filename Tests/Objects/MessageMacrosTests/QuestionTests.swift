#if Macros
import MessageMacros
import Synchronization
import XCTest

/// Whether an object leaves a requirement out is found by asking it: no other call answers the question.
final class QuestionTests: XCTestCase {
  func testAClosureThatAsksItsForwarderMeanwhileHasAnAnswer() {
    let inner = Askeds()
    let outer = Askeds(weak: inner)
    let isAsking = Atomic(false)
    inner.add { [unowned inner] in
      $0.count = {
        // Only a call from within gets the default: this closure does not ask again.
        if isAsking.exchange(true, ordering: .relaxed) { return 3 }
        inner.removeAll()
        XCTAssertEqual(inner.count(), -1)
        return 5
      }
    }
    XCTAssertEqual(outer.count(), 5)
  }

  func testAnAsyncClosureThatAsksItsForwarderMeanwhileHasAnAnswer() async {
    let inner = Askeds()
    let outer = Askeds(weak: inner)
    inner.add { [unowned inner] in
      $0.later = {
        inner.removeAll()
        async let fromChild = inner.later()
        let left = await fromChild
        XCTAssertEqual(left, -1)
        return 5
      }
    }
    let answer = await outer.later()
    XCTAssertEqual(answer, 5)
  }

  func testADefaultThatRestatesAnInheritedRequirementLeavesItOut() {
    final class Silent: Restated {}
    let silent = Silent()
    let forwarder = Askeds(weak: silent)
    XCTAssertEqual(forwarder.count(), -1)
    forwarder.add { $0.count = { 7 } }
    XCTAssertEqual(forwarder.count(), 7)
    XCTAssertEqual(silent.count(), -2)
    let restated = RestatedObjects(weak: silent)
    XCTAssertEqual(restated.count(), -2)
    withExtendedLifetime(silent) {}
  }
}

@Forwarding
private protocol Asked: AnyObject, Sendable {
  @Optional(default: -1) func count() -> Int
  @Optional(default: -1) func later() async -> Int
}

private final class Askeds: AskedForwarding { let targets = Targets() }

@Forwarding
private protocol Restated: Asked, Sendable {
  @Optional(default: -2) func count() -> Int
}

private final class RestatedObjects: RestatedForwarding { let targets = Targets() }
#endif
