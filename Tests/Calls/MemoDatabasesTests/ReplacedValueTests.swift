#if Database
import CallMemoization
import MemoDatabases
import Synchronization
import TestSupport
import XCTest

/// Values of a cache that are replaced or removed, and that no one finds again.
final class ReplacedValueTests: XCTestCase {
  /// Text that calls a closure when it is encoded next.
  private struct Text: Codable, Equatable, Sendable {
    static let onEncoding = Recorded<(@Sendable () -> Void)?>(nil)
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      let meanwhile = Self.onEncoding.value
      Self.onEncoding.value = nil
      meanwhile?()
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  private func cache(_ database: MemoDatabase) -> MemoCache<Int, String> {
    MemoCache(in: database, named: "cache", pressure: nil)
  }

  func testAValueThatCostsTooMuchForTheFileLeavesNoEarlierOneThere() throws {
    let database = try DatabaseFiles(self).open(MemoLimits(count: nil, cost: 10))
    let cache = cache(database)
    cache.set("old", for: 1, cost: 1)
    cache.set("new", for: 1, cost: 11)
    XCTAssertEqual(cache[1], "new")
    cache.trim(to: MemoLimits(count: 0))
    XCTAssertNil(cache[1])
  }

  func testAValueThatCannotBeWrittenLeavesNoEarlierOne() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open(patience: 0)
    let cache = cache(database)
    cache[1] = "old"
    database.flush()
    try files.locked {
      cache[1] = "new"
      database.flush()
    }
    XCTAssertEqual(cache[1], "new")
    cache.trim(to: MemoLimits(count: 0))
    XCTAssertNil(cache[1])
    database.flush()
    XCTAssertNil(self.cache(try files.open())[1])
  }

  func testAValueThatIsNotWrittenForAnothersRemovalLeavesNoEarlierOne() throws {
    let files = try DatabaseFiles(self)
    let other = try files.open()
    let meanwhile = Recorded<(@Sendable () -> Void)?>(nil)
    // The time is read after the place of a value was looked up, and before it is stored there.
    let database = try MemoDatabase(
      at: files.path, limits: MemoLimits(count: nil), patience: 5,
      time: {
        let body = meanwhile.value
        meanwhile.value = nil
        body?()
        return 0
      }, onFailure: { _ in })
    let cache = cache(database)
    cache[1] = "old"
    database.flush()
    meanwhile.value = { other.removeAll(named: "something else") }
    cache[1] = "new"
    database.flush()
    XCTAssertEqual([cache[1], self.cache(other)[1]], ["new", nil])
  }

  func testAValueThatIsRemovedBetweenItsTiersIsInNeither() throws {
    let database = try DatabaseFiles(self).open()
    let cache = MemoCache<Int, Text>(in: database, named: "texts", pressure: nil)
    Text.onEncoding.value = { XCTAssertTrue(cache.remove(1)) }
    XCTAssertEqual(cache[1, or: { Text("computed") }], Text("computed"))
    XCTAssertNil(cache[1])
    XCTAssertEqual(database.statistics.count, 0)
  }

  func testAKeyOfTheValuesTypeIsNoKey() throws {
    let database = try DatabaseFiles(self).open()
    let cache = cache(database)
    cache[5] = "five"
    XCTAssertFalse(database.remove(key: "5", named: "cache"))
    cache.trim(to: MemoLimits(count: 0))
    XCTAssertEqual(cache[5], "five")
    XCTAssertTrue(database.remove(key: 5, named: "cache"))
  }

  func testOnlyWhatIsLookedForIsAHitOrAMiss() throws {
    let database = try DatabaseFiles(self).open()
    let cache = cache(database)
    func counts() -> [Int] { [database.statistics.hits, database.statistics.misses] }
    cache[1] = "set"
    cache[1] = "again"
    XCTAssertEqual(counts(), [0, 0])
    XCTAssertEqual(cache[2, or: { "computed" }], "computed")
    XCTAssertEqual(counts(), [0, 1])
    cache.trim(to: MemoLimits(count: 0))
    XCTAssertEqual([cache[1], cache[2]], ["again", "computed"])
    XCTAssertEqual(counts(), [2, 1])
  }
}
#endif
