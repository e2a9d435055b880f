import BlockABI
import BlockHooks
import CallMemoization
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Results kept by objects: those that Foundation makes of Swift's values anew for each call, and
/// others.
final class MemoizedObjectTests: XCTestCase {
  private typealias TextBlock = @convention(block) (String) -> Int
  private typealias AnyBlock = @convention(block) (Any) -> Int

  func testEqualTextIsAnsweredThoughEachCallMakesAnotherObject() throws {
    let calls = Recorder<String>()
    let length: TextBlock = {
      calls.record($0)
      return $0.utf8.count
    }
    let installed = try Block(length).install(.memoizing())
    let memo = installed.handle
    for _ in 0..<3 {
      for (text, count) in [("", 0), ("text", 4), ("Grün, mit Wäldern", 19), ("text\0", 5)] {
        XCTAssertEqual(length(text + ""), count)
      }
    }
    XCTAssertEqual([calls.entries.count, memo.hits, memo.misses, memo.count], [4, 8, 4, 4])
    // Equal in Swift, and of different bytes.
    XCTAssertEqual([length("\u{E9}"), length("e\u{301}")], [2, 3])
    XCTAssertTrue(try memo.remove(arguments: [.object(NSString("text"))]))
    XCTAssertFalse(try memo.remove(arguments: [.object(NSString("text"))]))
    installed.hook.remove()
  }

  func testTextIsComparedByWhatItIsWhenTheCallIsMade() throws {
    let counted = try CountedBlock("q@?@") { call in
      try call.setResult(call.argument(1, as: NSString.self).length)
    }
    let memo = try counted.block.install(.memoizing()).handle
    let text = NSMutableString(string: "ab")
    XCTAssertEqual(try counted.block.call(text), 2)
    text.append("c")
    XCTAssertEqual(try counted.block.call(text), 3)
    XCTAssertEqual(try counted.block.call(NSString("ab")), 2)
    XCTAssertEqual(try counted.block.call(NSMutableString(string: "abc")), 3)
    XCTAssertEqual([counted.count, memo.hits], [2, 2])
  }

