import ObjectLifetimes
import TestSupport
import XCTest

private protocol PageListener: AnyObject {
  func page(didLoad count: Int) throws
}

private protocol PlainListener {
  var name: String { get }
}

/// Weak listeners of plain protocols.
final class WeakListenersTests: XCTestCase {
  private struct Refusal: Error {}

  private final class Log: PageListener, PlainListener, @unchecked Sendable {
    let name: String
    private let told: Recorder<String>
    var body: () throws -> Void = {}

    init(_ name: String, _ told: Recorder<String> = Recorder()) {
      (self.name, self.told) = (name, told)
    }

    func page(didLoad count: Int) throws {
      told.record("\(name) \(count)")
      try body()
    }
  }

  func testListenersAreToldByPriorityAndThenInTheOrderOfAdding() {
    let told = Recorder<String>()
    let logs = ["a", "b", "c", "d"].map { Log($0, told) }
    defer { withExtendedLifetime(logs) {} }
    let listeners = WeakListeners<any PageListener>()
    for (log, priority) in zip(logs, [0, 1, 0, 1]) {
      XCTAssertTrue(listeners.add(log, priority: priority))
      XCTAssertFalse(listeners.add(log, priority: 7))
    }
    listeners.forEach { try $0.page(didLoad: 3) }
    XCTAssertEqual(told.take(), ["b 3", "d 3", "a 3", "c 3"])
    XCTAssertTrue(listeners.remove(logs[3]))
    XCTAssertFalse(listeners.remove(logs[3]))
    XCTAssertFalse(listeners.contains(logs[3]))
    XCTAssertTrue(listeners.contains(logs[0]))
    XCTAssertEqual(listeners.listeners.compactMap { ($0 as? Log)?.name }, ["b", "a", "c"])
    listeners.removeAll()
    listeners.forEach { try $0.page(didLoad: 4) }
    XCTAssertEqual(told.take(), [])
  }

  func testListenersMayDieLeaveAndJoinWhileTheyAreTold() {
    let told = Recorder<String>()
    let (first, leaving, joining) = (Log("first", told), Log("leaving", told), Log("joining", told))
    defer { withExtendedLifetime((first, leaving, joining)) {} }
    var dying: Log? = Log("dying", told)
    let listeners = WeakListeners<any PageListener>()
    for log in [first, leaving] { listeners.add(log) }
    dying.map { _ = listeners.add($0) }
    first.body = {
      dying = nil
      listeners.remove(leaving)
      listeners.add(joining)
    }
    listeners.forEach { try $0.page(didLoad: 1) }
    XCTAssertEqual(told.take(), ["first 1"])
    first.body = {}
    listeners.forEach { try $0.page(didLoad: 2) }
    XCTAssertEqual(told.take(), ["first 2", "joining 2"])
    XCTAssertEqual(listeners.listeners.count, 2)
  }

  func testAListenerThatDiesWhileItIsToldLivesUntilItReturns() {
    let told = Recorder<String>()
    var log: Log? = Log("log", told)
    let listeners = WeakListeners<any PageListener>()
    log.map { _ = listeners.add($0) }
    log?.body = { log = nil }
    listeners.forEach { listener in
      try listener.page(didLoad: 1)
      try listener.page(didLoad: 2)
    }
    XCTAssertEqual(told.take(), ["log 1", "log 2"])
    XCTAssertTrue(listeners.listeners.isEmpty)
  }

  func testTheErrorOfOneDoesNotStopTheOthers() {
    let (told, errors) = (Recorder<String>(), Recorder<String>())
    let logs = ["a", "b"].map { Log($0, told) }
    defer { withExtendedLifetime(logs) {} }
    let listeners = WeakListeners<any PageListener> { listener, error in
      errors.record("\((listener as? Log)?.name ?? "?"): \(error)")
    }
    for log in logs { listeners.add(log) }
    logs[0].body = { throw Refusal() }
    listeners.forEach { try $0.page(didLoad: 1) }
    XCTAssertEqual(told.take(), ["a 1", "b 1"])
    XCTAssertEqual(errors.take(), ["a: Refusal()"])
    XCTAssertTrue(
      listeners.allAgree { listener in
        try listener.page(didLoad: 2)
        return true
      })
    XCTAssertEqual(errors.take(), ["a: Refusal()"])
  }

  func testAllAreAskedWhetherTheyAgreeAndTheFirstAnswerIsTaken() {
    let logs = ["a", "b", "c"].map { Log($0) }
    defer { withExtendedLifetime(logs) {} }
    let listeners = WeakListeners<any PlainListener>()
    XCTAssertTrue(listeners.allAgree { _ in false })
    for log in logs { listeners.add(log) }
    var asked: [String] = []
    XCTAssertFalse(
      listeners.allAgree { listener in
        asked.append(listener.name)
        return listener.name != "b"
      })
    XCTAssertEqual(asked, ["a", "b", "c"])
    asked = []
    let answer = listeners.first { listener -> Int? in
      asked.append(listener.name)
      return listener.name == "b" ? 7 : nil
    }
    XCTAssertEqual(answer, 7)
    XCTAssertEqual(asked, ["a", "b"])
    XCTAssertNil(listeners.first { _ -> Int? in nil })
  }

  func testOnlyAnObjectIsAListener() {
    struct Value: PlainListener { let name = "value" }
    let listeners = WeakListeners<any PlainListener>()
    XCTAssertFalse(listeners.add(Value()))
    XCTAssertTrue(listeners.listeners.isEmpty)
    let any = WeakListeners<Any>()
    XCTAssertFalse(any.add(7))
    XCTAssertFalse(any.add(Log.self))
    let log = Log("log")
    defer { withExtendedLifetime(log) {} }
    XCTAssertTrue(any.add(log))
    XCTAssertTrue(any.listeners.first as? Log === log)
    let concrete = WeakListeners<Log>()
    concrete.add(log)
    XCTAssertTrue(concrete.listeners.first === log)
  }

  func testListenersOfSeveralThreadsJoinLeaveAndDieWhileOthersTell() {
    let listeners = WeakListeners<Log>()
    let told = Recorder<String>()
    let lasting = Log("lasting", told)
    defer { withExtendedLifetime(lasting) {} }
    listeners.add(lasting)
    let group = ThreadGroup()
    for number in 0..<4 {
      group.start {
        for round in 0..<200 {
          let log = Log("\(number)")
          listeners.add(log, priority: round % 3)
          listeners.forEach { _ = $0.name }
          if round.isMultiple(of: 2) { listeners.remove(log) }
        }
      }
    }
    group.wait()
    XCTAssertEqual(listeners.listeners.map(\.name), ["lasting"])
  }

  func testTheListRetainsNoListener() {
    let tracker = LifetimeTracker()
    let listeners = WeakListeners<AnyObject>()
    do {
      let objects = (0..<3).map { _ in tracker.track() }
      for object in objects { listeners.add(object) }
      withExtendedLifetime(objects) { XCTAssertEqual(listeners.listeners.count, 3) }
    }
    tracker.expectNothingAlive()
    XCTAssertTrue(listeners.listeners.isEmpty)
  }
}
