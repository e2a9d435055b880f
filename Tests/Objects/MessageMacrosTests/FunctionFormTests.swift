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
  @Hookable static prefix func - (a: Self) -> Self { Sum(total: -a.total) }
}

private final class Chain {
  @Hookable static func / (a: Chain, b: Chain) -> Chain { a }
  @Hookable func `two words`(_ number: Int) -> Int { number }
}
#endif
