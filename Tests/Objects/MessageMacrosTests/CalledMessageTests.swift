#if Macros
import Invocations
import MessageForwarding
import MessageMacros
import XCTest

/// Ordinary calls of classes with the attribute `@Messages(.calls)`, in each form of method.
final class CalledMessageTests: XCTestCase {
  func testACallASendAndAnOverrideRunEachHookOnce() throws {
    let hooks = [
      try Dial.hook(\.read) { original, dial, unit in try original(unit) + "+dial" },
      try FineDial.hook(\.read) { original, dial, unit in try original(unit) + "+fine" },
    ]
    XCTAssertEqual(Dial().read("C"), "C+dial")
    XCTAssertEqual(try Dial().send(\.read, "C"), "C+dial")
    XCTAssertEqual(FineDial().read("C"), "C+dial.1+fine")
    XCTAssertEqual(try FineDial().send(\.read, "C"), "C+dial.1+fine")
    XCTAssertEqual((FineDial() as any Legible).read("C"), "C+dial.1+fine")
    XCTAssertEqual(HiddenDial().read("C"), "C+dial")
    let read = Dial().read
    XCTAssertEqual(read("C"), "C+dial")
    hooks.forEach { $0.remove() }
    XCTAssertEqual(FineDial().read("C"), "C.1")
  }

