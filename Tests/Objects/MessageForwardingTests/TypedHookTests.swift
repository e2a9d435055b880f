import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Hooks of methods by their Swift types.
final class TypedHookTests: XCTestCase {
  struct Cold: Error, Equatable { let city: String }

  class Weather: MessageReceiver {
    var calls = 0
    func degrees(_ city: String) throws -> Double {
      calls += 1
      if city == "Nowhere" { throw Cold(city: city) }
      return Double(city.utf8.count)
    }
    func add(_ a: Int32, _ b: Double) -> Int32 { a + Int32(b) }
    func reset() { calls = 0 }

    class var methods: MethodTable {
      MethodTable(Weather.self) {
        Method("degrees:", Weather.degrees)
        Method("add:to:", Weather.add)
        Method("reset", Weather.reset)
        Method("framed:", signature: "i@:i") { call in
          try call.setResult(call.argument(2, as: Int32.self) * 2)
        }
        Method("one:two:three:") { (_: Weather, a: Int, b: Int, c: Int) in a + b * 10 + c * 100 }
      }
    }
    func framed(_ number: Int32) -> Int32 { 0 }
    func numbers(_ a: Int, _ b: Int, _ c: Int) -> Int { 0 }
  }

  /// It inherits the methods of its superclass.
  final class Forecast: Weather, @unchecked Sendable {}

  /// It overrides a method in its table.
  final class Station: Weather, @unchecked Sendable {
    override class var methods: MethodTable {
      MethodTable(Station.self) { Method("add:to:") { (_: Station, a: Int32, _: Double) in -a } }
    }
  }

  private func answer(_ weather: Weather = Weather()) throws -> Int32 {
    try weather.send("add:to:", 3 as Int32, 4.0)
  }

  func testAHookGetsTheMethodTheReceiverAndTheArguments() throws {
    let weather = Weather()
    let receiver = ObjectIdentifier(weather)
    let hook = try Weather.hook(TypedSelector1("degrees:", Weather.degrees)) {
      original, weather, city in
      XCTAssertEqual(ObjectIdentifier(weather), receiver)
      return try original(city + "!") * 10
    }
    XCTAssertEqual(try weather.send("degrees:", "Rome", returning: Double.self), 50)
    XCTAssertEqual(weather.calls, 1)
    XCTAssertTrue(hook.isInstalled)
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(hook.remove())
    XCTAssertFalse(hook.isInstalled)
    XCTAssertEqual(try weather.send("degrees:", "Rome", returning: Double.self), 4)
  }

  func testAHookMayLeaveTheMethodOutOrCallItTwice() throws {
    let weather = Weather()
    let hook = try Weather.hook(TypedSelector1("degrees:", Weather.degrees)) { original, _, city in
      city == "Rome" ? 30 : try original(city) + original(city)
    }
    defer { hook.remove() }
    XCTAssertEqual(try weather.send("degrees:", "Rome", returning: Double.self), 30)
    XCTAssertEqual(weather.calls, 0)
    XCTAssertEqual(try weather.send("degrees:", "Paris", returning: Double.self), 10)
    XCTAssertEqual(weather.calls, 2)
  }

  func testErrorsOfTheMethodAreErrorsOfTheClosureAndItsOwnAreTheSenders() throws {
    let weather = Weather()
    let hook = try Weather.hook(TypedSelector1("degrees:", Weather.degrees)) { original, _, city in
      do { return try original(city) } catch let error as Cold {
        if error.city == "Nowhere" { throw Cold(city: "Elsewhere") }
        throw error
      }
    }
    defer { hook.remove() }
    XCTAssertThrowsError(try weather.send("degrees:", "Nowhere", returning: Double.self)) {
      XCTAssertEqual(($0 as? MessageError)?.code, .thrown)
      XCTAssertEqual(($0 as? MessageError)?.underlyingError as? Cold, Cold(city: "Elsewhere"))
    }
  }

