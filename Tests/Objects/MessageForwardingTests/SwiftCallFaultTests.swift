import BlockHooks
import Invocations
import MessageForwarding
import XCTest

/// Swift calls whose hooks fail, or change while they run.
final class SwiftCallFaultTests: XCTestCase {
  private let degrees = TypedSelector1<Station, Int, Double>("degrees:")
  private let log = CallLog()

  /// A typed hook that notes a name.
  private func hook(_ name: String, of type: any MessageReceiver.Type) throws -> Hook {
    let log = log
    return try type.target("degrees:").hook(.before) { _ in log.note(name) }
  }

  func testABodyRunsOnceIfTheHookRemovesItselfBeforeItAndThrowsAfterwards() throws {
    let station = Station(log), removed = HookBox()
    removed.hook = try Station.hook(degrees) { original, _, number in
      removed.hook?.remove()
      _ = try original(number + 1)
      throw CancellationError()
    }
    XCTAssertEqual(station.degrees(1), 22)
    XCTAssertEqual(log.taken, ["Station"])
    XCTAssertEqual(station.degrees(1), 21)
  }

  func testABodyRunsOnceIfAHookThrowsAnErrorInPlaceOfItsOwn() throws {
    let station = Station(log)
    let hook = try Station.hook(TypedSelector1<Station, Int, Int>("check:")) {
      original, _, number in
      do { return try original(number) } catch { throw CancellationError() }
    }
    defer { hook.remove() }
    XCTAssertThrowsError(try station.check(-1)) { XCTAssertEqual($0 as? OutOfOrder, OutOfOrder()) }
    XCTAssertEqual(log.taken, ["check"])
  }

  func testAnAsyncBodyRunsOnceIfItsHookThrowsAfterwards() async throws {
    let station = Station(log)
    let hook = try Station.hook(AsyncTypedSelector1<Station, Int, Int>("count:")) {
      original, _, number in
      _ = try await original(number + 1)
      throw CancellationError()
    }
    defer { hook.remove() }
    let answer = await station.count(1)
    XCTAssertEqual(answer, 2)
    XCTAssertEqual(log.taken, ["count"])
  }

  func testAHookOfOneCallRunsInThatCall() throws {
    let station = Station(log)
    let log = log
    let hook = try Station.hook(degrees, when: .nth(2)) { original, _, number in
      log.note("nth")
      return try original(number)
    }
    for _ in 0..<3 { _ = station.degrees(1) }
    XCTAssertEqual(log.taken, ["Station", "nth", "Station", "Station"])
    hook.remove()
    XCTAssertFalse(Station.isHooked)
  }

  func testCallsRunTheBodyWhileAHookIsSuspended() throws {
    let station = Station(log), log = log
    let hook = try hook("hook", of: Station.self)
    hook.suspend()
    XCTAssertFalse(Station.isHooked)
    XCTAssertEqual(station.degrees(1), 21)
    XCTAssertEqual(log.taken, ["Station"])
    try hook.resume()
    XCTAssertEqual(station.degrees(1), 21)
    XCTAssertEqual(log.taken, ["hook", "Station"])
    hook.remove()
  }

  func testExchangedMethodsRunEachOthersBodies() throws {
    let station = Station(log)
    Station.addMethod(Method("half:") { (_: Station, number: Int) in Double(number) / 2 })
    try Station.exchangeMethods("degrees:", "half:")
    XCTAssertEqual(station.degrees(1), 0.5)
    XCTAssertEqual(try station.send("half:", 1), 21.0)
    XCTAssertEqual(try station.send(degrees, 1), 0.5)
    try Station.exchangeMethods("degrees:", "half:")
    XCTAssertEqual(station.degrees(1), 21)
    XCTAssertFalse(Station.isHooked)
  }

  func testASubclassThatIsNoMessageClassOverrides() throws {
    let object = Plain(log), mixed = Mixed(log), log = log
    var hooks = [try hook("class", of: Station.self)]
    for object in [object, mixed] {
      hooks.append(try object.target("degrees:").hook(.before) { _ in log.note("object") })
    }
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(object.degrees(1), 31)
    XCTAssertEqual(log.taken, ["Plain", "object", "class", "Station"])
    XCTAssertEqual(mixed.degrees(1), 131)
    XCTAssertEqual(log.taken, ["object", "Mixed", "Plain", "class", "Station"])
  }

  func testHooksOfNewTablesAreFoundByTheFirstCall() throws {
    let ofFresh = try hook("fresh", of: Fresh.self)
    XCTAssertEqual(Fresh(log).degrees(1), 21)
    XCTAssertEqual(log.taken, ["fresh", "Station"])
    ofFresh.remove()
    let ofStation = try hook("class", of: Station.self)
    defer { ofStation.remove() }
    XCTAssertEqual(Fresher(log).degrees(1), 21)
    XCTAssertEqual(log.taken, ["class", "Station"])
  }

  func testAnArgumentThatIsATupleBehindATypealiasIsRefusedAsATuple() {
    XCTAssertThrowsError(try Paired.target("sum:").hook(.before) { _ in }) {
      XCTAssertEqual(
        "\($0)", "invalidMethod: `sum:`: (Int, Int) cannot be one argument; declare a struct")
    }
    XCTAssertEqual(Paired().sum((1, 2)), 3)
  }
}

/// A method whose argument a macro does not see to be a tuple.
private final class Paired: MessageReceiver {
  typealias Pair = (Int, Int)
  static let calls = CalledBody<Pair, Int, Never>("sum:") { Paired.sent }
  func sum(_ pair: Pair) -> Int {
    if Paired.calls.isHooked { return CalledBody.call(pair, Paired.calls, self) }
    return pair.0 + pair.1
  }
  private static func sent(_ object: Paired, _ pair: Pair, _ keeps: Bool) -> Int {
    Paired.calls.keeping(object, if: keeps) { object.sum(pair) }
  }
  class var methods: MethodTable {
    MethodTable(Paired.self, bodies: { unsafe Paired.calls.list(in: &$0) })
  }
}

/// A hook that its own handler removes.
private final class HookBox: @unchecked Sendable { var hook: Hook? }

private final class Fresh: Station, @unchecked Sendable {}
private final class Fresher: Station, @unchecked Sendable {}
private class Plain: Station, @unchecked Sendable {
  override func degrees(_ number: Int) -> Double {
    log.note("Plain"); return super.degrees(number) + 10
  }
}
private final class Mixed: Plain, @unchecked Sendable {
  static let calls = CallSlot()
  override func degrees(_ number: Int) -> Double {
    if Mixed.calls.isHooked { return Mixed.calls.call(self, number) { bodyOfDegrees(number) } }
    return bodyOfDegrees(number)
  }
  private func bodyOfDegrees(_ number: Int) -> Double {
    log.note("Mixed"); return super.degrees(number) + 100
  }
  override class var methods: MethodTable {
    MethodTable(Mixed.self) {
      Method("degrees:") { (self: Mixed, number: Int) -> Double in
        Mixed.calls.keeping(self) { self.bodyOfDegrees(number) }
      }.called { Mixed.calls.set($0) }
    }
  }
}