  func testClassAndStaticMethodsAreHooked() throws {
    let hooks = [
      try Dial.classObject.hook(Dial.Messages().units) { original, receiver in
        try original() + " of \(receiver.name)"
      },
      try Dial.classObject.hook(Dial.Messages().limit) { original, _, number in
        try original(number + 1)
      },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(Dial.units(), "C of Dial")
    XCTAssertEqual(HiddenDial.units(), "C of HiddenDial")
    XCTAssertEqual(FineDial.units(), "F")
    XCTAssertEqual(Dial.limit(1), 20)
  }

  func testPrivateFinalRecursiveAndDefaultedMethodsAreHooked() throws {
    let dial = Dial()
    let hooks = [
      try Dial.hook(\.secret) { original, _ in try original() * 2 },
      try Dial.hook(\.factorial) { original, _, n in try original(n) + 1 },
      try Dial.hook(\.addTo) { original, _, a, b in try original(a, b) * 10 },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(dial.revealed, 14)
    // 1 * 2 * 3, with one more at each level: ((1 + 1) * 2 + 1) * 3 + 1.
    XCTAssertEqual(dial.factorial(3), 16)
    XCTAssertEqual(dial.add(1), 80)
    dial.add(2)
  }

  func testPrivateMethodsOfTypesThatAreHiddenAreHookedByTheirNames() throws {
    let hook = try Dial.target("rank:").hook(.before) { call in
      try call.setArgument(2, Dial.rank(2))
    }
    defer { hook.remove() }
    XCTAssertEqual(Dial().ranked, 2)
  }

  func testArgumentsThatAreUnwrappedImplicitlyAreAsInTheSource() throws {
    let hook = try Dial.hook(\.force) { original, _, number in
      try original(number.map { $0 + 1 })
    }
    XCTAssertEqual(Dial().force(1), 2)
    hook.remove()
    XCTAssertEqual(Dial().force(1), 1)
  }

  func testAnAsyncBodyRunsOnceIfItsHookThrowsAfterwards() async throws {
    let hooks = [
      try Dial.hook(\.count) { original, _, number in
        _ = try await original(number + 1)
        throw OutOfScale()
      },
      try Odometer.hook(\.addNumber) { original, _, number in
        _ = try await original(number)
        throw OutOfScale()
      },
    ]
    defer { hooks.forEach { $0.remove() } }
    let count = await Dial().count(1)
    XCTAssertEqual(count, 2)
    let meter = Odometer()
    let total = await meter.addNumber(3)
    XCTAssertEqual(total, 3)
    let all = await meter.total
    XCTAssertEqual(all, 3)
  }

  func testMethodsThrowTheirErrors() async throws {
    let dial = Dial()
    let hooks = [
      try Dial.hook(\.check) { original, _, n in
        if n == 5 { throw CancellationError() }
        return try original(n) + 1
      },
      try Dial.hook(\.exact) { original, _, n in
        if n == 5 { throw CancellationError() }
        return try original(n) + 1
      },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(try dial.check(1), 2)
    XCTAssertThrowsError(try dial.check(-1)) { XCTAssertTrue($0 is OutOfScale) }
    XCTAssertThrowsError(try dial.check(5)) { XCTAssertTrue($0 is CancellationError) }
    XCTAssertEqual(try dial.exact(1), 2)
    XCTAssertThrowsError(try dial.exact(-1)) { XCTAssertTrue($0 is OutOfScale) }
    XCTAssertEqual(try dial.exact(5), 5)
  }

  func testAsyncMethodsActorsAndClosuresAreHooked() async throws {
    let hooks = [
      try Dial.hook(\.load) { original, _, name in try await original(name + "!") },
      try Dial.hook(\.whenDone) { original, _, done in try original { done($0 + 1) } },
      try Odometer.hook(\.addNumber) { original, _, number in try await original(number * 2) },
    ]
    defer { hooks.forEach { $0.remove() } }
    let dial = Dial()
    let count = try await dial.load("Oslo")
    XCTAssertEqual(count, 5)
    var done = 0
    dial.whenDone { done = $0 }
    XCTAssertEqual(done, 2)
    let meter = Odometer()
    let total = await meter.addNumber(2)
    XCTAssertEqual(total, 4)
    let twice = await meter.addTwice(1)
    XCTAssertEqual(twice, 8)
  }

  func testArgumentsThatAreNoValuesAreObjectsArraysAndFunctions() throws {
    let dial = Dial()
    let hooks = [
      try Dial.hook(\.turn) { original, _, position in
        try original(position)
        position.value += 1
      },
      try Dial.hook(\.trySwap) { original, _, a, b in try original(b, a) },
      try Dial.hook(\.sum) { original, _, numbers in try original(numbers + [1]) },
      try Dial.hook(\.lazily) { original, _, number in try original { number() * 2 } },
    ]
    var position = 1
    dial.turn(&position)
    XCTAssertEqual(position, 12)
    var (a, b) = (1, 2)
    try dial.trySwap(&a, &b)
    XCTAssertEqual([a, b], [2, 1])
    XCTAssertEqual(dial.sum(1, 2), 4)
    XCTAssertEqual(dial.lazily(3 + 1), 8)
    hooks.forEach { $0.remove() }
    dial.turn(&position)
    XCTAssertEqual(position, 22)
    XCTAssertEqual(dial.sum(1, 2), 3)
    XCTAssertEqual(dial.lazily(3 + 1), 4)
  }

  @MainActor
  func testMethodsOfTheMainActorAreHooked() throws {
    let hook = try Billboard.hook(\.draw) { original, _, number in try original(number) + 1 }
    defer { hook.remove() }
    XCTAssertEqual(Billboard().draw(1), 2)
    let failing = try Billboard.hook(\.draw) { original, _, number in
      _ = try original(number)
      throw OutOfScale()
    }
    defer { failing.remove() }
    let display = Billboard()
    XCTAssertEqual(display.draw(1), 1)
    XCTAssertEqual(display.drawn, 1)
  }
}

private protocol Legible { func read(_ unit: String) -> String }

private struct OutOfScale: Error {}

@Messages(.calls)
private class Dial: Legible, TypedMessageReceiver, @unchecked Sendable {
  @NotSent init() {}
  func read(_ unit: String) -> String { unit }
  class func units() -> String { "C" }
  static func limit(_ number: Int) -> Int { number * 10 }
  private func secret() -> Int { 7 }
  @NotSent var revealed: Int { secret() }
  private struct Rank { var number = 1 }
  private func rank(_ rank: Rank) -> Int { rank.number }
  @NotSent var ranked: Int { rank(Rank()) }
  @NotSent static func rank(_ number: Int) -> Any { Rank(number: number) }
  func force(_ number: Int!) -> Int! { number }
  func count(_ number: Int) async -> Int { number }
  final func factorial(_ n: Int) -> Int { n < 2 ? 1 : n * factorial(n - 1) }
  @discardableResult func add(_ a: Int, to b: Int = 7) -> Int { a + b }
  func check(_ n: Int) throws -> Int {
    guard n >= 0 else { throw OutOfScale() }
    return n
  }
  func exact(_ n: Int) throws(OutOfScale) -> Int {
    guard n >= 0 else { throw OutOfScale() }
    return n
  }
  func load(_ name: String) async throws -> Int { name.utf8.count }
  func turn(_ position: inout Int) { position += 10 }
  func trySwap(_ a: inout Int, _ b: inout Int) throws { swap(&a, &b) }
  func sum(_ numbers: Int...) -> Int { numbers.reduce(0, +) }
  func lazily(_ number: @autoclosure @escaping () -> Int) -> Int { number() }
  func whenDone(_ done: @escaping (Int) -> Void) { done(1) }
}

@Messages(.calls)
private final class FineDial: Dial, @unchecked Sendable {
  override func read(_ unit: String) -> String { super.read(unit) + ".1" }
  override class func units() -> String { "F" }
}

private final class HiddenDial: Dial, @unchecked Sendable {}

@Messages(.calls)
private actor Odometer {
  private(set) var total = 0
  func addNumber(_ number: Int) async -> Int {
    total += number
    return total
  }
  func addTwice(_ number: Int) async -> Int {
    _ = await addNumber(number)
    return await addNumber(number)
  }
}

@MainActor @Messages(.calls)
private final class Billboard {
  @NotSent var drawn = 0
  @NotSent nonisolated init() {}
  func draw(_ number: Int) -> Int {
    drawn += 1
    return number
  }
}
#endif
