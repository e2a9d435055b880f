import BlockHooks
import DelayedBlocks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Selectors with the Swift types of their methods, by key path and as values.
final class TypedSelectorTests: XCTestCase {
  struct Unknown: Error, Equatable { let city: String }

  class Weather: TypedMessageReceiver, @unchecked Sendable {
    let asked = Recorder<String>()
    func degrees(_ city: String) throws -> Double {
      asked.record(city)
      if city == "Atlantis" { throw Unknown(city: city) }
      return Double(city.utf8.count)
    }
    func add(_ a: Int32, _ b: Double) -> Int32 { a + Int32(b) }
    func reset() { asked.record("reset") }
    func load(_ city: String) async -> Int { city.utf8.count }

    struct Messages: MessageNames {
      var degrees: TypedSelector1<Weather, String, Double> { .init("degrees:") }
      var add: TypedSelector2<Weather, Int32, Double, Int32> { .init("add:to:") }
      var reset: TypedSelector0<Weather, Void> { .init("reset") }
      var load: AsyncTypedSelector1<Weather, String, Int> { .init("load:") }
      var missing: TypedSelector0<Weather, Int> { .init("missing") }
      var mistaken: TypedSelector1<Weather, Int, Double> { .init("degrees:") }
    }

    class var methods: MethodTable {
      MethodTable(Weather.self) {
        Method("degrees:", Weather.degrees)
        Method("add:to:", Weather.add)
        Method("reset", Weather.reset)
        Method("load:", Weather.load)
        Method("units") { (_: ClassObject) in 1 }.ofClass()
      }
    }
  }

  final class Forecast: Weather, @unchecked Sendable {
    struct Messages: MessageNames {
      var outlook: TypedSelector1<Forecast, Int, String> { .init("outlook:") }
    }
    override class var methods: MethodTable {
      MethodTable(Forecast.self) { Method("outlook:") { (_: Forecast, day: Int) in "day \(day)" } }
    }
  }

  // MARK: - Messages

  func testAMessageHasTheTypesOfItsSelector() throws {
    let weather = Weather()
    XCTAssertEqual(try weather.send(\.degrees, "Rome"), 4)
    XCTAssertEqual(try weather.send(\.add, 3, 4), 7)
    try weather.send(\.reset)
    XCTAssertEqual(weather.asked.entries, ["Rome", "reset"])
    XCTAssertEqual(try Forecast().send(\.degrees, "Oslo"), 4)
    XCTAssertEqual(try Forecast().send(Forecast.Messages().outlook, 3), "day 3")
    XCTAssertEqual(try MultiTargetProxy(weak: [weather]).send(Weather.Messages().add, 1, 1), 2)
    XCTAssertThrowsError(try weather.send(\.degrees, "Atlantis")) {
      XCTAssertEqual(($0 as? MessageError)?.underlyingError as? Unknown, Unknown(city: "Atlantis"))
    }
    XCTAssertThrowsError(try weather.send(\.missing)) {
      XCTAssertEqual(($0 as? MessageError)?.code, .unrecognizedSelector)
    }
  }

  func testAnAsyncMethodIsAwaitedAndHooked() async throws {
    let weather = Weather()
    let answer = try await weather.send(\.load, "Rome")
    XCTAssertEqual(answer, 4)
    let hooks = [
      try Weather.hook(\.load) { original, _, city in try await original(city + "!") },
      try weather.hook(\.load) { original, _, city in try await original(city) * 10 },
    ]
    let hooked = try await weather.send(\.load, "Rome")
    XCTAssertEqual(hooked, 50)
    for hook in hooks { hook.remove() }
  }

  func testAMessageIsRecorded() throws {
    let weather = Weather()
    let message = try weather.record(\.degrees, "Rome")
    XCTAssertEqual(message.selector, "degrees:")
    try message.send()
    try message.send(to: Forecast())
    XCTAssertEqual(try message.result(as: Double.self), 4)
    XCTAssertEqual(weather.asked.entries, ["Rome"])
  }

  func testAMessageIsSentAfterItsDelay() throws {
    let clock = ManualClock()
    let weather = Weather()
    try weather.perform(\.degrees, "Rome", after: .seconds(1), timer: DelayTimer(clock: clock))
    XCTAssertEqual(weather.asked.entries, [])
    clock.advance(by: .seconds(1))
    XCTAssertEqual(weather.asked.entries, ["Rome"])
  }

