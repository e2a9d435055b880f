#if Macros
import MessageForwarding
import MessageMacros
import XCTest

/// Functions with the attribute `@Hookable` whose names or parameters have a form of their own.
final class FunctionFormTests: XCTestCase {
  func testOperatorsAreTargetsByTheirNamesBetweenBackticks() throws {
    let hooks = [
      try `$+++`.hook { original, a, b in try original(a, b) * 2 },
      try `$√`.hook { original, number in try original(number) + 1 },
      try Sum.`$==`.hook { original, type, a, b in
        XCTAssertTrue(type == Sum.self)
        return try !original(type, a, b)
      },
      try Sum.`$+=`.hook { original, type, a, b in
        try original(type, a, b)
        a.value.total += 1
      },
      try Sum.`$-`.hook { original, type, a in try original(type, Sum(total: a.total * 10)) },
      try Chain.`$/`.hook { original, type, a, b in try original(type, b, a) },
    ]
    XCTAssertEqual(1 +++ 2, 8)
    XCTAssertEqual(√9, 4)
    XCTAssertTrue(Sum(total: 1) == Sum(total: 2))
    XCTAssertFalse([Sum(total: 1)].contains(Sum(total: 1)))
    var sum = Sum(total: 1)
    sum += Sum(total: 2)
    XCTAssertEqual(sum.total, 4)
    XCTAssertEqual((-sum).total, -40)
    let (a, b) = (Chain(), Chain())
    XCTAssertTrue(a / b === b)
    XCTAssertEqual("\(`$+++`) \(Sum.`$==`)", "+++(_:_:) Sum.==(self:_:_:)")
    hooks.forEach { $0.remove() }
    XCTAssertEqual(1 +++ 2, 4)
    XCTAssertFalse(Sum(total: 1) == Sum(total: 2))
  }

  func testHooksGetCopiesOfWhatAFunctionConsumesOrBorrows() async throws {
    let hooks = [
      try $join.hook { original, a, b in try original(a + [0], b + [9]) + a },
      try $fill.hook { original, values, a, f in try original(values, a + [5]) { try f($0) * 2 } },
      try $callLater.hook { original, f in try await original { f() + 1 } },
      try Sum.$ended.hook { original, sum in try original(Sum(total: sum.total + 1)) + sum.total },
      try Sum.$isLess.hook { original, a, b in try !original(a, b) },
      try Desk.hook(\.put) { original, _, papers, other in try original(papers + [7], other) },
      try Desk.hook(\.sort) { original, _, papers in try await original(papers + [1]) },
    ]
    XCTAssertEqual(join([1], [2]), [1, 0, 2, 9, 1])
    var values = [3]
    fill(&values, [4]) { $0 }
    XCTAssertEqual(values, [3, 8, 10])
    let called = await callLater { 1 }
    XCTAssertEqual(called, 2)
    let sum = Sum(total: 1)
    XCTAssertFalse(sum.isLess(than: Sum(total: 2)))
    XCTAssertEqual(sum.ended(), 3)
    XCTAssertEqual(Desk().put([1], [2]), [1, 7, 2])
    XCTAssertEqual(try Desk().send(\.put, [1], [2]), [1, 7, 2])
    let sorted = await Desk().sort([3, 2])
    XCTAssertEqual(sorted, [1, 2, 3])
    hooks.forEach { $0.remove() }
    XCTAssertEqual(join([1], [2]), [1, 2])
    XCTAssertEqual(sum.ended(), 1)
    XCTAssertEqual(Desk().put([1], [2]), [1, 2])
  }

  func testNoncopyableTypesAreRefusedByTheirName() throws {
    for function in ["f(_ a: borrowing File) {}", "f() -> File { File() }"] {
      let program = try Program(
        self, ["import MessageMacros\nstruct File: ~Copyable {}\n@Hookable func \(function)"])
      XCTAssertThrowsError(try program.check([0])) {
        let text = String(describing: $0)
        XCTAssertTrue(text.contains("type 'File' does not conform to protocol 'Copyable'"), text)
      }
    }
  }

