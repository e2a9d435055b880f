import BlockHooks
import BlockRuntimeErrors
import Dispatch
import Invocations
import MessageForwarding
import XCTest

/// Swift calls of methods that ask a slot: they run the hooks of the methods' messages.
final class SwiftCallTests: XCTestCase {
  private let degrees = TypedSelector1<Station, Int, Double>("degrees:")
  private let log = CallLog()

  /// A typed hook that notes a name.
  private func hook(_ name: String, of type: Station.Type) throws -> Hook {
    let log = log
    return try type.hook(degrees) { original, _, number in
      log.note(name)
      return try original(number)
    }
  }

  func testACallASendAndARecordedMessageRunTheSameHooksOnce() throws {
    let log = log
    let hooks = [
      try Station.hook(degrees) { original, station, number in
        log.note("typed")
        return try original(number) + 0.5
      },
      try Station.target("degrees:").hook(.before) { _ in log.note("framed") },
    ]
    defer { hooks.forEach { $0.remove() } }
    let station = Station(log)
    XCTAssertEqual(station.degrees(1), 21.5)
    XCTAssertEqual(log.taken, ["framed", "typed", "Station"])
    XCTAssertEqual(try station.send(degrees, 1), 21.5)
    XCTAssertEqual(log.taken, ["framed", "typed", "Station"])
    let message = try station.record(degrees, 1)
    try message.send()
    XCTAssertEqual(try message.result(as: Double.self), 21.5)
    XCTAssertEqual(log.taken, ["framed", "typed", "Station"])
  }

  func testHooksOfClassesObjectsAndSuperclassesRunOnceInOrder() throws {
    let station = Station(log), hut = Hut(log), tower = Tower(log), light = Lighthouse(log)
    let cabin = Cabin(log)
    let log = log
    var hooks = [
      try hook("ofStation", of: Station.self), try hook("ofHut", of: Hut.self),
      try hook("ofTower", of: Tower.self), try hook("ofLighthouse", of: Lighthouse.self),
      try hook("ofCabin", of: Cabin.self),
    ]
    for object in [station, hut, tower, light, cabin] {
      hooks.append(
        try object.hook(degrees) { original, _, number in
          log.note("object")
          return try original(number)
        })
    }
    defer { hooks.forEach { $0.remove() } }
    let rows: [(Station, [String])] = [
      (station, ["object", "ofStation", "Station"]),
      (hut, ["object", "ofHut", "ofStation", "Station"]),
      (tower, ["object", "ofTower", "Tower", "ofHut", "ofStation", "Station"]),
      (
        light,
        ["object", "ofLighthouse", "ofTower", "Tower", "ofHut", "ofStation", "Station"]
      ),
    ]
    for (object, expected) in rows {
      _ = object.degrees(1)
      XCTAssertEqual(log.taken, expected)
      _ = try object.send(degrees, 1)
      XCTAssertEqual(log.taken, expected, "send")
    }
    // Its own calls ask nothing.
    _ = cabin.degrees(1)
    XCTAssertEqual(log.taken, ["Cabin", "ofStation", "Station"])
    _ = try cabin.send(degrees, 1)
    XCTAssertEqual(log.taken, ["object", "ofCabin", "Cabin", "ofStation", "Station"])
  }

  func testTheHooksOfOneObjectRunInItsCallsOnly() throws {
    let hooked = Station(log), other = Station(log)
    let hook = try hooked.hook(degrees) { original, _, number in try original(number) + 1 }
    XCTAssertEqual(hooked.degrees(1), 22)
    XCTAssertEqual(other.degrees(1), 21)
    hook.remove()
    XCTAssertEqual(hooked.degrees(1), 21)
    XCTAssertFalse(Station.isHooked)
  }

