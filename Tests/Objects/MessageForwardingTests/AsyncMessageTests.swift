import BlockHooks
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// Messages to async methods: sent, hooked, recorded, forwarded, to several targets, cancelled.
final class AsyncMessageTests: XCTestCase {
  private struct Storm: Error, Equatable {}

  private final class Weather: MessageReceiver, Sendable {
    let calls = Recorder<String>()
    let name: String
    init(_ name: String = "weather") { self.name = name }

    func degrees(_ city: String) async throws -> Double {
      calls.record("\(name) \(city)")
      await Task.yield()
      if city.isEmpty { throw Storm() }
      return Double(city.count)
    }
    func plain(_ city: String) -> Double { Double(city.count * 100) }
    func refresh() async {
      await Task.yield()
      calls.record("\(name) refreshed")
    }
    func wait() async throws {
      calls.record("\(name) waits")
      try await Task.sleep(for: .seconds(1000))
    }
    func isFair() async -> Bool {
      calls.record("\(name) asked")
      return name.count < 8
    }
    class var methods: MethodTable {
      MethodTable(Weather.self) {
        Method("degrees:", Weather.degrees)
        Method("plain:", Weather.plain)
        Method("refresh", Weather.refresh)
        Method("wait", Weather.wait)
        Method("isFair", Weather.isFair)
      }
    }
  }

  private actor Counter: MessageReceiver {
    private var count = 0
    func add(_ number: Int) -> Int {
      count += number
      return count
    }
    nonisolated func name() -> String { "counter" }
    static var methods: MethodTable {
      MethodTable(Counter.self) {
        Method("add:") { (counter: Counter, number: Int) async in await counter.add(number) }
        Method("addTwice:") { (counter: isolated Counter, number: Int) in
          counter.count += number
          return counter.add(number)
        }
        Method("addLater:") { (counter: isolated Counter, number: Int) async throws in
          if number < 0 { throw Storm() }
          await Task.yield()
          counter.assertIsolated()
          return counter.add(number)
        }
        Method("reset") { (counter: isolated Counter) in counter.count = 0 }
        Method("name", Counter.name)
      }
    }
  }

  @MainActor private final class Page: MessageReceiver {
    private var title = "page"
    func load(_ more: String) async -> String {
      await Task.yield()
      title += more
      return title
    }
    nonisolated class var methods: MethodTable {
      MethodTable(Page.self) { Method("load:", Page.load) }
    }
  }

  // MARK: Sending

  func testAnAsyncMessageIsAnsweredWhenItsMethodEnds() async throws {
    let weather = Weather()
    let degrees: Double = try await weather.send(async: "degrees:", "Rome")
    XCTAssertEqual(degrees, 4)
    try await weather.send(async: "refresh", returning: Void.self)
    XCTAssertEqual(weather.calls.entries, ["weather Rome", "weather refreshed"])
  }

  func testAMethodThatIsNotAsyncAnswersAtOnce() async throws {
    let degrees: Double = try await Weather().send(async: "plain:", "Rome")
    XCTAssertEqual(degrees, 400)
  }

  func testWhatTheMethodThrowsTheSenderGets() async throws {
    do {
      _ = try await Weather().send(async: "degrees:", "", returning: Double.self)
      XCTFail("it throws")
    } catch {
      XCTAssertEqual(error.code, .thrown)
      XCTAssertEqual(error.selector, "degrees:")
      XCTAssertTrue(error.underlyingError is Storm)
    }
    for (selector, code) in [
      ("unknown", ErrorCode.unrecognizedSelector), ("refresh", .typeMismatch),
    ] {
      do {
        _ = try await Weather().send(async: Selector(selector), returning: Int.self)
        XCTFail(selector)
      } catch { XCTAssertEqual(error.code, code, "\(error)") }
    }
  }

  func testTheMethodIsCancelledWithItsTask() async throws {
    let weather = Weather()
    let task = Task { try await weather.send(async: "wait", returning: Void.self) }
    while weather.calls.entries.isEmpty { await Task.yield() }
    task.cancel()
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { error in
      XCTAssertTrue((error as? MessageError)?.underlyingError is CancellationError, "\(error)")
    }
  }

