#if Macros
import MessageForwarding
import MessageMacros
import XCTest

/// Generic functions with the attribute `@Hookable`: each specialisation has its own hooks.
final class HookableGenericTests: XCTestCase {
  func testEachSpecialisationHasItsOwnHooks() throws {
    let hooks = [
      try $twice(Int.self).hook { original, value in try original(value + 1) + [9] },
      try $largest(Int.self, [Int].self).hook { original, first, rest in
        try original(first, rest) * 10
      },
      try $make(String.self).hook { original, type in
        XCTAssertTrue(type == String.self)
        return try original(type) + "!"
      },
      try $exchange(Int.self).hook { original, a, b in
        try original(a, b)
        a.value += 1
      },
      try $text(Int.self, String.self).hook { original, a, b in try original(a + 1, b) },
      try $mapped(Int.self, Int.self).hook { original, values, body in
        try original(values) { try body($0) + 1 }
      },
    ]
    XCTAssertTrue(TypeCalls.areHooked)
    XCTAssertEqual(twice(1), [2, 2, 9])
    XCTAssertEqual(twice("a"), ["a", "a"])
    XCTAssertEqual(largest(1, in: [3, 2]), 30)
    XCTAssertEqual(largest("a", in: ["b"]), "b")
    XCTAssertEqual(make(String.self), "!")
    XCTAssertEqual(make(Int.self), 0)
    var (a, b) = (1, 2)
    exchange(&a, &b)
    XCTAssertEqual([a, b], [3, 1])
    XCTAssertEqual(text(1, and: ["b"]), "2b")
    XCTAssertEqual(text("1", and: ["b"]), "1b")
    XCTAssertEqual(mapped([1]) { $0 * 2 }, [3])
    XCTAssertThrowsError(try mapped([1]) { (_: Int) -> Int in throw CancellationError() })
    XCTAssertEqual("\($twice(Int.self))", "twice(_:)")
    hooks.forEach { XCTAssertTrue($0.remove()) }
    XCTAssertFalse(TypeCalls.areHooked)
    XCTAssertEqual(twice(1), [1, 1])
  }

  func testThrowingAndAsyncFunctionsAreHooked() async throws {
    let hooks = [
      try $checked(Int.self).hook { original, value in
        if value == 5 { throw CancellationError() }
        return try original(value) + 1
      },
      try $later(Int.self).hook { original, value in try await original(value) + 1 },
      try $exactly(Int.self).hook { original, value in
        _ = try original(value) + 1
        throw Broken()
      },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(try checked(1), 2)
    XCTAssertThrowsError(try checked(5)) { XCTAssertTrue($0 is CancellationError) }
    XCTAssertEqual(try checked("5"), "5")
    XCTAssertEqual(try exactly(1), 1)
    let (number, other) = (await later(1), await later("1"))
    XCTAssertEqual(number, 2)
    XCTAssertEqual(other, "1")
  }

  func testGenericMethodsOfTypesAreHooked() throws {
    let hooks = [
      try Drawer.$put(Int.self).hook { original, drawer, value in
        try original(drawer, value + 1)
        drawer.value.count *= 2
      },
      try Drawer.$of(String.self).hook { original, type, value in try original(type, value + "!") },
      try Cabinet.$find(Int.self).hook { original, cabinet, value in
        try original(cabinet, value) + 1
      },
      try Stack<Int>.$zip(String.self).hook { original, stack, other in
        try original(stack, other + "?")
      },
      try Stack<Int>.$sorted().hook { original, stack in try original(stack) + [0] },
    ]
    var drawer = Drawer()
    drawer.put(1)
    XCTAssertEqual(drawer.texts, ["2"])
    XCTAssertEqual(drawer.count, 2)
    drawer.put("1")
    XCTAssertEqual(drawer.count, 3)
    XCTAssertEqual(Drawer.of("a").texts, ["a!"])
    XCTAssertEqual(Safe().find(1), 2)
    XCTAssertEqual(Cabinet().find("1"), "1")
    XCTAssertEqual(Stack(all: [1]).zip("a"), "[1]a?")
    XCTAssertEqual(Stack(all: ["1"]).zip("a"), #"["1"]a"#)
    XCTAssertEqual(Stack(all: [2, 1]).sorted(), [1, 2, 0])
    XCTAssertEqual(Stack(all: ["2", "1"]).sorted(), ["1", "2"])
    hooks.forEach { XCTAssertTrue($0.remove()) }
    XCTAssertEqual(Stack(all: [1]).zip("a"), "[1]a")
  }

  @MainActor
  func testGenericFunctionsOfTheMainActorAreHooked() throws {
    let hook = try $shown(Int.self).hook { original, value in try original(value) + 1 }
    XCTAssertEqual(shown(1), 2)
    hook.remove()
    XCTAssertEqual(shown(1), 1)
  }
}

private struct Broken: Error {}

@Hookable private func twice<Value>(_ value: Value) -> [Value] { [value, value] }

@Hookable private func largest<Value: Comparable & SendableMetatype, Values: Sequence>(
  _ first: Value, in rest: Values
) -> Value where Values: SendableMetatype, Values.Element == Value {
  rest.reduce(first, max)
}

@Hookable private func make<Value: ExpressibleByNothing>(_ type: Value.Type) -> Value { Value() }
@Hookable private func exchange<Value>(_ a: inout Value, _ b: inout Value) { swap(&a, &b) }
@Hookable private func text(
  _ a: some CustomStringConvertible & SendableMetatype,
  and b: [some CustomStringConvertible & SendableMetatype]
) -> String { "\(a)\(b[0])" }
@Hookable private func mapped<Value, Result>(
  _ values: [Value], _ body: (Value) throws -> Result
) rethrows -> [Result] { try values.map(body) }

@Hookable private func checked<Value>(_ value: Value) throws -> Value { value }
@Hookable private func exactly<Value>(_ value: Value) throws(CancellationError) -> Value { value }
@Hookable private func later<Value: Sendable>(_ value: Value) async -> Value { value }
@MainActor @Hookable private func shown<Value>(_ value: Value) -> Value { value }

private protocol ExpressibleByNothing: SendableMetatype { init() }
extension String: ExpressibleByNothing {}
extension Int: ExpressibleByNothing {}

private struct Drawer {
  var texts: [String] = []
  var count = 0
  @Hookable mutating func put<Value>(_ value: Value) {
    texts.append("\(value)")
    count += 1
  }
  @Hookable static func of<Value>(_ value: Value) -> Drawer { Drawer(texts: ["\(value)"]) }
}

private class Cabinet {
  @Hookable func find<Value>(_ value: Value) -> Value { value }
}

private final class Safe: Cabinet {}

private struct Stack<Element> {
  var all: [Element]
  @Hookable(.eachType) func zip<Other>(_ other: Other) -> String { "\(all)\(other)" }
  @Hookable(.eachType) func sorted() -> [Element]
  where Element: Comparable & SendableMetatype { all.sorted() }
}
#endif
