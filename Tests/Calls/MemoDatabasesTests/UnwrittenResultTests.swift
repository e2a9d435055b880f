#if Database
import MemoDatabases
import XCTest

/// What waits to be written.
final class UnwrittenResultTests: XCTestCase {
  private let scope = ResultScope(name: "block", version: 1, parts: [])

  private func keep(_ changes: inout PendingChanges, _ number: UInt8, _ size: Int) -> Bool {
    let row = StoredRow(value: [UInt8](repeating: 0, count: size), cost: 1, written: 0)
    return changes.keep(row, of: RowKey(scope: scope, key: [number]), since: 0)
  }

  func testWhatWaitsIsBoundedInNumber() {
    var changes = PendingChanges()
    for number in 0..<PendingChanges.capacity {
      XCTAssertTrue(keep(&changes, UInt8(number), 10))
    }
    XCTAssertFalse(keep(&changes, 0, 10))
    XCTAssertEqual(changes.keptCount, PendingChanges.capacity)
    XCTAssertEqual(MemoDatabase.maximumUnwritten, 2 * PendingChanges.capacity)
  }

  func testWhatWaitsIsBoundedInBytesUnlessOneExceedsThemAlone() {
    let half = PendingChanges.byteCapacity / 2
    var changes = PendingChanges()
    XCTAssertTrue(keep(&changes, 0, half - 1))
    XCTAssertTrue(keep(&changes, 1, half - 1))
    XCTAssertFalse(keep(&changes, 2, 0))
    XCTAssertEqual(changes.keptCount, 2)
    var others = PendingChanges()
    XCTAssertTrue(keep(&others, 0, 3 * half))
    XCTAssertFalse(keep(&others, 1, 1))
    XCTAssertEqual(MemoDatabase.maximumUnwrittenBytes, 4 * half)
  }
}
#endif