  func testMethodsOfActorsAndOfTheMainActorAreMessages() async throws {
    let counter = Counter()
    let first: Int = try await counter.send(async: "add:", 2)
    let second: Int = try await counter.send(async: "add:", 3)
    XCTAssertEqual([first, second], [2, 5])
    let third: Int = try await counter.send(async: "addTwice:", 1)
    let fourth: Int = try await counter.send(async: "addLater:", 1)
    XCTAssertEqual([third, fourth], [7, 8])
    XCTAssertEqual(try counter.send("name"), "counter")
    do {
      _ = try await counter.send(async: "addLater:", -1, returning: Int.self)
      XCTFail("it throws")
    } catch { XCTAssertTrue(error.underlyingError is Storm, "\(error)") }
    try await counter.send(async: "reset", returning: Void.self)
    let hook = try Counter.hook(AsyncTypedSelector1<Counter, Int, Int>("addTwice:")) {
      original, counter, number in
      let sum = try await original(number + 1)
      return try await original(sum)
    }
    let hooked: Int = try await counter.send(async: "addTwice:", 1)
    XCTAssertEqual(hooked, 12)
    hook.remove()
    let page = Page()
    let title: String = try await page.send(async: "load:", "!")
    XCTAssertEqual(title, "page!")
  }

  func testAMessageWhoseAnswerIsIgnoredRunsItsMethodInATaskOfItsOwn() async throws {
    let weather = Weather()
    let hook = try Weather.target("refresh").hook(.before) { _ in }
    let senders: [() throws -> Void] = [
      { try weather.send("refresh") },
      {
        hook.remove()
        try weather.send("refresh")
      },
      { try self.proxy([weather]).send("refresh") },
    ]
    for (count, send) in senders.enumerated() {
      try send()
      while weather.calls.entries.count <= count { await Task.yield() }
    }
    XCTAssertEqual(weather.calls.entries, Array(repeating: "weather refreshed", count: 3))
    // One that is asked for runs only if it is awaited.
    let other = Weather()
    _ = try other.send("degrees:", "Rome", returning: AsyncAnswer<Double>.self)
    let awaited: AsyncAnswer<Double> = try other.send("degrees:", "Pisa!")
    let degrees = try await awaited.value
    XCTAssertEqual(degrees, 5)
    XCTAssertEqual(other.calls.entries, ["weather Pisa!"])
  }

  // MARK: Hooks

  func testATypedHookAwaitsTheOriginal() async throws {
    class Local: MessageReceiver, @unchecked Sendable {
      func degrees(_ city: String) async throws -> Double {
        if city.isEmpty { throw Storm() }
        return Double(city.count)
      }
      class var methods: MethodTable {
        MethodTable(Local.self) { Method("degrees:", Local.degrees) }
      }
    }
    let hook = try Local.hook(AsyncTypedSelector1("degrees:", Local.degrees)) { original, _, city in
      do { return try await original(city + "!") * 10 } catch is Storm { return -1 }
    }
    let outer = try Local.hook(AsyncTypedSelector1("degrees:", Local.degrees)) {
      original, _, city in
      city == "none" ? 0 : try await original(city) + 1
    }
    let local = Local()
    var found: [Double] = []
    for city in ["Rome", "", "none"] {
      found.append(try await local.send(async: "degrees:", city))
    }
    XCTAssertEqual(found, [51, 11, 0])
    hook.remove()
    outer.remove()
    let plain: Double = try await local.send(async: "degrees:", "Rome")
    XCTAssertEqual(plain, 4)
  }

  func testAFramedHookSeesTheMessageAndMayReplaceTheAnswer() async throws {
    final class Local: MessageReceiver, Sendable {
      func degrees(_ city: String) async -> Double { Double(city.count) }
      class var methods: MethodTable {
        MethodTable(Local.self) { Method("degrees:", Local.degrees) }
      }
    }
    let cities = Recorder<String>()
    let before = try Local.target("degrees:").hook(.before) { call in
      cities.record(try call.argument(2, as: String.self))
    }
    let local = Local()
    let plain: Double = try await local.send(async: "degrees:", "Rome")
    let instead = try Local.target("degrees:").hook { call in
      try call.setResult(AsyncAnswer<Double> { 7 })
    }
    let replaced: Double = try await local.send(async: "degrees:", "Pisa")
    XCTAssertEqual([plain, replaced], [4, 7])
    XCTAssertEqual(cities.entries.first, "Rome")
    before.remove()
    instead.remove()
  }

  // MARK: Invocations, delegates, proxies

  func testARecordedMessageIsSentAndAwaited() async throws {
    let weather = Weather()
    let invocation = try weather.record {
      _ = try $0.send("degrees:", "Rome", returning: AsyncAnswer<Double>.self)
    }
    XCTAssertEqual(weather.calls.entries, [])
    for _ in 0..<2 {
      let degrees: Double = try await invocation.sendAsync()
      XCTAssertEqual(degrees, 4)
    }
    XCTAssertEqual(weather.calls.entries, ["weather Rome", "weather Rome"])
  }