  func testAMethodIsReplacedByAClosureOfItsTypes() throws {
    let original = Weather.replaceMethod(\.add) { _, a, b in a * Int32(b) }
    XCTAssertEqual(try Weather().send(\.add, 3, 4), 12)
    XCTAssertEqual(try Forecast().send(\.add, 3, 4), 12)
    Weather.replaceMethod(try XCTUnwrap(original))
    XCTAssertEqual(try Weather().send(\.add, 3, 4), 7)
  }

  // MARK: - Hooks

  func testAMethodOfAClassIsHooked() throws {
    let hooks = [
      try Weather.hook(\.degrees, name: "warmer") { original, weather, city in
        weather.asked.record("hook")
        do { return try original(city) + 1 } catch is Unknown { return -1 }
      },
      try Weather.hook(TypedSelector2("add:to:", Weather.add), priority: 3) { original, _, a, b in
        try original(a, b) * 2
      },
      try Weather.hook(\.reset) { original, weather in
        try original()
        weather.asked.record("after")
      },
    ]
    let weather = Forecast()
    XCTAssertEqual(try weather.send(\.degrees, "Rome"), 5)
    XCTAssertEqual(try weather.send(\.degrees, "Atlantis"), -1)
    XCTAssertEqual(try weather.send(\.add, 3, 4), 14)
    try weather.send(\.reset)
    XCTAssertEqual(weather.asked.entries, ["hook", "Rome", "hook", "Atlantis", "reset", "after"])
    XCTAssertEqual(hooks.map(\.name), ["warmer", nil, nil])
    XCTAssertEqual(hooks.map(\.priority), [0, 3, 0])
    for hook in hooks { XCTAssertTrue(hook.remove()) }
    XCTAssertEqual(try weather.send(\.degrees, "Rome"), 4)
  }

  func testAHookOfOneObjectLeavesOthersAlone() throws {
    let (weather, other) = (Weather(), Weather())
    let hook = try weather.hook(\.degrees) { original, weather, city in
      city == "Atlantis" ? 4 : try original(city + "!")
    }
    XCTAssertEqual(try weather.send(\.degrees, "Atlantis"), 4)
    XCTAssertEqual(try weather.send(\.degrees, "Rome"), 5)
    XCTAssertEqual(try other.send(\.degrees, "Rome"), 4)
    XCTAssertTrue(hook.isInstalled)
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(hook.isInstalled)
    XCTAssertFalse(hook.remove())
    XCTAssertEqual(try weather.send(\.degrees, "Rome"), 4)
  }

  func testHooksOfAnObjectHaveOneOrderOutsideOfItsClass() throws {
    let order = Recorder<String>()
    let weather = Weather()
    let framed = try weather.target("add:to:").hook(priority: 100) { call in
      order.record("framed")
      try call.proceed()
    }
    let ofClass = try Weather.hook(\.add, priority: 100) { original, _, a, b in
      order.record("class")
      return try original(a, b)
    }
    let own = try [-1, 1].map { priority in
      try weather.hook(\.add, priority: priority) { original, _, a, b in
        order.record("own \(priority)")
        return try original(a, b)
      }
    }
    XCTAssertEqual(try weather.send(\.add, 3, 4), 7)
    XCTAssertEqual(order.entries, ["framed", "own 1", "own -1", "class"])
    // A message of other types comes through all of them.
    XCTAssertEqual(try weather.send("add:to:", 3, 4.0, returning: Int.self), 7)
    XCTAssertEqual(order.entries.count, 8)
    framed.remove()
    ofClass.remove()
    XCTAssertEqual(try weather.send(\.add, 3, 4), 7)
    XCTAssertEqual(order.entries.suffix(2), ["own 1", "own -1"])
    for hook in own { hook.remove() }
    XCTAssertEqual(try weather.send(\.add, 3, 4), 7)
    XCTAssertEqual(order.entries.count, 10)
  }

  func testAHookOfAnObjectFollowsTheMethodThatItsClassHas() throws {
    let weather = Weather()
    let hook = try weather.hook(\.add) { original, _, a, b in try original(a, b) + 100 }
    defer { hook.remove() }
    XCTAssertEqual(try weather.send(\.add, 3, 4), 107)
    let original = try XCTUnwrap(Weather.replaceMethod(\.add) { _, a, b in a * Int32(b) })
    XCTAssertEqual(try weather.send(\.add, 3, 4), 112)
    Weather.replaceMethod(Method("add:to:") { (_: Weather, a: String, b: String) in a + b })
    XCTAssertEqual(try weather.send("add:to:", "a", "b", returning: String.self), "ab")
    Weather.replaceMethod(original)
    XCTAssertEqual(try weather.send(\.add, 3, 4), 107)
  }