  func testCallsOnOtherObjectsRunWhatTheirClassHas() throws {
    let hooked = Station(log), other = Station(log), hut = Hut(log)
    var ending: Ending? = Ending(log)
    let log = log
    var hooks: [Hook] = []
    defer { hooks.forEach { $0.remove() } }
    for object in [hooked, ending].compactMap(\.self) {
      hooks.append(
        try object.hook(degrees) { original, _, number in
          log.note("object")
          return try original(number)
        })
    }
    func taken(_ object: Station) -> [String] {
      _ = object.degrees(1)
      return log.taken
    }
    XCTAssertEqual(taken(hooked), ["object", "Station"])
    XCTAssertEqual(taken(other), ["Station"])
    let ofStation = try hook("ofStation", of: Station.self)
    XCTAssertEqual(taken(hooked), ["object", "ofStation", "Station"])
    XCTAssertEqual(taken(other), ["ofStation", "Station"])
    XCTAssertEqual(taken(hut), ["ofStation", "Station"])
    ofStation.remove()
    let ofHut = try hook("ofHut", of: Hut.self)
    XCTAssertEqual(taken(other), ["Station"])
    XCTAssertEqual(taken(hut), ["ofHut", "Station"])
    ofHut.remove()
    let last = Station.replaceMethod(degrees) { _, number in Double(number) }
    XCTAssertEqual(other.degrees(1), 1)
    last.map { _ = Station.replaceMethod($0) }
    XCTAssertEqual(taken(hut), ["Station"])
    ending = nil
    XCTAssertEqual(log.taken, ["object", "Station"])
  }

  /// Calls a method in its deinit.
  private final class Ending: Station, @unchecked Sendable {
    override class var methods: MethodTable { MethodTable(Ending.self) }
    deinit { _ = degrees(1) }
  }

  func testCallsAskNothingAfterTheLastHook() throws {
    XCTAssertFalse(Station.isHooked)
    for type in [Station.self, Hut.self] {
      let first = try hook("first", of: type)
      let second = try hook("second", of: type)
      XCTAssertTrue(Station.isHooked)
      first.remove()
      XCTAssertTrue(Station.isHooked)
      second.remove()
      XCTAssertFalse(Station.isHooked)
    }
    // An override has its own slot.
    let ofTower = try hook("ofTower", of: Lighthouse.self)
    XCTAssertFalse(Station.isHooked)
    ofTower.remove()
    do {
      let station = Station(log)
      try station.hook(degrees) { original, _, number in try original(number) }
      XCTAssertTrue(Station.isHooked)
    }
    XCTAssertFalse(Station.isHooked)
  }

  func testConditionsPrioritiesAndDefinitionsHoldForCalls() async throws {
    let station = Station(log), log = log
    let first = try Station.hook(degrees, priority: 1, when: .every(2)) { original, _, number in
      log.note("every second call")
      return try original(number)
    }
    let after = try Station.target("degrees:").install(.after { _ in log.note("after") })
    defer {
      first.remove()
      after.remove()
    }
    _ = station.degrees(1)
    _ = station.degrees(1)
    XCTAssertEqual(
      log.taken, ["every second call", "Station", "after", "Station", "after"])
  }

  func testAHookOfATaskRunsInItsCallsOnly() throws {
    let station = Station(log), tasks = HookTasks()
    let hook = try Station.hook(degrees, when: .inTask(tasks)) { original, _, number in
      try original(number) + 1
    }
    defer { hook.remove() }
    XCTAssertEqual(station.degrees(1), 21)
    tasks.includingCurrentTask { XCTAssertEqual(station.degrees(1), 22) }
    XCTAssertEqual(station.degrees(1), 21)
  }

  func testAReplacedMethodIsCalled() throws {
    let station = Station(log)
    let last = Station.replaceMethod(degrees) { _, number in Double(number) }
    XCTAssertEqual(station.degrees(1), 1)
    XCTAssertEqual(Tower(log).degrees(1), 101)
    last.map { _ = Station.replaceMethod($0) }
    XCTAssertEqual(station.degrees(1), 21)
    XCTAssertFalse(Station.isHooked)
  }