  func testADelegateOfAsyncClosuresAnswers() async throws {
    let described = try MessageProtocol(
      "Weather",
      [.required("degrees:", taking: String.self, returning: AsyncAnswer<Double>.self)])
    let delegate = DynamicDelegate(described)
    try delegate.implement("degrees:") { (city: String) async in
      await Task.yield()
      return Double(city.count)
    }
    let degrees: Double = try await delegate.send(async: "degrees:", "Rome")
    XCTAssertEqual(degrees, 4)
    XCTAssertThrowsError(try delegate.implement("degrees:") { (_: String) in 4.0 }) { error in
      XCTAssertEqual((error as? MessageError)?.code, .typeMismatch)
    }
  }

  func testAWeakProxyPassesAsyncMessagesOn() async throws {
    let weather = Weather()
    let proxy = WeakProxy(weather)
    let degrees: Double = try await proxy.send(async: "degrees:", "Rome")
    XCTAssertEqual(degrees, 4)
    withExtendedLifetime(weather) {}
  }

  private let errors = Recorder<String>()

  private func proxy(_ targets: [any MessageReceiver]) -> MultiTargetProxy {
    MultiTargetProxy(weak: targets) { [errors] _, selector, error in
      errors.record("\(selector) \(error.code.rawValue)")
    }
  }

  func testAPolicyCombinesTheAnswersOfSeveralTargets() async throws {
    let targets = [Weather("a"), Weather("b"), Weather("overcast")]
    let all = proxy(targets)
    /// The answer, and the names of the targets whose method ran, in order.
    func answer<Outcome: Sendable>(
      _ selector: Selector, _ policy: ResultPolicy?, _: Outcome.Type = Outcome.self
    ) async throws -> (Outcome, [String]) {
      all.setPolicy(policy, for: selector)
      let before = targets.map(\.calls.entries.count)
      let outcome: Outcome =
        selector == "degrees:"
        ? try await all.send(async: selector, "Rome") : try await all.send(async: selector)
      let names = zip(targets, before).filter { $0.calls.entries.count > $1 }.map(\.0.name)
      return (outcome, names)
    }
    let every = ["a", "b", "overcast"]
    for concurrently in [false, true] {
      func policy(_ policy: ResultPolicy) -> ResultPolicy {
        concurrently ? policy.concurrently : policy
      }
      let (sum, summed) = try await answer(
        "degrees:", policy(.reduce { (one: Double, other: Double) in one + other }), Double.self)
      XCTAssertEqual(sum, 12)
      XCTAssertEqual(summed, every)
      let (areFair, asked) = try await answer("isFair", policy(.allOf), Bool.self)
      XCTAssertFalse(areFair)
      XCTAssertEqual(asked, every)
      let (isFair, _) = try await answer("isFair", policy(.any), Bool.self)
      XCTAssertTrue(isFair)
      let (first, alone) = try await answer("isFair", policy(.first), Bool.self)
      XCTAssertTrue(first)
      XCTAssertEqual(alone, ["a"])
      let (last, _) = try await answer("isFair", policy(.last), Bool.self)
      XCTAssertFalse(last)
      let (_, refreshed) = try await answer("refresh", policy(.automatic), Void.self)
      XCTAssertEqual(refreshed, every)
    }
    let (_, automatic) = try await answer("degrees:", nil, Double.self)
    XCTAssertEqual(automatic, ["a"])
    withExtendedLifetime(targets) {}
    XCTAssertEqual(errors.entries, [])
  }

  func testOneAfterTheOtherUnlessThePolicySaysAtOnce() async throws {
    /// Waits until so many calls have begun.
    final class Gate: MessageReceiver, Sendable {
      static let begun = Atomic(0)
      let needed: Int
      init(_ needed: Int) { self.needed = needed }
      func pass() async {
        Gate.begun.add(1, ordering: .relaxed)
        while Gate.begun.load(ordering: .relaxed) < needed { await Task.yield() }
      }
      class var methods: MethodTable { MethodTable(Gate.self) { Method("pass", Gate.pass) } }
    }
    let gates = [Gate(1), Gate(2), Gate(3)]
    // One after the other, each passes when its turn comes.
    try await proxy(gates).send(async: "pass", returning: Void.self)
    XCTAssertEqual(Gate.begun.load(ordering: .relaxed), 3)
    // At once, all may wait for all.
    Gate.begun.store(0, ordering: .relaxed)
    let mutual = [Gate(3), Gate(3), Gate(3)]
    let all = proxy(mutual)
    all.setPolicy(.all.concurrently, for: "pass")
    try await all.send(async: "pass", returning: Void.self)
    XCTAssertEqual(Gate.begun.load(ordering: .relaxed), 3)
    // Targets are weak.
    withExtendedLifetime((gates, mutual)) {}
  }

