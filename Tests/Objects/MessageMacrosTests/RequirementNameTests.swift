#if Macros
import MessageMacros
import TestSupport
import XCTest

/// Names that what the macro writes could hide, or could not write as they are.
@Forwarding
protocol Shadowing: AnyObject {
  func page(_: Int, didLoad count: Int) -> Int
  func pair(_: Int, _: Int) -> Int
  func mixed(_ argument1: Int, _: Int) -> Int
  func own(_target: Int, _body: Int, _ _receiver: Int, _ _selector: Int, _ _closures: Int) -> Int
  func targets(_ _shadowingTargets: Int, _argument0: Int, `self`: Int) -> Int
  @Optional(default: 1) func asked(_ _target: Int, by _body: Int) -> Int
  func `load the page`(`at place`: Int, `for`: Int) -> Int
  var `the size`: Int { get set }
  @Optional(default: 2) func `say "it"`(_ count: Int) -> Int
}

final class Shadowers: ShadowingForwarding { let targets = Targets() }

@Messages
final class Spelled {
  var `the size` = 3
  func `load the page`(`at place`: Int, `for` other: Int) -> Int { `at place` * 10 + other }
  func page(_: Int, didLoad count: Int) -> Int { count }
  func `say "it"`(_ count: Int) -> Int { count }
}

final class RequirementNameTests: XCTestCase {
  private final class Shadower: Shadowing {
    func page(_ number: Int, didLoad count: Int) -> Int { number * 10 + count }
    func pair(_ a: Int, _ b: Int) -> Int { a * 10 + b }
    func mixed(_ a: Int, _ b: Int) -> Int { a * 10 + b }
    func own(_target: Int, _body: Int, _ c: Int, _ d: Int, _ e: Int) -> Int {
      _target + _body * 10 + c * 100 + d * 1_000 + e * 10_000
    }
    func targets(_ a: Int, _argument0: Int, `self`: Int) -> Int {
      a + _argument0 * 10 + `self` * 100
    }
    func asked(_ a: Int, by b: Int) -> Int { a * 10 + b }
    func `load the page`(`at place`: Int, `for`: Int) -> Int { `at place` * 10 + `for` }
    var `the size` = 5
  }

  func testNamesOfParametersHideNothing() {
    let shadower = Shadower()
    let shadowers = Shadowers(weak: shadower)
    XCTAssertEqual(shadowers.page(1, didLoad: 2), 12)
    XCTAssertEqual(shadowers.pair(1, 2), 12)
    XCTAssertEqual(shadowers.mixed(1, 2), 12)
    XCTAssertEqual(shadowers.own(_target: 1, _body: 2, 3, 4, 5), 54_321)
    XCTAssertEqual(shadowers.targets(1, _argument0: 2, self: 3), 321)
    XCTAssertEqual(shadowers.asked(1, by: 2), 12)
    withExtendedLifetime(shadower) {}
  }

  func testRawIdentifiersNameClosuresPoliciesAndMessages() throws {
    let shadower = Shadower()
    let shadowers = Shadowers()
    shadowers.add { $0.`load the pageAt placeFor` = { $0 - $1 } }
    shadowers.policies.`load the pageAt placeFor` = .last
    shadowers.add(weak: shadower)
    XCTAssertEqual(shadowers.`load the page`(`at place`: 1, for: 2), 12)
    shadowers.`the size` = 7
    XCTAssertEqual(shadower.`the size`, 7)
    XCTAssertEqual(shadowers.`the size`, 7)
    let spelled = Spelled()
    XCTAssertEqual(try spelled.send(\.`load the pageAt placeFor`, 3, 4), 34)
    try spelled.send(\.`setThe size`, 9)
    XCTAssertEqual(try spelled.send(\.`the size`), 9)
    XCTAssertEqual(try spelled.send(\.pageDidLoad, 1, 2), 2)
    XCTAssertEqual(try spelled.send(\.`say "it"`, 4), 4)
    XCTAssertEqual(shadowers.`say "it"`(4), 2)
    shadowers.removeAll()
    shadowers.add(weakReceiver: spelled)
    XCTAssertEqual(shadowers.`say "it"`(4), 4)
  }
}
#endif
