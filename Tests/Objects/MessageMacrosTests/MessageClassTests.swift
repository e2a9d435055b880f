#if Macros
import BlockHooks
import DelayedBlocks
import Invocations
import MessageForwarding
import MessageMacros
import TestSupport
import XCTest

/// Classes whose methods a macro makes messages.
final class MessageClassTests: XCTestCase {
  // MARK: - Messages

  func testMethodsAreSentByTypedSelectorsAndByName() throws {
    let weather = Weather()
    XCTAssertEqual(try weather.send(\.degrees, "Oslo"), 4)
    XCTAssertEqual(try weather.send(\.addTo, 3, 4), 7)
    XCTAssertEqual(try weather.send(\.add, 3), 4)
    XCTAssertEqual(try weather.send(\.pick, 9), 9)
    XCTAssertEqual(try weather.send("add:to:", 3, 4.0, returning: Double.self), 7)
    XCTAssertEqual(try weather.send("choose:", 9, returning: Int.self), 9)
    XCTAssertEqual(try weather.send("degrees:", "Rome", returning: Double.self), 4)
    XCTAssertEqual(try weather.send(\.forced, nil), nil)
    XCTAssertEqual(try weather.send(\.default), "the default")
  }

  func testAnErrorOfAMethodIsThatOfTheMessage() {
    XCTAssertThrowsError(try Weather().send(\.degrees, "Atlantis")) {
      XCTAssertEqual(($0 as? MessageError)?.underlyingError as? Unknown, Unknown(city: "Atlantis"))
    }
  }

  func testFunctionsAreArguments() throws {
    let numbers = Recorder<Int>()
    try Weather().send(\.take) { numbers.record($0) }
    XCTAssertEqual(numbers.entries, [3])
  }

  func testPropertiesAreSentByTheirGettersAndSetters() throws {
    let weather = Weather()
    try weather.send(\.setUnit, "F")
    XCTAssertEqual(weather.unit, "F")
    XCTAssertEqual(try weather.send(\.unit), "F")
    XCTAssertEqual(try weather.send(\.later), [1])
    XCTAssertEqual(try weather.send(\.computed), 3)
    try weather.send(\.setOwner, weather)
    XCTAssertIdentical(weather.owner, weather)
    weather.owner = nil
    XCTAssertTrue(weather.responds(to: "asked"))
    XCTAssertFalse(weather.responds(to: "setAsked:"))
    XCTAssertFalse(weather.responds(to: "setName:"))
  }

  func testPrivateAndMarkedMembersAreNoMessages() {
    XCTAssertEqual(
      Set(Weather.methods.methods.map(\.selector.name)),
      [
        "unit", "setUnit:", "calls", "setCalls:", "asked", "owner", "setOwner:", "later",
        "setLater:", "name", "computed", "degrees:", "add:to:", "add:", "reset", "moveTo:by:",
        "take:", "choose:", "units", "convert:from:", "forced:", "default",
      ])
  }

  func testClassMethodsAreSentToTheClass() throws {
    XCTAssertEqual(try Weather.classObject.send(Weather.Messages().units), 3)
    XCTAssertEqual(try Weather.classObject.send(Weather.Messages().convertFrom, 4, "F"), 4)
    XCTAssertThrowsError(try Weather.classObject.send(Weather.Messages().convertFrom, 4, "K"))
    XCTAssertFalse(Weather().responds(to: "units"))
  }

  func testAsyncMethodsAreAwaited() async throws {
    let length = try await Loader().send(\.load, "abc")
    XCTAssertEqual(length, 3)
  }

  // MARK: - Hooks

  func testAHookHasTheTypesOfTheMethodAndItsOriginal() throws {
    let weather = Weather()
    let token = try Weather.hook(\.degrees) { original, receiver, city in
      receiver.calls += 1
      return try original(city + "!") + 1
    }
    XCTAssertEqual(try weather.send(\.degrees, "Oslo"), 6)
    XCTAssertEqual(weather.calls, 1)
    token.remove()
    XCTAssertEqual(try weather.send(\.degrees, "Oslo"), 4)
  }

  func testOneObjectIsHooked() throws {
    let (hooked, other) = (Weather(), Weather())
    let token = try hooked.hook(\.addTo) { original, _, number, distance in
      try original(number, distance) * 2
    }
    XCTAssertEqual(try hooked.send(\.addTo, 3, 4), 14)
    XCTAssertEqual(try other.send(\.addTo, 3, 4), 7)
    token.remove()
  }

  func testASettersHookChangesTheValue() throws {
    let weather = Weather()
    let token = try Weather.hook(\.setUnit) { original, _, unit in try original(unit.uppercased()) }
    try weather.send(\.setUnit, "f")
    XCTAssertEqual(weather.unit, "F")
    token.remove()
  }

  func testAMessageIsRecordedAndPerformedLater() throws {
    let (weather, clock) = (Weather(), ManualClock())
    let message = try weather.record(\.degrees, "Oslo")
    try message.send()
    XCTAssertEqual(try message.result(as: Double.self), 4)
    try weather.perform(\.setUnit, "K", after: .seconds(3), timer: DelayTimer(clock: clock))
    XCTAssertEqual(weather.unit, "C")
    clock.advance(by: .seconds(3))
    XCTAssertEqual(weather.unit, "K")
  }