  func testEqualValuesOfEveryBridgedTypeAreAnswered() throws {
    // Each row makes its value anew: what is equal in one row is told apart from all others.
    let rows: [@Sendable () -> Any] = [
      { 1 }, { 2 }, { true }, { 1.5 }, { "1" }, { [1] }, { [2] }, { ["1"] }, { [[1], [2]] },
      { [String: Int]() }, { ["a": 1] }, { ["a": 2] }, { ["a": [1]] }, { Set([1, 2]) },
      { Set([1]) },
      { Data([1]) }, { Data([2]) }, { Date(timeIntervalSince1970: 1) },
      { Date(timeIntervalSince1970: 2) }, { URL(filePath: "/a") }, { URL(filePath: "/b") },
      { UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) },
      { NSRange(location: 1, length: 2) }, { IndexPath(index: 1) },
      { TimeZone(identifier: "CET") as Any },
      { Mistake(code: 1) }, { Mistake(code: 2) }, { Value(number: 1) }, { Value(number: 2) },
      { [Value(number: 1)] }, { [Value(number: 2)] }, { NSMutableArray(array: [1, "x"]) },
    ]
    let calls = Mutex(0)
    let number: AnyBlock = { _ in
      calls.withLock {
        $0 += 1; return $0
      }
    }
    let errors = Recorder<String>()
    let installed = try Block(number).install(.memoizing(onError: { errors.record("\($0)") }))
    let memo = installed.handle
    for round in 1...3 {
      for (index, make) in rows.enumerated() {
        XCTAssertEqual(number(make()), index + 1, "round \(round): \(make())")
      }
    }
    XCTAssertEqual(errors.entries, [])
    XCTAssertEqual([memo.misses, memo.hits], [rows.count, 2 * rows.count])
    installed.hook.remove()
  }

  /// Calls a block twice for each value, each time with an object of its own.
  ///
  /// - Returns: How often the original ran.
  private func runs(_ values: [@Sendable () -> Any]) throws -> Int {
    let calls = Recorder<Void>()
    let block: AnyBlock = { _ in
      calls.record(())
      return 1
    }
    let installed = try Block(block).install(.memoizing())
    for _ in 0..<2 { for make in values { XCTAssertEqual(block(make()), 1) } }
    installed.hook.remove()
    return calls.entries.count
  }

  func testTextInsideOfObjectsIsToldApartByItsBytes() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let makers: [@Sendable (String) -> Any] = [
      { [$0] }, { [$0: 1] }, { Set([$0]) }, { [[$0: [$0]]] }, { Set([[$0]]) }, { [[$0]: 1] },
      { $0.dropFirst(0) }, { $0.first as Any }, { NSSet(array: [$0]) },
      { NSDictionary(object: $0, forKey: $0 as NSString) },
    ]
    for (index, make) in makers.enumerated() {
      let values: [@Sendable () -> Any] = [{ make(composed) }, { make(decomposed) }]
      XCTAssertEqual(try runs(values), 2, "row \(index)")
    }
  }

  func testNumbersInObjectsAreToldApartByTheirValue() throws {
    // Rows of values that are one, among others that are not.
    let rows: [[@Sendable () -> Any]] = [
      [{ NSNumber(value: 0) }, { NSNumber(value: 0.0) }, { NSNumber(value: UInt8(0)) }],
      [{ NSNumber(value: -0.0) }, { NSNumber(value: Float(-0.0)) }, { -0.0 }],
      [{ NSNumber(value: 1) }, { 1.0 }, { 1 }],
      [{ NSNumber(value: true) }, { true }],
      [{ 9_007_199_254_740_993 }], [{ 9_007_199_254_740_992.0 }, { 9_007_199_254_740_992 }],
      [{ UInt64.max }], [{ 18_446_744_073_709_551_616.0 }], [{ 0.5 }, { Float(0.5) }],
      [{ Double.nan }], [{ Double.infinity }, { Float.infinity }], [{ [0.0] }], [{ [-0.0] }],
      [{ Set([0.5, -0.0]) }], [{ Set([0.5, 0.0]) }], [{ NSSet() }, { Set<Int>() }],
      [{ NSDictionary() }, { NSMutableDictionary() }], [{ Set([Float16.nan]) }],
      [{ Set([Float16.nan, .nan]) }], [{ [Float16.nan: 1] }], [{ [Float16.nan: 2] }],
      [{ [Float16.nan: 1, .nan: 1] }], [{ [[Float16.nan: 1]] }], [{ [Double.nan: 1] }],
      [{ [1: [Float16.nan: [Float16.nan]]] }], [{ NSMutableDictionary(dictionary: ["a": 1]) }],
    ]
    XCTAssertEqual(try runs(rows.flatMap(\.self)), rows.count)
  }

  func testOtherObjectsAreToldApartByIdentity() throws {
    let counted = try CountedBlock("i@?@") { call in try call.setResult(Int32(1)) }
    let memo = try counted.block.install(.memoizing()).handle
    let (first, second) = (Plain(), Plain())
    // Two that call themselves equal are two objects.
    for object: AnyObject in [first, second, NSObject(), first, [first] as NSArray, second] {
      _ = try counted.block.call(object) as Int32
    }
    _ = try counted.block.call([first] as NSArray) as Int32
    XCTAssertEqual([counted.count, memo.hits], [4, 3])
  }

  func testWhatCannotBeComparedIsRefusedWithTheReasonAndRuns() throws {
    let errors = Recorder<String>()
    let number: AnyBlock = { _ in 1 }
    let installed = try Block(number).install(.memoizing(onError: { errors.record("\($0)") }))
    let memo = installed.handle
    let values: [Any] = [
      Opaque(), [Opaque()], ["a": [Opaque()]], { 1 } as () -> Int, Int.self,
      Decimal(1), NSError(domain: "a", code: 1), DateComponents(year: 1),
    ]
    for value in values { XCTAssertEqual(number(value), 1, "\(type(of: value))") }
    XCTAssertEqual([memo.misses, memo.hits, memo.count], [values.count, 0, 0])
    XCTAssertEqual(errors.entries.count, values.count)
    for text in errors.entries {
      XCTAssertTrue(text.contains("notMemoizable") && text.contains("argument 1"), text)
      XCTAssertTrue(text.contains("give a `key:`"), text)
    }
    XCTAssertTrue(errors.entries.first?.contains("Opaque") == true, errors.entries.first ?? "")
    installed.hook.remove()
  }

  func testAKeyReadsTextAndValuesOutOfTheirObjects() throws {
    let calls = Recorder<String>()
    let length: TextBlock = {
      calls.record($0)
      return $0.count
    }
    let installed = try Block(length).install(
      .memoizing(key: { try $0.argument(1, as: String.self).lowercased() }))
    XCTAssertEqual([length("Text"), length("text"), length("TEXT"), length("x")], [4, 4, 4, 1])
    XCTAssertEqual(calls.entries, ["Text", "x"])
    installed.hook.remove()
    let sum: @convention(block) ([Int], Date?) -> Int = { numbers, _ in numbers.reduce(0, +) }
    let other = try Block(sum).install(
      .memoizing(key: { call in
        XCTAssertNil(try call.argument(2, as: Date?.self))
        return try call.argument(1, as: [Int].self)
      }))
    let lists = other.handle
    for _ in 0..<2 { XCTAssertEqual([sum([1, 2], nil), sum([4], nil)], [3, 4]) }
    XCTAssertEqual([lists.hits, lists.misses], [2, 2])
    other.hook.remove()
  }

  func testAHookReadsAndReplacesText() throws {
    let length: TextBlock = { $0.count }
    let hook = try Block(length).hook(.before) { call in
      try call.setArgument(1, call.argument(1, as: String.self) + "!")
    }
    XCTAssertEqual(length("text"), 5)
    hook.remove()
    let refused = try Block(length).hook(.before) { call in
      XCTAssertThrowsError(try call.argument(1, as: Int.self))
      XCTAssertEqual(try call.argument(1, as: String?.self), "text")
    }
    XCTAssertEqual(length("text"), 4)
    refused.remove()
  }

  func testListsKeepTheirObjectsAsLongAsTheirResult() throws {
    let tracker = LifetimeTracker()
    let counted = try CountedBlock("i@?@") { call in try call.setResult(Int32(1)) }
    let memo = try counted.block.install(.memoizing(limits: MemoLimits(count: 5))).handle
    for _ in 0..<20 {
      let object = tracker.track()
      for _ in 0..<2 { _ = try counted.block.call([object] as NSArray) as Int32 }
    }
    XCTAssertEqual([counted.count, memo.hits, memo.count, tracker.alive], [20, 20, 5, 5])
    memo.removeAll()
    tracker.expectNothingAlive()
  }

  func testThreadsShareTheResultsOfEqualText() throws {
    let calls = Mutex(0)
    let length: TextBlock = { text in
      calls.withLock { $0 += 1 }
      return text.count
    }
    let block = try Block(length)
    let installed = try block.install(.memoizing())
    let memo = installed.handle
    let shared = UnsafeSending(length)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for round in 0..<200 {
        XCTAssertEqual(shared.value(String(repeating: "x", count: round % 10)), round % 10)
      }
    }
    XCTAssertEqual(memo.hits + memo.misses, 1600)
    XCTAssertLessThanOrEqual(calls.withLock { $0 }, 80)
    installed.hook.remove()
  }
}

// MARK: - Values

private struct Mistake: Error, Hashable { let code: Int }

private struct Value: Hashable { let number: Int }

private struct Opaque {}

/// An object that says it is equal to others.
private final class Plain: Hashable {
  static func == (left: Plain, right: Plain) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

/// A block, for other threads.
private struct UnsafeSending: @unchecked Sendable {
  // SAFETY: the block may be called on any thread.
  let value: @convention(block) (String) -> Int

  init(_ value: @escaping @convention(block) (String) -> Int) { self.value = value }
}
