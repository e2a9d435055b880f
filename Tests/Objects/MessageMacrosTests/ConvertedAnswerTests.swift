#if Macros
import Invocations
import MessageForwarding
import MessageMacros
import Synchronization
import XCTest

/// Calls whose answers hooks see as another type than their callers: results that are opaque, and `Self`.
final class ConvertedAnswerTests: XCTestCase {
  func testHooksOfAnOpaqueResultSeeAnyValueAndAnswerOneOfTheBodysType() throws {
    XCTAssertEqual(square(2).area, 4)
    let larger = try $square.hook { original, side in
      let answer = try original(side + 1)
      return Square(area: answer.area * 10)
    }
    XCTAssertEqual(square(2).area, 90)
    let area = try $square.hook(.after) { call in
      XCTAssertEqual(try (call.result(as: Any.self) as? any Shape)?.area, 90)
    }
    XCTAssertEqual(square(2).area, 90)
    larger.remove()
    area.remove()
    // The same type for the caller in both cases.
    var shapes = [square(1)]
    shapes.append(square(3))
    XCTAssertEqual(shapes.map { $0.area }, [1, 9])
  }

  func testAnAnswerOfAnotherTypeIsAnErrorOfTheHook() throws {
    let count = made.load(ordering: .relaxed)
    let hooks = [
      try $square.hook { _, side in Circle(area: side) },
      try $ofErrors.hook { original, side in
        _ = try original(side + 1)
        return Circle(area: side)
      },
      try $failing.hook { _, side in Circle(area: side) },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(square(2).area, 4)
    XCTAssertEqual(try ofErrors(2).area, 3)
    // The body has not run a second time.
    XCTAssertEqual(made.load(ordering: .relaxed), count + 1)
    XCTAssertThrowsError(try failing(2)) {
      XCTAssertEqual(($0 as? MessageError)?.code, .typeMismatch)
      XCTAssertTrue("\($0)".contains("a hook answers Circle, and the method Square"), "\($0)")
    }
  }

  func testFormsOfFunctionsHaveOpaqueResults() async throws {
    let hooks = [
      try $collect.hook { original, number, f in try original(number) { try f() + 1 } },
      try $later.hook { original, side in try await original(side + 1) },
      try $squares.hook { original, side in try original(side + 1).reversed() },
      try Counter.$next.hook { original, counter, step in
        counter.value.count += 1
        return try original(counter, step)
      },
      try [Int].$largest.hook { original, numbers in try original(numbers + [9]) },
    ]
    defer { hooks.forEach { $0.remove() } }
    var number = 1
    XCTAssertEqual(Array(collect(&number) { 5 }), [7])
    XCTAssertEqual(number, 7)
    let area = await later(2).area
    XCTAssertEqual(area, 9)
    XCTAssertEqual(squares(2).map { $0.area }, [9, 3])
    var counter = Counter()
    XCTAssertEqual("\(counter.next(2))", "3")
    XCTAssertEqual(counter.count, 3)
    XCTAssertEqual("\([1, 2].largest())", "9")
  }

  func testMessagesHaveOpaqueResults() async throws {
    let factory = Factory()
    let hooks = [
      try Factory.hook(\.make) { original, _, side in try original(side + 1) },
      try Factory.classObject.hook(Factory.Messages().check) { original, _, side in
        try original(side + 1)
      },
      try Workshop.hook(\.make) { original, _, side in try await original(side + 1) },
      try Factory.classObject.target("shared").hook(.after) { call in
        try call.setResult(Square(area: 7) as any Shape)
      },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(factory.make(1).area, 4)
    XCTAssertEqual(try factory.send(\.make, 1).area, 4)
    XCTAssertEqual(try Factory.check(1).area, 2)
    XCTAssertEqual(Factory.shared().area, 7)
    let area = await Workshop().make(1).area
    XCTAssertEqual(area, 4)
  }

  func testHooksOfAResultThatIsSelfSeeTheClass() throws {
    let hooks = [
      try Node.$joined.hook { original, node in
        try original(node).count += 1
        return node
      },
      try Node.$fresh.hook { original, type in
        let node = try original(type)
        node.count = 4
        return node
      },
      try Leaf.hook(Node.Messages().copy) { original, leaf in
        let copy = try original()
        copy.count += 10
        return copy
      },
      try Counter.$same.hook { original, counter in
        Counter(count: try original(counter).count + 1)
      },
      try Counter.$larger.hook { original, type, a, b in try original(type, a, a) },
    ]
    let leaf: Leaf = Leaf().joined()
    XCTAssertEqual(leaf.count, 1)
    let made: Leaf = Leaf.fresh()
    XCTAssertEqual(made.count, 4)
    let copy: Leaf = leaf.copy()
    XCTAssertEqual(copy.count, 12)
    XCTAssertEqual(Counter().same().count, 1)
    XCTAssertEqual(Counter.larger(Counter(), Counter(count: 1)).count, 0)
    let foreign = try Node.$joined.hook { _, _ in Node() }
    XCTAssertTrue(leaf.joined() === leaf)
    hooks.forEach { $0.remove() }
    foreign.remove()
    XCTAssertEqual(leaf.copy().count, 2)
  }

  func testAsyncMessagesAnswerSelf() async throws {
    let hook = try Workshop.hook(\.open) { original, _ in try await original() }
    defer { hook.remove() }
    let workshop = Workshop()
    let open = await workshop.open()
    XCTAssertTrue(open === workshop)
  }
}

private protocol Shape: Sendable { var area: Int { get } }
private struct Square: Shape { let area: Int }
private struct Circle: Shape { let area: Int }

private let made = Atomic(0)

@Hookable private func square(_ side: Int) -> some Shape { Square(area: side * side) }
@Hookable private func ofErrors(_ side: Int) throws(CancellationError) -> some Shape {
  made.add(1, ordering: .relaxed)
  return Square(area: side)
}
@Hookable private func failing(_ side: Int) throws -> some Shape { Square(area: side) }
@Hookable private func collect(
  _ number: inout Int, _ f: () throws -> Int
) rethrows -> some Collection<Int> {
  number += try f()
  return [number]
}
@Hookable private func later(_ side: Int) async -> some Shape { Square(area: side * side) }
@Hookable private func squares(_ side: Int) -> [some Shape] {
  [Square(area: side), Square(area: side * side)]
}

private struct Counter: Equatable {
  var count = 0
  @Hookable mutating func next(_ step: Int) -> some Equatable {
    count += step
    return count
  }
  @Hookable func same() -> Self { self }
  @Hookable static func larger(_ a: Self, _ b: Self) -> Self { a.count > b.count ? a : b }
}

extension Collection where Self: SendableMetatype, Element: Comparable {
  @Hookable(.eachType) fileprivate func largest() -> some Comparable {
    reduce(self[startIndex]) { Swift.max($0, $1) }
  }
}

@Messages(.calls) private final class Factory {
  func make(_ side: Int) -> some Shape { Square(area: side * side) }
  static func check(_ side: Int) throws -> some Shape { Square(area: side) }
  static func shared() -> some Shape { Square(area: 1) }
}

@Messages(.calls) private actor Workshop {
  func make(_ side: Int) async -> some Shape { Square(area: side * side) }
  func open() async -> Self { self }
}

@Messages(.calls) private class Node {
  @NotSent required init() {}
  @NotSent var count = 0
  func copy() -> Self {
    let copy = Self()
    copy.count = count
    return copy
  }
}

extension Node {
  @Hookable func joined() -> Self { self }
  @Hookable class func fresh() -> Self { Self() }
}

@Messages(.calls) private final class Leaf: Node {
  override func copy() -> Self {
    let copy = super.copy()
    copy.count += 1
    return copy
  }
}
#endif
