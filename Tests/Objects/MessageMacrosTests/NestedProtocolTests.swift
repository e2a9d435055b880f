#if Macros
import MessageMacros
import TestSupport
import XCTest

/// Protocols that are declared within a type, and use what is declared in it.
final class NestedProtocolTests: XCTestCase {
  private final class Listener: Player.Delegate {
    let log = Recorder<String>()
    var last: Player.State?
    func changed(to state: Player.State!, _ others: [Player.State?]) throws(Player.Failure) {
      guard let state else { throw Player.Failure() }
      log.record("\(state.number) \(others.count)")
    }
    func each(_ body: (Player.State) -> Void) { body(.initial) }
    func later(_ body: @escaping @Sendable (Player.State) -> Void) { body(.initial) }
    func log(_ state: @autoclosure () -> Player.State) { log.record("\(state().number)") }
    func change(_ state: inout Player.State) { state.number += 1 }
  }

  func testRequirementsUseTypesOfTheTypeAround() throws {
    let listener = Listener()
    let delegates = Player.Delegates(weak: listener)
    try delegates.changed(to: .init(number: 3), [nil])
    XCTAssertThrowsError(try delegates.changed(to: nil, []))
    let states = Recorder<Player.State>()
    delegates.each { states.record($0) }
    delegates.later { states.record($0) }
    XCTAssertEqual(states.entries, [.initial, .initial])
    delegates.log(.init(number: 4))
    var state = Player.State(number: 5)
    delegates.change(&state)
    XCTAssertEqual(state.number, 6)
    XCTAssertEqual(listener.log.entries, ["3 1", "4"])
    XCTAssertEqual(delegates.state(), .init(number: 7))
    delegates.last = .initial
    XCTAssertEqual(listener.last, .initial)
    XCTAssertEqual(delegates.last, .initial)
  }

  func testAProtocolInheritsFromOneBesideIt() {
    let delegates = Player.DerivedObjects()
    XCTAssertEqual(delegates.derived(), .initial)
    delegates.add { $0.derived = { .init(number: 8) } }
    delegates.add { $0.change = { $0.number += 1 } }
    XCTAssertEqual(delegates.derived().number, 8)
    var state = Player.State(number: 5)
    delegates.change(&state)
    XCTAssertEqual(state.number, 6)
  }
}

private enum Player {
  struct State: Equatable, Sendable {
    static let initial = State()
    var number = 0
  }

  struct Failure: Error {}

  @Forwarding
  protocol Delegate: AnyObject {
    func changed(to state: State!, _ others: [State?]) throws(Failure)
    func each(_ body: (State) -> Void)
    func later(_ body: @escaping @Sendable (State) -> Void)
    func log(_ state: @autoclosure () -> State)
    func change(_ state: inout State)
    @Optional(default: State(number: 7)) func state() -> State
    var last: State? { get set }
  }

  final class Delegates: DelegateForwarding { let targets = Targets() }

  @Forwarding
  fileprivate protocol Derived: Delegate {
    @Optional(default: State.initial) func derived() -> State
  }

  fileprivate final class DerivedObjects: DerivedForwarding { let targets = Targets() }
}
#endif