  func testAnswersOfAnotherTypeAreNoTargetsAnswer() async throws {
    final class Names: MessageReceiver, Sendable {
      func degrees(_ city: String) async -> String { city }
      class var methods: MethodTable {
        MethodTable(Names.self) { Method("degrees:", Names.degrees) }
      }
    }
    let targets: [any MessageReceiver] = [Weather("a"), Names(), Weather("b")]
    let all = proxy(targets)
    for policy in [ResultPolicy.last, .last.concurrently] {
      all.setPolicy(policy, for: "degrees:")
      let invocation = try all.record {
        _ = try $0.send("degrees:", "Rome", returning: AsyncAnswer<Double>.self)
      }
      let degrees: Double = try await invocation.sendAsync()
      XCTAssertEqual(degrees, 4)
    }
    XCTAssertEqual(errors.entries, [])
    withExtendedLifetime(targets) {}
  }

  func testATargetThatThrowsHasNoAnswer() async throws {
    final class Broken: MessageReceiver, Sendable {
      func degrees(_ city: String) async throws -> Double { throw Storm() }
      class var methods: MethodTable {
        MethodTable(Broken.self) { Method("degrees:", Broken.degrees) }
      }
    }
    let (broken, weather) = (Broken(), Weather())
    for policy in [ResultPolicy.all, .all.concurrently] {
      let all = proxy([broken, weather])
      all.setPolicy(policy, for: "degrees:")
      let degrees: Double = try await all.send(async: "degrees:", "Rome")
      XCTAssertEqual(degrees, 4)
    }
    XCTAssertEqual(errors.entries, ["degrees: thrown", "degrees: thrown"])
    do {
      _ = try await proxy([broken]).send(async: "degrees:", "Rome", returning: Double.self)
      XCTFail("it throws")
    } catch { XCTAssertTrue(error.underlyingError is Storm, "\(error)") }
    let lenient = MultiTargetProxy(ignoresUnrecognized: true)
    let zero: Double = try await lenient.send(async: "degrees:", "Rome")
    XCTAssertEqual(zero, 0)
    withExtendedLifetime((broken, weather)) {}
  }

  func testNothingIsKeptWhenTheAnswerIsThere() async throws {
    final class Local: MessageReceiver, Sendable {
      let life: LifetimeTracker.Tracked
      init(_ life: LifetimeTracker.Tracked) { self.life = life }
      func answer(_ value: LifetimeTracker.Tracked) async -> Int { 1 }
      class var methods: MethodTable {
        MethodTable(Local.self) { Method("answer:", Local.answer) }
      }
    }
    let lives = LifetimeTracker()
    for _ in 0..<10 {
      let local = Local(lives.track())
      let one: Int = try await local.send(async: "answer:", lives.track())
      let two: Int = try await proxy([local]).send(async: "answer:", lives.track())
      XCTAssertEqual([one, two], [1, 1])
      withExtendedLifetime(local) {}
      _ = try local.send("answer:", lives.track(), returning: AsyncAnswer<Int>.self)
    }
    lives.expectNothingAlive()
  }

  func testAnAnswerThatHoldsAsyncAnswersIsNotAwaited() async throws {
    final class Many: MessageReceiver, Sendable {
      func many() -> [AsyncAnswer<Int>] { [AsyncAnswer { 1 }, AsyncAnswer { 2 }] }
      func maybe() -> AsyncAnswer<Int>? { AsyncAnswer { 3 } }
      class var methods: MethodTable {
        MethodTable(Many.self) {
          Method("many", Many.many)
          Method("maybe", Many.maybe)
        }
      }
    }
    let many: [AsyncAnswer<Int>] = try await Many().send(async: "many")
    let maybe: AsyncAnswer<Int>? = try await Many().send(async: "maybe")
    var values: [Int] = []
    for answer in many + [maybe].compactMap({ $0 }) { values.append(try await answer.value) }
    XCTAssertEqual(values, [1, 2, 3])
  }
}