  // MARK: - Inheritance and isolation

  func testASubclassAddsItsMessagesToTheInheritedOnes() throws {
    let forecast = Forecast()
    XCTAssertEqual(try forecast.send(Forecast.Messages().outlook, 3), "day 3")
    XCTAssertEqual(try forecast.send(\.degrees, "Rome"), 4)
    try forecast.send(\.reset)
    XCTAssertEqual(forecast.calls, -1, "the override answers")
    XCTAssertFalse(Weather().responds(to: "outlook:"))
  }

  func testAnOverrideAnswersTheMessageOfWhatItOverrides() throws {
    let hooked = Recorder<Bool>()
    let hook = try Weather.hook(\.reset) { original, weather in
      hooked.record(weather is Forecast)
      try original()
    }
    try Forecast().send(\.reset)
    hook.remove()
    XCTAssertEqual(hooked.entries, [true])
  }

  func testASubclassWithoutTheAttributeHasTheInheritedMessages() throws {
    final class Plain: Weather, @unchecked Sendable {}
    XCTAssertEqual(try Plain().send(\.degrees, "Rome"), 4)
  }

  @MainActor
  func testIsolatedMethodsAreMessagesOfTheirActor() async throws {
    XCTAssertEqual(try Panel().send(\.draw, 3), 3)
    let waited = try await Panel().send(\.wait)
    XCTAssertEqual(waited, 5)
    let screen = Panel()
    let outcome = await Task.detached { [screen] in
      (try? screen.send(\.size), Result { try screen.send(\.draw, 3) })
    }.value
    XCTAssertEqual(outcome.0, 4)
    XCTAssertThrowsError(try outcome.1.get()) {
      XCTAssertEqual(($0 as? MessageError)?.code, .wrongExecutor)
    }
  }

  func testMethodsOfAnActorAreMessages() async throws {
    let gauge = Gauge()
    let sum = try await gauge.send(\.addTo, 3, "one")
    XCTAssertEqual(sum, 4)
    try await gauge.send(\.setCount, 5)
    let count = try await gauge.send(\.count)
    XCTAssertEqual(count, 5)
    let ready = try await gauge.send(\.wait)
    XCTAssertTrue(ready)
    XCTAssertEqual(try gauge.send(\.name), "counter")
    XCTAssertEqual(try gauge.send(\.size), 3)
    do {
      _ = try await gauge.send(\.addTo, 3, "none")
      XCTFail("it throws")
    } catch { XCTAssertTrue(error.underlyingError is Unknown, "\(error)") }
    let hook = try Gauge.hook(\.addTo) { original, gauge, number, other in
      try await original(number + 1, other) * 10
    }
    let hooked: Int = try await gauge.send(async: "add:to:", 3, "one")
    XCTAssertEqual(hooked, 50)
    hook.remove()
  }

  func testANestedClassHasMessages() throws {
    XCTAssertEqual(try Place.Inner().send(\.answer), 3)
  }
}

struct Unknown: Error, Equatable { let city: String }

@Messages
class Weather: @unchecked Sendable {
  var unit = "C"
  var calls: Int = 0
  private(set) var asked = 0
  weak var owner: Weather?
  lazy var later: [Int] = [1]
  let name: String = "Weather"
  var computed: Double { 3 }
  private var secret = 1

  func degrees(_ city: String) throws -> Double {
    if city == "Atlantis" { throw Unknown(city: city) }
    return Double(city.utf8.count)
  }
  func add(_ number: Int, to other: Double) -> Double { Double(number) + other }
  func add(_ number: Int) -> Int { number + 1 }
  func reset() { calls = 0 }
  func move(to place: Int, by distance: Int = 3) {}
  func take(_ done: @escaping (Int) -> Void) { done(3) }
  @Named("pick") @SentAs("choose:") func take(_ number: Int) -> Int { number }
  @NotSent func generic<Value>(_ value: Value) -> Value { value }
  private func hidden() -> Int { secret }
  func forced(_ text: String!) -> String! { text }
  func `default`() -> String { "the default" }
  class func units() -> Int { 3 }
  static func convert(_ degrees: Double, from unit: String) throws -> Double {
    if unit == "K" { throw Unknown(city: unit) }
    return degrees
  }
}

@Messages
final class Forecast: Weather, @unchecked Sendable {
  func outlook(_ day: Int) -> String { "day \(day)" }
  override func reset() { calls = -1 }
}

@Messages
final class Loader: Sendable {
  func load(_ path: String) async throws -> Int { path.utf8.count }
}

@MainActor @Messages
final class Panel {
  func draw(_ number: Int) -> Int { number }
  func wait() async -> Int { 5 }
  nonisolated func size() -> Int { 4 }
}

@Messages
actor Gauge {
  var count = 0
  nonisolated let name = "counter"
  func add(_ number: Int, to other: String) throws -> Int {
    guard other == "one" else { throw Unknown(city: other) }
    return number + 1
  }
  func wait() async -> Bool {
    await Task.yield()
    return count == 5
  }
  nonisolated func size() -> Int { 3 }
}

enum Place {
  @Messages
  final class Inner {
    func answer() -> Int { 3 }
  }
}
#endif