  func testAHookOfAnObjectEndsWithIt() throws {
    let tracker = LifetimeTracker()
    var weather: Weather? = Weather()
    let hook = try weather?.hook(\.reset) { [tracked = tracker.track()] original, _ in
      withExtendedLifetime(tracked) {}
      try original()
    }
    try weather?.send(\.reset)
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertEqual(hook?.isInstalled, true)
    weather = nil
    XCTAssertEqual(hook?.isInstalled, false)
    XCTAssertEqual(hook?.remove(), false)
    tracker.expectNothingAlive()
  }

  func testWhatAHookOfAnObjectCapturesIsReleasedWhenItIsRemovedAlsoByItself() throws {
    let tracker = LifetimeTracker()
    let place = Recorder<Hook>()
    let weather = Weather()
    place.record(
      try weather.hook(\.reset) { [tracked = tracker.track()] original, _ in
        for hook in place.entries { hook.remove() }
        withExtendedLifetime(tracked) {}
        try original()
      })
    try weather.send(\.reset)
    try weather.send(\.reset)
    XCTAssertEqual(weather.asked.entries, ["reset", "reset"])
    tracker.expectNothingAlive()
  }

  func testAClassMethodIsHookedByItsTypes() throws {
    let units = TypedSelector0<ClassObject, Int>("units")
    let hook = try Weather.classObject.hook(units) { original, _ in try original() + 1 }
    XCTAssertEqual(try Weather.send("units", returning: Int.self), 2)
    hook.remove()
    XCTAssertEqual(try Weather.send("units", returning: Int.self), 1)
  }

  func testWhatCannotBeHookedSaysWhy() throws {
    func code(_ body: () throws -> Hook) -> ErrorCode? {
      do {
        try body().remove()
        return nil
      } catch {
        return (error as? MessageError)?.code
      }
    }
    let weather = Weather()
    let outlook = Forecast.Messages().outlook
    let block = TypedSelector1<Weather, @convention(block) () -> Void, Void>("reset")
    let rows: [(ErrorCode, () throws -> Hook)] = [
      (.noSuchMethod, { try Weather.hook(\.missing) { _, _ in 0 } }),
      (.noSuchMethod, { try weather.hook(\.missing) { _, _ in 0 } }),
      (.typeMismatch, { try Weather.hook(\.mistaken) { _, _, _ in 0 } }),
      (.typeMismatch, { try weather.hook(\.mistaken) { _, _, _ in 0 } }),
      (.noSuchMethod, { try weather.hook(outlook) { _, _, _ in "" } }),
      (.typeMismatch, { try weather.hook(block) { _, _, _ in } }),
      (.typeMismatch, { try Weather.hook(block) { _, _, _ in } }),
    ]
    for (index, (expected, body)) in rows.enumerated() {
      XCTAssertEqual(code(body), expected, "row \(index)")
    }
    for (_, body) in rows.suffix(2) {
      expectError(.typeMismatch, "of a block type") { _ = try body() }
    }
  }

  func testHooksOfOneObjectComeAndGoWhileOtherThreadsSend() throws {
    let tracker = LifetimeTracker()
    let wrong = Recorder<Int>()
    let weather = Weather()
    let threads = ThreadGroup()
    for thread in 0..<4 {
      threads.start {
        for round in 0..<emulated(1_000) {
          switch thread {
          case 0, 1:
            let hook = try? weather.hook(\.add, priority: thread) {
              [tracked = tracker.track()] original, _, a, b in
              withExtendedLifetime(tracked) {}
              return try original(a + 100, b) - 100
            }
            if hook?.remove() != true { wrong.record(-1) }
          case 2:
            let hook = try? weather.target("add:to:").hook(.before) { _ in }
            if hook?.remove() != true { wrong.record(-2) }
          default:
            let answer = (try? weather.send(\.add, Int32(round), 1)) ?? -3
            if answer != round + 1 { wrong.record(Int(answer)) }
          }
        }
      }
    }
    threads.wait()
    XCTAssertEqual(wrong.entries, [])
    XCTAssertEqual(try weather.send(\.add, 3, 4), 7)
    tracker.expectNothingAlive()
  }
}