  func testAnErrorThatACallCannotThrowIsReportedAndTheBodyAnswersOnce() throws {
    let station = Station(log), log = log
    let before = try Station.hook(degrees) { _, _, _ in throw OutOfOrder() }
    XCTAssertEqual(station.degrees(1), 21)
    XCTAssertEqual(log.taken, ["Station"])
    XCTAssertThrowsError(try station.send(degrees, 1)) {
      XCTAssertEqual(($0 as? MessageError)?.underlyingError as? OutOfOrder, OutOfOrder())
    }
    XCTAssertEqual(log.taken, [])
    before.remove()
    let after = try Station.hook(degrees) { original, _, number in
      _ = try original(number + 1)
      throw OutOfOrder()
    }
    XCTAssertEqual(station.degrees(1), 22)
    XCTAssertEqual(log.taken, ["Station"])
    after.remove()
    let reset = try Station.hook(TypedSelector0<Station, Void>("reset")) { original, _ in
      try original()
      throw OutOfOrder()
    }
    station.reset()
    XCTAssertEqual(station.resets, 1)
    reset.remove()
  }

  func testAMethodThrowsItsOwnErrorsAndThoseOfHooksOfItsType() throws {
    let station = Station(log), log = log
    let check = TypedSelector1<Station, Int, Int>("check:")
    let hook = try Station.hook(check) { original, _, number in
      if number == 7 { throw OutOfOrder() }
      if number == 8 { throw CancellationError() }
      return try original(number) + 1
    }
    defer { hook.remove() }
    XCTAssertEqual(try station.check(1), 2)
    XCTAssertEqual(log.taken, ["check"])
    XCTAssertThrowsError(try station.check(-1)) { XCTAssertEqual($0 as? OutOfOrder, OutOfOrder()) }
    XCTAssertEqual(log.taken, ["check"])
    XCTAssertThrowsError(try station.check(7)) { XCTAssertEqual($0 as? OutOfOrder, OutOfOrder()) }
    XCTAssertEqual(log.taken, [])
    XCTAssertEqual(try station.check(8), 8)
    XCTAssertEqual(log.taken, ["check"])
  }

  func testAnAsyncCallRunsTheHooks() async throws {
    let station = Station(log)
    let load = AsyncTypedSelector1<Station, String, Int>("load:")
    let hook = try Station.hook(load) { original, _, name in try await original(name + "!") * 2 }
    let answer = try await station.load("Oslo")
    XCTAssertEqual(answer, 10)
    let sent = try await station.send(load, "Oslo")
    XCTAssertEqual(sent, 10)
    hook.remove()
    let throwing = try Station.hook(load) { _, _, _ in throw OutOfOrder() }
    defer { throwing.remove() }
    do {
      _ = try await station.load("Oslo")
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertEqual(error as? OutOfOrder, OutOfOrder())
    }
  }

  func testAClassMethodIsHooked() throws {
    let units = TypedSelector0<ClassObject, String>("units")
    let hook = try Station.classObject.hook(units) { original, receiver in
      "\(receiver.name) \(try original())"
    }
    XCTAssertEqual(Station.units(), "Station C")
    XCTAssertEqual(Hut.units(), "Hut C")
    XCTAssertEqual(try Hut.classObject.send(units), "Hut C")
    hook.remove()
    XCTAssertEqual(Hut.units(), "C")
  }

  func testCallsAndChangesOnSeveralThreads() throws {
    let station = Station(log), hut = Hut(log), degrees = degrees
    DispatchQueue.concurrentPerform(iterations: 5) { index in
      for _ in 0..<200 {
        switch index {
        case 0:
          let hook = try? Station.hook(degrees) { original, _, number in try original(number) }
          hook?.remove()
        case 1:
          let hook = try? hut.hook(degrees) { original, _, number in try original(number) }
          hook?.remove()
        case 2:
          let hook = try? Station.target("degrees:").hook(.instead, onError: { _ in }) {
            try $0.proceed()
          }
          hook?.remove()
        default:
          XCTAssertEqual(station.degrees(1), 21)
          XCTAssertEqual(hut.degrees(1), 21)
        }
      }
    }
    XCTAssertFalse(Station.isHooked)
  }
}
