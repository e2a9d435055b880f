import BlockHooks
import DelayedBlocks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Intercepted messages.
final class InterceptedMethodTests: XCTestCase {
  private struct Storm: Error, Equatable { var city: String }

  private class Weather: MessageReceiver, @unchecked Sendable {
    let name: String
    let calls: Recorder<String>
    init(_ calls: Recorder<String> = Recorder(), name: String = "weather") {
      (self.calls, self.name) = (calls, name)
    }

    func degrees(_ city: String) throws -> Double {
      calls.record("\(name) \(city)")
      guard city != "sea" else { throw Storm(city: city) }
      return Double(city.count)
    }
    func clear(_ city: String) throws {
      calls.record("clear \(city)")
      guard city != "sea" else { throw Storm(city: city) }
    }
    func load(_ city: String) async throws -> String {
      calls.record("load \(city)")
      guard city != "sea" else { throw Storm(city: city) }
      return city.uppercased()
    }
    class var methods: MethodTable {
      MethodTable(Weather.self) {
        Method("degrees:", Weather.degrees)
        Method("clear:", Weather.clear)
        Method("load:", Weather.load)
        Method("flush:") { (_: Weather, calls: Waiting) in
          for call in calls.take() { try? call.proceed() }
        }
      }
    }
  }

  private final class Waiting: Sendable {
    private let calls = Recorder<InterceptedCall>()
    func add(_ call: InterceptedCall) { calls.record(call) }
    func take() -> [InterceptedCall] { calls.take() }
  }

  private let errors = Recorder<String>()

  private var report: @Sendable (any Error) -> Void {
    { [errors] error in
      errors.record((error as? Storm).map { "storm at \($0.city)" } ?? "\(error)")
    }
  }

  private func thrown(_ body: () throws -> Void) -> Storm? {
    do { try body() } catch { return (error as? MessageError)?.underlyingError as? Storm }
    return nil
  }

  func testTheSenderGetsTheResultOrTheErrorOfACallThatProceedsAtOnce() throws {
    let (weather, seen) = (Weather(), Recorder<Storm?>())
    for selector: Selector in ["degrees:", "clear:"] {
      let hook = try Weather.target(selector).install(
        .intercepting(onError: report) { call in
          XCTAssertNil(call.error)
          try call.proceed()
          seen.record(call.error as? Storm)
        })
      defer { hook.remove() }
      if selector == "degrees:" {
        XCTAssertEqual(try weather.send(selector, "Rome") as Double, 4)
        XCTAssertEqual(
          thrown { _ = try weather.send(selector, "sea") as Double }, Storm(city: "sea"))
      } else {
        try weather.send(selector, "Rome")
        XCTAssertEqual(thrown { try weather.send(selector, "sea") }, Storm(city: "sea"))
      }
      XCTAssertEqual(seen.take(), [nil, Storm(city: "sea")])
    }
    XCTAssertEqual(errors.entries, [])
  }

  func testAnInterceptorAnswersInPlaceOfAnError() throws {
    let weather = Weather()
    let hook = try weather.target("degrees:").install(
      .intercepting(onError: report) { call in
        try call.proceed()
        guard call.error != nil else { return }
        expectError(.noResult) { _ = try call.result(as: Double.self) }
        try call.setResult(-1.0)
        XCTAssertNil(call.error)
      })
    XCTAssertEqual(try weather.send("degrees:", "sea") as Double, -1)
    XCTAssertEqual(try weather.send("degrees:", "Rome") as Double, 4)
    XCTAssertEqual(errors.entries, [])
    hook.remove()
  }

  /// Whoever lets it run is no sender of it.
  func testTheErrorOfACallThatProceedsLaterIsReportedAndThrownToNobodyElse() throws {
    let (weather, waiting) = (Weather(), Waiting())
    let hook = try Weather.target("degrees:").install(
      .intercepting(returning: 7.5, onError: report) { waiting.add($0) })
    for city in ["sea", "Rome"] {
      XCTAssertEqual(try weather.send("degrees:", city) as Double, 7.5)
    }
    hook.remove()
    let calls = waiting.take()
    for call in calls { waiting.add(call) }
    // On the sender's thread, within another message.
    XCTAssertNoThrow(try weather.send("flush:", waiting))
    XCTAssertEqual(calls.map { $0.error as? Storm }, [Storm(city: "sea"), nil])
    XCTAssertEqual(try calls[1].result(as: Double.self), 4)
    XCTAssertEqual(errors.take(), ["storm at sea"])
  }

  func testAnotherThreadLetsItRunWhileTheSenderWaits() throws {
    let weather = Weather()
    let hook = try Weather.target("degrees:").install(
      .intercepting(returning: 7.5, onError: report) { call in
        let threads = ThreadGroup()
        threads.start { try? call.proceed() }
        threads.wait()
      })
    XCTAssertEqual(try weather.send("degrees:", "sea") as Double, 7.5)
    XCTAssertEqual(errors.take(), ["storm at sea"])
    hook.remove()
  }