  func testAHigherPriorityIsOutside() throws {
    let order = Recorder<String>()
    let hooks = try [0, 5, -5, 0].enumerated().map { index, priority in
      try Weather.hook(TypedSelector2("add:to:", Weather.add), name: "\(index)", priority: priority)
      {
        original, _, a, b in
        order.record("\(index)")
        return try original(a, b)
      }
    }
    XCTAssertEqual(try answer(), 7)
    XCTAssertEqual(order.entries, ["1", "3", "0", "2"])
    XCTAssertEqual(hooks.map(\.name), ["0", "1", "2", "3"])
    XCTAssertEqual(hooks.map(\.priority), [0, 5, -5, 0])
    for hook in hooks { hook.remove() }
    XCTAssertEqual(try answer(), 7)
    XCTAssertEqual(order.entries.count, 4)
  }

  func testMethodsWithoutArgumentsAndOfSeveralAreHooked() throws {
    let weather = Weather()
    weather.calls = 3
    let hooks = [
      try Weather.hook(TypedSelector0("reset", Weather.reset)) { original, weather in
        try original()
        weather.calls -= 1
      },
      try Weather.hook(TypedSelector3("one:two:three:", Weather.numbers)) { original, _, a, b, c in
        try original(c, b, a)
      },
    ]
    defer { for hook in hooks { hook.remove() } }
    try weather.send("reset")
    XCTAssertEqual(weather.calls, -1)
    XCTAssertEqual(try weather.send("one:two:three:", 1, 2, 3, returning: Int.self), 123)
  }

  func testAMethodOfAFrameIsHookedByItsTypes() throws {
    let hook = try Weather.hook(TypedSelector1("framed:", Weather.framed)) { original, _, number in
      try original(number + 1) + 1
    }
    defer { hook.remove() }
    XCTAssertEqual(try Weather().send("framed:", 5 as Int32, returning: Int32.self), 13)
    // A message of other types goes through a frame.
    XCTAssertEqual(try Weather().send("framed:", 5 as Int, returning: Int.self), 13)
  }

  func testSubclassesThatInheritTheMethodHaveTheHook() throws {
    let hook = try Weather.hook(TypedSelector2("add:to:", Weather.add)) { original, _, a, b in
      try original(a, b) * 2
    }
    XCTAssertEqual(try answer(Forecast()), 14)
    XCTAssertEqual(try answer(Station()), -3)
    let ofSubclass = try Forecast.hook(TypedSelector2("add:to:", Forecast.add)) {
      original, _, a, b in
      try original(a, b) + 1
    }
    XCTAssertEqual(try answer(Forecast()), 15)
    XCTAssertEqual(try answer(), 14)
    hook.remove()
    XCTAssertEqual(try answer(Forecast()), 8)
    ofSubclass.remove()
    XCTAssertEqual(try answer(Forecast()), 7)
  }

  func testHooksOfFramesAndTypedOnesHaveOneOrder() throws {
    let order = Recorder<String>()
    let framed = try Weather.target("add:to:").hook(priority: 100) { call in
      order.record("framed")
      try call.proceed()
      try call.setResult(call.result(as: Int32.self) + 1)
    }
    let typed = try Weather.hook(TypedSelector2("add:to:", Weather.add), priority: -100) {
      original, _, a, b in
      order.record("typed")
      return try original(a, b) * 10
    }
    XCTAssertEqual(try answer(), 71)
    XCTAssertEqual(order.entries, ["framed", "typed"])
    // One object's hooks are outside of its class's.
    let weather = Weather()
    let own = try weather.target("add:to:").hook { call in
      try call.proceed()
      try call.setResult(call.result(as: Int32.self) + 100)
    }
    XCTAssertEqual(try answer(weather), 171)
    typed.remove()
    XCTAssertEqual(try answer(weather), 108)
    for hook in [framed, own] { hook.remove() }
    XCTAssertEqual(try answer(weather), 7)
  }

