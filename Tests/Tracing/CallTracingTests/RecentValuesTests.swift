import CallTracing
import XCTest

/// What is kept of values without end: those that were used last.
final class RecentValuesTests: XCTestCase {
  func testThoseThatWereUsedLastAreKept() {
    var values = RecentValues<Int, Int>(limit: 8)
    for key in 0..<100 {
      values[key] = -key
      _ = values[0]
      XCTAssertLessThanOrEqual(values.count, 8)
    }
    XCTAssertEqual(values[0], 0)
    XCTAssertEqual(values[99], -99)
    XCTAssertNil(values[50])
    XCTAssertEqual(values.forgottenCount + values.count, 100)
  }

  func testWhatIsRemovedTakesNoRoom() {
    var values = RecentValues<Int, Int>(limit: 4)
    values[-1] = 7
    for key in 0..<100 {
      values[key] = key
      values[key] = nil
    }
    XCTAssertEqual(values[-1], 7)
    XCTAssertEqual(values.forgottenCount, 0)
  }

  func testAHeavyValueForgetsOthersAndATooHeavyOneItself() {
    var values = RecentValues<Int, [Int]>(limit: 10, weigh: \.count)
    values[1] = [1]
    for _ in 0..<3 { values.update(1) { $0?.append(1) } }
    XCTAssertEqual(values[1]?.count, 4)
    values[2] = [1, 1, 1, 1, 1]
    values[3] = [1, 1, 1, 1, 1]
    XCTAssertNil(values[1])
    XCTAssertEqual(values[3]?.count, 5)
    values.update(3) { $0?.append(1) }
    XCTAssertNil(values[3])
  }

  func testWhatIsForgottenIsReturned() {
    var values = RecentValues<Int, Int>(limit: 4)
    var forgotten: [Int] = []
    for key in 0..<6 {
      values.update(key) { $0 = key }
      forgotten += values.trim()
    }
    XCTAssertEqual(forgotten.sorted(), [0, 1, 2, 3])
    XCTAssertEqual(values.all.map(\.key).sorted(), [4, 5])
  }
}