  func testMessagesThatNobodyDecidesInTimeEndOrRun() throws {
    let (calls, waiting) = (Recorder<String>(), Waiting())
    let weather = Weather(calls)
    let clock = ManualClock()
    for expiry in [InterceptedCall.Decision.cancel, .proceed] {
      let hook = try Weather.target("degrees:").install(
        .intercepting(
          returning: 1.0, timeout: .seconds(3), timer: DelayTimer(clock: clock), onTimeout: expiry,
          onError: { [errors] error in
            errors.record((error as? HookError)?.code.rawValue ?? "storm")
          }
        ) { waiting.add($0) })
      XCTAssertEqual(try weather.send("degrees:", "sea") as Double, 1)
      clock.advance(by: .seconds(3))
      hook.remove()
    }
    let both = waiting.take()
    XCTAssertEqual(both.map(\.state), [.timedOut, .finished])
    XCTAssertEqual(both.map { $0.error as? Storm }, [nil, Storm(city: "sea")])
    XCTAssertEqual(calls.entries, ["weather sea"])
    XCTAssertEqual(errors.take(), ["interceptionTimedOut", "storm", "interceptionTimedOut"])
  }

  func testAnInterceptorThatThrowsLeavesTheErrorToTheMethod() throws {
    let weather = Weather()
    for decides in [false, true] {
      let hook = try Weather.target("degrees:").install(
        .intercepting(onError: report) { call in
          if decides { try call.proceed() }
          throw Storm(city: "interceptor")
        })
      XCTAssertEqual(
        thrown { _ = try weather.send("degrees:", "sea") as Double }, Storm(city: "sea"))
      XCTAssertEqual(try weather.send("degrees:", "Rome") as Double, 4)
      XCTAssertEqual(errors.take(), ["storm at interceptor", "storm at interceptor"])
      hook.remove()
    }
  }

  func testReceiverAndArgumentsAreChanged() throws {
    let calls = Recorder<String>()
    let (weather, other) = (Weather(calls), Weather(calls, name: "other"))
    let hook = try Weather.target("degrees:").install(
      .intercepting { call in
        try call.setArgument(0, other)
        try call.setArgument(2, "Helsinki")
        try call.proceed()
      })
    XCTAssertEqual(try weather.send("degrees:", "Rome") as Double, 8)
    XCTAssertEqual(calls.entries, ["other Helsinki"])
    hook.remove()
  }

  func testAnAsyncMessageIsDecidedWhenItIsSent() async throws {
    let (calls, waiting) = (Recorder<String>(), Waiting())
    let weather = Weather(calls)
    let hook = try Weather.target("load:").install(
      .intercepting(returning: AsyncAnswer { "placeholder" }, onError: report) { call in
        if try call.argument(2, as: String.self) == "later" { return waiting.add(call) }
        try call.proceed()
        XCTAssertNil(call.error)
      })
    let now: String = try await weather.send(async: "load:", "now")
    let later: String = try await weather.send(async: "load:", "later")
    XCTAssertEqual([now, later], ["NOW", "placeholder"])
    do {
      _ = try await weather.send(async: "load:", "sea") as String
      XCTFail("nothing was thrown")
    } catch { XCTAssertEqual(error.underlyingError as? Storm, Storm(city: "sea")) }
    hook.remove()
    let call = try XCTUnwrap(waiting.take().first)
    try call.proceed()
    // The method runs for whoever awaits it.
    XCTAssertEqual(calls.take(), ["load now", "load sea"])
    let answer: AsyncAnswer<String> = try call.result()
    let value = try await answer.value
    XCTAssertEqual(value, "LATER")
    XCTAssertEqual(errors.entries, [])
  }

  func testATaskDecidesAboutAMessage() async throws {
    let (calls, ends) = (Recorder<String>(), AsyncStream<Void>.makeStream())
    let weather = Weather(calls)
    let hook = try Weather.target("clear:").install(
      .interceptingInTask(onError: report) { call in
        await Task.yield()
        try call.proceed()
        ends.continuation.yield()
      })
    try weather.send("clear:", "sea")
    var iterator = ends.stream.makeAsyncIterator()
    await iterator.next()
    hook.remove()
    XCTAssertEqual(calls.entries, ["clear sea"])
    XCTAssertEqual(errors.take(), ["storm at sea"])
  }

  func testAnInterceptedMessageKeepsItsReceiverAndErrorOnlyAsLongAsItself() throws {
    let tracker = LifetimeTracker()
    final class Thrown: Error, Sendable {
      let tracked: LifetimeTracker.Tracked
      init(_ tracker: LifetimeTracker) { tracked = tracker.track() }
    }
    final class Odd: MessageReceiver {
      let tracked: LifetimeTracker.Tracked
      init(_ tracker: LifetimeTracker) { tracked = tracker.track() }
      class var methods: MethodTable {
        MethodTable(Odd.self) {
          Method("fail:") { (_: Odd, tracker: LifetimeTracker) throws in throw Thrown(tracker) }
        }
      }
    }
    let waiting = Waiting()
    let hook = try Odd.target("fail:").install(.intercepting(onError: { _ in }) { waiting.add($0) })
    try Odd(tracker).send("fail:", tracker)
    XCTAssertEqual(tracker.alive, 1)
    do {
      let call = try XCTUnwrap(waiting.take().first)
      try call.proceed()
      XCTAssertNotNil(call.error as? Thrown)
      XCTAssertEqual(tracker.alive, 2)
    }
    XCTAssertEqual(tracker.alive, 0)
    hook.remove()
  }
}