  func testAReplacedMethodIsHookedIfItHasTheSignature() throws {
    final class Own: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Own.self) { Method("twice:") { (_: Own, a: Int) in a * 2 } }
      }
      func twice(_ number: Int) -> Int { 0 }
    }
    let hook = try Own.hook(TypedSelector1("twice:", Own.twice)) { original, _, number in
      try original(number) + 1
    }
    defer { hook.remove() }
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: Int) in a * 3 })
    XCTAssertEqual(try Own().send("twice:", 5, returning: Int.self), 16)
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: String) in a + a })
    XCTAssertEqual(try Own().send("twice:", "ab", returning: String.self), "abab")
    Own.classObject.replaceMethod(Method("twice:") { (_: Own, a: Int) in a * 4 })
    XCTAssertEqual(try Own().send("twice:", 5, returning: Int.self), 21)
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
    XCTAssertEqual(
      code { try Weather.hook(TypedSelector1("degree:", Weather.degrees)) { _, _, _ in 0 } },
      .noSuchMethod)
    XCTAssertEqual(
      code { try Weather.hook(TypedSelector2("degrees:", Weather.add)) { _, _, _, _ in 0 } },
      .typeMismatch)
    XCTAssertEqual(
      code { try Weather.hook(TypedSelector1("degrees:", Weather.framed)) { _, _, _ in 0 } },
      .typeMismatch)
    XCTAssertEqual(
      code { try Weather.hook(TypedSelector2("add:to:", Station.add)) { _, _, _, _ in 0 } },
      .typeMismatch)
    XCTAssertEqual(
      code { try Weather.hook(TypedSelector2("add:to:", Other.add)) { _, _, _, _ in 0 } },
      .typeMismatch)
  }

  final class Other { func add(_ a: Int32, _ b: Double) -> Int32 { 0 } }

  func testWhatAHookCapturesIsReleasedWhenItIsRemoved() throws {
    let tracker = LifetimeTracker()
    let hook: Hook
    do {
      let tracked = tracker.track()
      hook = try Weather.hook(TypedSelector2("add:to:", Weather.add)) { original, _, a, b in
        withExtendedLifetime(tracked) {}
        return try original(a, b)
      }
    }
    XCTAssertEqual(try answer(), 7)
    XCTAssertEqual(tracker.alive, 1)
    hook.remove()
    XCTAssertEqual(try answer(), 7)
    tracker.expectNothingAlive()
  }

  func testAHookMayRemoveItselfInItsCall() throws {
    let tracker = LifetimeTracker()
    let place = Recorder<Hook>()
    do {
      let tracked = tracker.track()
      place.record(
        try Weather.hook(TypedSelector2("add:to:", Weather.add)) { original, _, a, b in
          for hook in place.entries { hook.remove() }
          withExtendedLifetime(tracked) {}
          return try original(a, b) + 1
        })
    }
    XCTAssertEqual(try answer(), 8)
    XCTAssertEqual(try answer(), 7)
    tracker.expectNothingAlive()
  }

  func testHooksComeAndGoWhileOtherThreadsSend() throws {
    final class Busy: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Busy.self) { Method("next:", Busy.next) }
      }
      func next(_ number: Int) -> Int { number + 1 }
    }
    let tracker = LifetimeTracker()
    let wrong = Recorder<Int>()
    let threads = ThreadGroup()
    for thread in 0..<4 {
      threads.start {
        let busy = Busy()
        for round in 0..<emulated(2_000) {
          if thread < 2 {
            let tracked = tracker.track()
            let hook = try? Busy.hook(TypedSelector1("next:", Busy.next), priority: thread) {
              original, _, number in
              withExtendedLifetime(tracked) {}
              return try original(number + 100) - 100
            }
            if hook?.remove() != true { wrong.record(-1) }
          } else {
            let answer = (try? busy.send("next:", round, returning: Int.self)) ?? -2
            if answer != round + 1 { wrong.record(answer) }
          }
        }
      }
    }
    threads.wait()
    XCTAssertEqual(wrong.entries, [])
    XCTAssertEqual(try Busy().send("next:", 1, returning: Int.self), 2)
    tracker.expectNothingAlive()
  }
}
