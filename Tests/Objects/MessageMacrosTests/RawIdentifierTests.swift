// swift-syntax reads such names since 601; Scripts/nightly says when it tests an earlier one.
#if Macros && !WithoutRawIdentifiers
import MessageMacros
import XCTest

@Forwarding
protocol RawNames: AnyObject {
  func `load the page`(`at place`: Int, `for`: Int) -> Int
  var `the size`: Int { get set }
  @Optional(default: 2) func `say "it"`(_ count: Int) -> Int
}

final class RawForwarders: RawNamesForwarding { let targets = Targets() }

@Messages
final class Spelled {
  var `the size` = 3
  func `load the page`(`at place`: Int, `for` other: Int) -> Int { `at place` * 10 + other }
  func page(_: Int, didLoad count: Int) -> Int { count }
  func `say "it"`(_ count: Int) -> Int { count }
}

final class RawIdentifierTests: XCTestCase {
  private final class Named: RawNames {
    func `load the page`(`at place`: Int, `for`: Int) -> Int { `at place` * 10 + `for` }
    var `the size` = 5
  }

  func testRawIdentifiersNameClosuresPoliciesAndMessages() throws {
    let named = Named()
    let forwarders = RawForwarders()
    forwarders.add { $0.`load the pageAt placeFor` = { $0 - $1 } }
    forwarders.policies.`load the pageAt placeFor` = .last
    forwarders.add(weak: named)
    XCTAssertEqual(forwarders.`load the page`(`at place`: 1, for: 2), 12)
    forwarders.`the size` = 7
    XCTAssertEqual(named.`the size`, 7)
    XCTAssertEqual(forwarders.`the size`, 7)
    let spelled = Spelled()
    XCTAssertEqual(try spelled.send(\.`load the pageAt placeFor`, 3, 4), 34)
    try spelled.send(\.`setThe size`, 9)
    XCTAssertEqual(try spelled.send(\.`the size`), 9)
    XCTAssertEqual(try spelled.send(\.pageDidLoad, 1, 2), 2)
    XCTAssertEqual(try spelled.send(\.`say "it"`, 4), 4)
    XCTAssertEqual(forwarders.`say "it"`(4), 2)
    forwarders.removeAll()
    forwarders.add(weakReceiver: spelled)
    XCTAssertEqual(forwarders.`say "it"`(4), 4)
  }
}
#endif
