#if Macros
import MessageMacros
import XCTest

@Forwarding
private protocol Counting: AnyObject {
  var total: Int { get }
  func count(_ number: Int)
}

private final class Counters: CountingForwarding { let targets = Targets() }

/// The only class that conforms, beside the forwarder.
private final class Counter: Counting {
  private(set) var total = 0
  func count(_ number: Int) { total += number }
}

/// Optimised builds of a whole module look for the only class that conforms to a protocol which is not
/// public, and call its methods: they must know the forwarder too.
final class OnlyConformingClassTests: XCTestCase {
  func testCallsOfAForwarderAreNotThoseOfTheOnlyOtherClass() {
    let counter = Counter()
    let counters = Counters(weak: counter)
    counters.policies.total = .reduce { $0 + $1 }
    counters.add { $0.total = { 10 } }
    count(counters)
    count(counter)
    XCTAssertEqual([total(counters), total(counter)], [14, 4])
  }

  @inline(never)
  private func count(_ counting: any Counting) { counting.count(2) }

  @inline(never)
  private func total(_ counting: any Counting) -> Int { counting.total }
}
#endif
