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
}

final class Shadowers: ShadowingForwarding { let targets = Targets() }

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
}
#endif
