import ObjectLifetimes
import TestSupport
import XCTest

/// Objects that end on several stacks of one thread.
final class SeveralStacksDeinitTests: XCTestCase {
  func testEachReadsItsValuesInItsDeinitWhicheverIsOverFirst() throws {
    try XCTSkipIf(isSanitized, "sanitizers know one stack a thread")
    let key = AssociationKey<Int>()
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]] {
      let events = Recorder<Int?>()
      let bodies = order.indices.map { index in
        { (fibre: Fibre) in
          let owner = Announcing { owner in
            fibre.yield()
            events.record(key.value(of: owner))
          }
          try? key.set(index, on: owner)
          withExtendedLifetime(owner) {}
        }
      }
      Fibre.with(size: 1 << 17, bodies) { fibres in
        for fibre in fibres { XCTAssertTrue(fibre.resume()) }
        for index in order { XCTAssertFalse(fibres[index].resume()) }
      }
      XCTAssertEqual(events.entries, order)
    }
  }
}
