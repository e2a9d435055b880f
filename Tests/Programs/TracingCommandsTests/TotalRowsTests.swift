#if Everything
import XCTest

@testable import TracingCommands

/// The rows of tables, of which a program may have any number.
final class TotalRowsTests: XCTestCase {
  private struct Source: RowSource {
    let key: Int
    static let others = -1
  }

  func testWhatIsInNoneOfTheFirstRowsIsAddedUpInOne() {
    var rows = TotalRows<Source, Int>(rowLimit: 3)
    for key in [1, 2, 3, 4, 2, 5, 4] { rows[Source(key: key), default: 0] += 10 }
    XCTAssertEqual(rows.all.map(\.key), [1, 2, 3, -1])
    XCTAssertEqual(rows.all.map(\.value), [10, 20, 10, 30])
  }
}
#endif
