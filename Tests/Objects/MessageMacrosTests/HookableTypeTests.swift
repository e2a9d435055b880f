#if Macros
import MessageForwarding
import MessageMacros
import XCTest

/// Methods of generic types and of protocols' extensions with the attribute `@Hookable(.eachType)`.
final class HookableTypeTests: XCTestCase {
  func testEachGenericTypeHasItsOwnHooks() throws {
    let hooks = [
      try Pair<Int>.$sum.hook { original, pair, number in try original(pair, number) + [100] },
      try Pair<Int>.$set.hook { original, pair, value in
        try original(pair, value + 1)
        pair.value.first *= 2
      },
      try Pair<Int>.$name.hook { original, type, mark in
        XCTAssertTrue(type == Pair<Int>.self)
        return try original(type, mark + "!")
      },
      try Cell<Int>.$content.hook { original, cell in try original(cell) + 1 },
    ]
    XCTAssertTrue(TypeCalls.areHooked)
    XCTAssertEqual(Pair(first: 1).sum(2), [1, 1, 100])
    XCTAssertEqual(Pair(first: "1").sum(2), ["1", "1"])
    var (pair, other) = (Pair(first: 1), Pair(first: "1"))
    pair.set(4)
    other.set("4")
    XCTAssertEqual(pair.first, 10)
    XCTAssertEqual(other.first, "4")
    XCTAssertEqual(try Pair<Int>.name("?"), "Int?!")
    XCTAssertEqual(try Pair<String>.name("?"), "String?")
    XCTAssertEqual(Cell(1).content(), 2)
    XCTAssertEqual(Cell("1").content(), "1")
    hooks.forEach { XCTAssertTrue($0.remove()) }
    XCTAssertFalse(TypeCalls.areHooked)
    XCTAssertEqual(Pair(first: 1).sum(2), [1, 1])
  }

  func testEachTypeThatConformsToAProtocolHasItsOwnHooks() async throws {
    let hooks = [
      try [Int].$total.hook { original, numbers, start in try original(numbers, start) + 1 },
      try [String].$last.hook { original, texts in try original(texts) + "!" },
      try Sparrow.$sing.hook { original, bird in try original(bird) + "!" },
      try Crow.$fly.hook { original, bird, height in try await original(bird, height) + 1 },
    ]
    XCTAssertEqual([1, 2].total(), 4)
    XCTAssertEqual(Set([1, 2]).total(), 3)
    XCTAssertEqual(["a", "b"].last(), "b!")
    XCTAssertEqual([1, 2].last(), 2)
    XCTAssertEqual(Sparrow().sing(), "Sparrow!")
    XCTAssertEqual(Crow().sing(), "Crow")
    let heights = (await Crow().fly(3), await Sparrow().fly(3))
    XCTAssertEqual(heights.0, 4)
    XCTAssertEqual(heights.1, 3)
    hooks.forEach { XCTAssertTrue($0.remove()) }
    XCTAssertEqual(Sparrow().sing(), "Sparrow")
  }
}

private struct Pair<Value> {
  var first: Value
  @Hookable(.eachType) func sum(_ count: Int) -> [Value] { Array(repeating: first, count: count) }
  @Hookable(.eachType) mutating func set(_ value: Value) { first = value }
  @Hookable(.eachType) static func name(_ mark: String) throws -> String { "\(Value.self)\(mark)" }
}

private final class Cell<Value> {
  private let value: Value
  init(_ value: Value) { self.value = value }
  @Hookable(.eachType) func content() -> Value { value }
}

extension Array {
  @Hookable(.eachType) fileprivate func last() -> Element { self[count - 1] }
}

extension Sequence where Self: SendableMetatype, Element == Int {
  @Hookable(.eachType) fileprivate func total(_ start: Int = 0) -> Int { reduce(start, +) }
}

protocol Bird: Sendable {}

extension Bird {
  @Hookable(.eachType) func sing() -> String { "\(Self.self)" }
  @Hookable(.eachType) func fly(_ height: Int) async -> Int { height }
}

// Optimised code knows the names of private types with what makes them unique.
struct Sparrow: Bird {}
final class Crow: Bird {}
#endif
