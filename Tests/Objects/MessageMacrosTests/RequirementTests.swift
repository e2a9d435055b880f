#if Macros
import MessageMacros
import TestSupport
import XCTest

/// Requirements as protocols in use have them: functions that escape, names that are keywords, types of each form.
@Forwarding
protocol Loading: AnyObject, Sendable {
  func load(_ done: @escaping @Sendable (Int) -> Void)
  func visit(_ body: @Sendable (Int) -> Void)
  func maybe(_ done: (@Sendable (Int) -> Void)?)
  @Optional(default: { @Sendable (number: Int) in number }) func made() -> @Sendable (Int) -> Int
  func range(of text: String) -> (lower: Int, upper: Int)?
  func first(in list: [any Sendable]!) -> (any Sendable)?
  func `default`(in `repeat`: Int, for: Int) -> Int
  func `init`()
  var `self`: Int { get set }
  var place: Int { get async throws }
  func kind(_ type: any Sendable.Type) -> String
  func surely() throws(Never) -> Int
  @available(*, deprecated, message: "use load") func old() -> Int
}

/// Its table has the deprecated requirement of the other.
@Forwarding
protocol Reloading: Loading {
  func reload()
}

final class Loaders: LoadingForwarding { let targets = Targets() }

final class RequirementTests: XCTestCase {
  private final class Loader: Loading {
    let log = Recorder<String>()
    func load(_ done: @escaping @Sendable (Int) -> Void) { done(1) }
    func visit(_ body: @Sendable (Int) -> Void) { body(2) }
    func maybe(_ done: (@Sendable (Int) -> Void)?) { done?(3) }
    func made() -> @Sendable (Int) -> Int { { $0 + 1 } }
    func range(of text: String) -> (lower: Int, upper: Int)? { (0, text.count) }
    func first(in list: [any Sendable]!) -> (any Sendable)? { list.first }
    func `default`(in `repeat`: Int, for: Int) -> Int { `repeat` - `for` }
    func `init`() { log.record("init") }
    var `self`: Int {
      get { 7 }
      set { log.record("self \(newValue)") }
    }
    var place: Int { get async throws { 8 } }
    func kind(_ type: any Sendable.Type) -> String { "\(type)" }
    func surely() -> Int { 10 }
    func old() -> Int { 9 }
  }

  func testFunctionsAreArgumentsAndAnswers() {
    let loader = Loader()
    let loaders = Loaders(weak: loader)
    let numbers = Recorder<Int>()
    loaders.add {
      $0.load = { done in done(10) }
      $0.visit = { body in body(20) }
      $0.maybe = { done in done?(30) }
    }
    loaders.load { numbers.record($0) }
    loaders.visit { numbers.record($0) }
    loaders.maybe { numbers.record($0) }
    loaders.maybe(nil)
    XCTAssertEqual(numbers.entries, [1, 10, 2, 20, 3, 30])
    let made = loaders.made()
    XCTAssertEqual(made(1), 2)
    withExtendedLifetime(loader) {}
  }

  func testTypesOfEachFormPass() async throws {
    let loader = Loader()
    let loaders = Loaders(weak: loader)
    XCTAssertEqual(loaders.range(of: "word")?.upper, 4)
    XCTAssertEqual(loaders.first(in: [5, "a"]) as? Int, 5)
    XCTAssertEqual(loaders.kind(Int.self), "Int")
    XCTAssertEqual(loaders.surely(), 10)
    let place = try await loaders.place
    XCTAssertEqual(place, 8)
    withExtendedLifetime(loader) {}
  }

  func testNamesThatAreKeywordsPass() {
    let loader = Loader()
    let loaders = Loaders(weak: loader)
    XCTAssertEqual(loaders.default(in: 5, for: 2), 3)
    loaders.`init`()
    loaders.`self` = 4
    XCTAssertEqual(loaders.`self`, 7)
    XCTAssertEqual(loader.log.entries, ["init", "self 4"])
  }
}
#endif
