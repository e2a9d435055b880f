#if Database
import CallMemoization
import MemoDatabases
import TestSupport
import XCTest

/// Caches of any values in front of a file.
final class CacheTierTests: XCTestCase {
  private struct Picture: Codable, Hashable, Sendable {
    let name: String
    let pixels: [Int]
  }

  func testValuesThatAreSetOrComputedAreFoundByTheNextCache() throws {
    let files = try DatabaseFiles(self)
    let picture = Picture(name: "é\0", pixels: [1, -2, .max])
    do {
      let database = try files.open()
      let cache = MemoCache<String, Picture>(in: database, named: "pictures", pressure: nil)
      cache["set"] = picture
      XCTAssertEqual(cache["computed", or: { picture }], picture)
      database.flush()
    }
    let cache = MemoCache<String, Picture>(
      in: try files.open(), named: "pictures", pressure: nil)
    XCTAssertNil(cache.peek("set"))
    XCTAssertEqual(
      [cache["set"], cache["computed", or: { Picture(name: "", pixels: []) }]], [picture, picture])
    XCTAssertEqual([cache.peek("set"), cache["other"]], [picture, nil])
    XCTAssertEqual([cache.statistics.hits, cache.statistics.misses], [2, 1])
  }

  func testWhatLeavesMemoryIsInTheFile() throws {
    let files = try DatabaseFiles(self)
    let evicted = Recorder<Int>()
    let cache = MemoCache<Int, Int>(
      in: try files.open(), named: "numbers", limits: MemoLimits(count: 1), pressure: nil,
      onEviction: { key, _ in evicted.record(key) })
    for key in 0..<5 { cache[key] = key * key }
    XCTAssertEqual(evicted.entries, [0, 1, 2, 3])
    XCTAssertEqual((0..<5).map { cache[$0] }, [0, 1, 4, 9, 16])
  }

  func testARemovalReachesBothTiers() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    let cache = MemoCache<String, Int>(in: database, named: "numbers", pressure: nil)
    for key in ["a", "b", "c", "d"] { cache[key] = 1 }
    XCTAssertTrue(cache.remove("a"))
    XCTAssertTrue(database.remove(key: "b", named: "numbers"))
    XCTAssertEqual([cache["a"], cache["b"], cache["c"]], [nil, nil, 1])
    cache["c"] = 2
    XCTAssertEqual(MemoCache<String, Int>(in: database, named: "numbers", pressure: nil)["c"], 2)
    cache.removeAll()
    XCTAssertEqual([cache["c"], cache["d"]], [nil, nil])
    XCTAssertEqual(database.statistics.count, 0)
  }

  func testOtherNamesVersionsAndTypesAreOthers() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    MemoCache<String, Int>(in: database, named: "a", pressure: nil)["k"] = 1
    XCTAssertNil(MemoCache<String, Int>(in: database, named: "b", pressure: nil)["k"])
    XCTAssertNil(MemoCache<String, Int>(in: database, named: "a", version: 2, pressure: nil)["k"])
    XCTAssertNil(MemoCache<String, Double>(in: database, named: "a", pressure: nil)["k"])
    XCTAssertEqual(MemoCache<String, Int>(in: database, named: "a", pressure: nil)["k"], 1)
  }

  func testAValueThatCannotBeCodedIsInMemoryOnly() throws {
    struct Odd: Codable, Sendable, Equatable {
      let number: Int
      init(_ number: Int) { self.number = number }
      init(from decoder: any Decoder) throws { throw CancellationError() }
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    let files = try DatabaseFiles(self)
    let database = try files.open()
    let cache = MemoCache<Int, Odd>(in: database, named: "odd", pressure: nil)
    cache[1] = Odd(1)
    XCTAssertEqual(cache[1], Odd(1))
    XCTAssertEqual(database.statistics.count, 0)
  }

}
#endif
