import Invocations
import MessageForwarding
import Synchronization

/// What methods and hooks note, in order.
final class CallLog: Sendable {
  private let notes = Mutex<[String]>([])

  func note(_ text: String) { notes.withLock { $0.append(text) } }

  /// The notes since the last question.
  var taken: [String] {
    notes.withLock { notes in
      defer { notes = [] }
      return notes
    }
  }
}

/// An error of a method.
struct OutOfOrder: Error, Equatable {}

/// A class whose Swift calls are messages, written by hand as the attribute `@Messages(.calls)`
/// writes it.
class Station: MessageReceiver, @unchecked Sendable {
  enum Calls {
    static let degrees = CalledBody<Int, Double, Never>("degrees:") { Station.sentDegrees }
    static let check = CalledBody<Int, Int, OutOfOrder>("check:") { Station.sentCheck }
    static let reset = CallSlot()
    static let load = CallSlot()
    static let units = CallSlot()
    static let count = CallSlot()
  }
  let log: CallLog
  var resets = 0

  required init(_ log: CallLog = CallLog()) { self.log = log }

  func degrees(_ number: Int) -> Double {
    if Calls.degrees.isHooked { return CalledBody.call(number, Calls.degrees, self) }
    return bodyOfDegrees(number)
  }
  private static func sentDegrees(_ station: Station, _ number: Int, _ keeps: Bool) -> Double {
    let answer = station.bodyOfDegrees(number)
    Calls.degrees.keep(answer, of: station, if: keeps)
    return answer
  }
  private func bodyOfDegrees(_ number: Int) -> Double {
    log.note("Station")
    return 20 + Double(number)
  }

  func check(_ number: Int) throws(OutOfOrder) -> Int {
    if Calls.check.isHooked { return try CalledBody.callThrowing(number, Calls.check, self) }
    return try bodyOfCheck(number)
  }
  private static func sentCheck(
    _ station: Station, _ number: Int, _ keeps: Bool
  ) throws(OutOfOrder) -> Int {
    try Calls.check.keeping(station, if: keeps) { () throws(OutOfOrder) in
      try station.bodyOfCheck(number)
    }
  }
  private func bodyOfCheck(_ number: Int) throws(OutOfOrder) -> Int {
    log.note("check")
    if number < 0 { throw OutOfOrder() }
    return number
  }

  func reset() {
    if Calls.reset.isHooked { return hookedReset() }
    bodyOfReset()
  }
  @inline(never)
  private func hookedReset() { Calls.reset.call(self, ()) { bodyOfReset() } }
  private func bodyOfReset() { resets += 1 }

  func load(_ name: String) async throws -> Int {
    if Calls.load.isHooked { return try await hookedLoad(name) }
    return try await bodyOfLoad(name)
  }
  @inline(never)
  private func hookedLoad(_ name: String) async throws -> Int {
    try await Calls.load.call(self, name) { () async throws in try await bodyOfLoad(name) }
  }
  private func bodyOfLoad(_ name: String) async throws -> Int {
    if name.isEmpty { throw OutOfOrder() }
    return name.utf8.count
  }

  func count(_ number: Int) async -> Int {
    if Calls.count.isHooked { return await hookedCount(number) }
    return await bodyOfCount(number)
  }
  @inline(never)
  private func hookedCount(_ number: Int) async -> Int {
    await Calls.count.call(self, number) { () async in await bodyOfCount(number) }
  }
  private func bodyOfCount(_ number: Int) async -> Int {
    log.note("count")
    return number
  }

  class func units() -> String {
    if Calls.units.isHooked { return hookedUnits() }
    return bodyOfUnits()
  }
  @inline(never)
  private static func hookedUnits() -> String {
    Calls.units.call(classObject, ()) { bodyOfUnits() }
  }
  private static func bodyOfUnits() -> String { "C" }

  class var methods: MethodTable {
    MethodTable(
      Station.self,
      bodies: { bodies in
        unsafe Calls.degrees.list(in: &bodies)
        unsafe Calls.check.list(in: &bodies)
      }
    ) {
      Method("reset") { (self: Station) -> Void in
        Calls.reset.keeping(self) { self.bodyOfReset() }
      }.called { Calls.reset.set($0) }
      Method("load:") { (self: Station, name: String) async throws -> Int in
        try await self.bodyOfLoad(name)
      }.called { Calls.load.set($0) }
      Method("count:") { (self: Station, number: Int) async -> Int in
        await Calls.count.keeping(self) { () async in await self.bodyOfCount(number) }
      }.called { Calls.count.set($0) }
      Method("units") { (self: ClassObject) -> String in
        let type = (self.swiftClass as? Station.Type) ?? Station.self
        return Calls.units.keeping(self) { type.bodyOfUnits() }
      }.ofClass().called { Calls.units.set($0) }
    }
  }

  /// Whether calls of a method ask more than its body.
  static var isHooked: Bool { Calls.degrees.isHooked }
}

/// It inherits all methods, and has no table.
class Hut: Station, @unchecked Sendable {}

/// It overrides a method, and calls the inherited one.
class Tower: Hut, @unchecked Sendable {
  enum TowerCalls {
    static let degrees = CalledBody<Int, Double, Never>("degrees:") { Tower.sentDegrees }
  }

  override func degrees(_ number: Int) -> Double {
    if TowerCalls.degrees.isHooked { return CalledBody.call(number, TowerCalls.degrees, self) }
    return bodyOfDegrees(number)
  }
  private static func sentDegrees(_ tower: Tower, _ number: Int, _ keeps: Bool) -> Double {
    TowerCalls.degrees.keeping(tower, if: keeps) { tower.bodyOfDegrees(number) }
  }
  private func bodyOfDegrees(_ number: Int) -> Double {
    log.note("Tower")
    return super.degrees(number) + 100
  }

  override class var methods: MethodTable {
    MethodTable(Tower.self, bodies: { unsafe TowerCalls.degrees.list(in: &$0) })
  }
}

/// It inherits the override.
final class Lighthouse: Tower, @unchecked Sendable {}

/// It declares its override by hand, as a method whose calls ask no slot.
final class Cabin: Station, @unchecked Sendable {
  override func degrees(_ number: Int) -> Double {
    log.note("Cabin")
    return super.degrees(number) + 7
  }

  override class var methods: MethodTable {
    MethodTable(Cabin.self) { Method("degrees:", Cabin.degrees) }
  }
}