  func testOverloadsHaveTargetsOfTheirOwn() throws {
    let hooks = [
      try Reader.$read.hook { original, reader, text in try original(reader, text) + 1 },
      try Reader.$readNumber.hook { original, reader, number in try original(reader, number) + 2 },
      try Reader.$readReal.hook { original, reader, number in try original(reader, number) + 3 },
      try Reader.$plus.hook { original, type, a, b in try original(type, a, b) + 4 },
      try [Int].$countOfNumber.hook { original, array, number in try original(array, number) + 5 },
      try [Int].$count.hook { original, array, text in try original(array, text) + 6 },
    ]
    let reader = Reader()
    XCTAssertEqual([reader.read("1"), reader.read(1), reader.read(1.5)], [2, 3, 4])
    XCTAssertEqual([reader + 1, reader + "1"], [5, 1])
    XCTAssertEqual([[1].count(1), [1].count("1")], [6, 7])
    XCTAssertEqual("\(Reader.$readNumber)", "Reader.readNumber(self:_:)")
    hooks.forEach { $0.remove() }
    XCTAssertEqual([reader.read("1"), reader.read(1), reader + 1, [1].count(1)], [1, 1, 1, 1])
  }

  func testOverloadsOfOneTargetAreToldToNameTheirs() throws {
    let overloads = "@Hookable func f(_ a: Int) {}\n@Hookable func f(_ a: String) {}"
    for (source, remedy) in [
      ("struct A {\n\(overloads)\n}", #"each can have a target: write @HookableAs("…")"#),
      (overloads, #"in a type each can have a target: write @HookableAs("…")"#),
      (
        #"@HookableAs("g") func f() {}"#, "not allowed to introduce arbitrary names at global scope"
      ),
    ] {
      let program = try Program(self, ["import MessageMacros\n\(source)"])
      XCTAssertThrowsError(try program.check([0])) {
        let text = String(describing: $0)
        XCTAssertTrue(text.contains(remedy), text)
      }
    }
  }

  func testNamesBetweenBackticksAreTargets() throws {
    let hook = try Chain.`$two words`.hook { original, chain, n in try original(chain, n) + 1 }
    XCTAssertEqual(Chain().`two words`(1), 2)
    hook.remove()
    XCTAssertEqual(Chain().`two words`(1), 1)
  }
}

infix operator +++
prefix operator √

@Hookable private func +++ (a: Int, b: Int) -> Int { a + b + 1 }
@Hookable private prefix func √ (a: Double) -> Double { a.squareRoot() }

private struct Sum: Equatable {
  var total: Int
  @Hookable static func == (a: Self, b: Sum) -> Bool { a.total == b.total }
  @Hookable static func += (a: inout Self, b: Self) { a.total += b.total }
  @Hookable consuming func ended() -> Int {
    total += 5
    return total - 5
  }
  @Hookable borrowing func isLess(than other: borrowing Self) -> Bool { total < other.total }
  @Hookable static prefix func - (a: Self) -> Self { Sum(total: -a.total) }
}

@Hookable private func join(_ a: consuming [Int], _ b: borrowing [Int]) -> [Int] {
  a.append(contentsOf: copy b)
  return a
}
@Hookable private func fill(
  _ values: inout [Int], _ a: consuming [Int], _ f: (Int) throws -> Int
) rethrows {
  values += try a.map(f)
}
@Hookable private func callLater(_ f: consuming @escaping @Sendable () -> Int) async -> Int { f() }

@Messages(.calls) private final class Desk: Sendable {
  @NotSent init() {}
  func put(_ papers: consuming [Int], _ other: borrowing [Int]) -> [Int] { papers + other }
  func sort(_ papers: consuming [Int]) async -> [Int] {
    papers.sort()
    return papers
  }
}

private struct Reader {
  @Hookable func read(_ text: String) -> Int { text.utf8.count }
  @HookableAs("readNumber") func read(_ number: Int) -> Int { number }
  @HookableAs("plus") static func + (a: Self, b: Int) -> Int { b }
  static func + (a: Self, b: String) -> Int { b.utf8.count }
}

extension Reader {
  @HookableAs("readReal") func read(_ number: Double) -> Int { Int(number) }
}

extension Array {
  @HookableAs("countOfNumber", .eachType) fileprivate func count(_ number: Int) -> Int { number }
  @Hookable(.eachType) fileprivate func count(_ text: String) -> Int { text.utf8.count }
}

private final class Chain {
  @Hookable static func / (a: Chain, b: Chain) -> Chain { a }
  @Hookable func `two words`(_ number: Int) -> Int { number }
}
#endif
