#if Macros
import BlockHooks
import Invocations
import MessageForwarding
import MessageMacros
import Synchronization
import XCTest

/// Calls that take functions which do not escape, and those that rethrow: unhooked, with a typed hook, and
/// with a frame.
final class LentFunctionTests: XCTestCase {
  func testAFunctionThatRethrowsThrowsWhatItsArgumentThrows() throws {
    XCTAssertEqual(apply(3) { $0 }, 3)
    let typed = try $apply.hook { original, number, f in try original(number + 1) { try f($0) * 10 }
    }
    let framed = try $apply.hook(.before) { call in
      try call.setArgument(2, call.argument(2, as: Int.self) + 1)
    }
    XCTAssertEqual(apply(3) { $0 }, 50)
    XCTAssertThrowsError(try apply(3) { _ in throw Refusal() }) { XCTAssertTrue($0 is Refusal) }
    typed.remove()
    framed.remove()
    XCTAssertEqual(apply(3) { $0 }, 3)
  }

  func testAnErrorOfAHookIsThrownOnlyIfAnArgumentHasThrown() throws {
    let throwing = try $apply.hook { original, number, f in
      _ = try? original(number, f)
      throw CancellationError()
    }
    defer { throwing.remove() }
    XCTAssertEqual(apply(3) { $0 }, 3)
    XCTAssertThrowsError(try apply(3) { _ in throw Refusal() }) {
      XCTAssertTrue($0 is CancellationError)
    }
    throwing.remove()
    // The body throws an error of the hook's function, which the caller does not expect.
    let replacing = try $apply.hook { original, number, _ in
      try original(number) { _ in throw Refusal() }
    }
    defer { replacing.remove() }
    XCTAssertEqual(apply(3) { $0 }, 3)
  }

  func testAHookMayKeepAFunctionThatDoesNotEscape() throws {
    let kept = Mutex<(@Sendable () -> Int)?>(nil)
    let counter = Counter()
    let hook = try $ask.hook { original, f in
      kept.withLock { $0 = f }
      return try original(f) + f()
    }
    defer { hook.remove() }
    XCTAssertEqual(ask { counter.next() }, 3)
    XCTAssertNotNil(kept.withLock { $0 })
  }

  func testFormsOfFunctionsThatDoNotEscapeAreHooked() throws {
    let hooks = [
      try $change.hook { original, f, start in
        try original(
          {
            f(&$0, $1 + 1)
            f(&$0, $1 + 2)
          }, { start() * 2 })
      },
      try $rethrowNothing.hook { original, f in try original { f() + 1 } },
      try Box.$update.hook { original, box, f in
        try original(box, f)
        box.value.number += 5
      },
      try Box.$make.hook { original, type, f in try original(type) { f() + 1 } },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(change({ $0 += $1 }, 5), 13)
    XCTAssertEqual(try rethrowNothing { 1 }, 2)
    var box = Box(number: 1)
    box.update { $0 + 1 }
    XCTAssertEqual(box.number, 7)
    XCTAssertEqual(Box.make { 1 }.number, 2)
  }

  func testAsyncFunctionsRethrow() async throws {
    let hook = try $later.hook { original, f in try await original { try await f($0) + 1 } }
    defer { hook.remove() }
    let answer = await later { $0 }
    XCTAssertEqual(answer, 2)
    do {
      _ = try await later { _ in throw Refusal() }
      XCTFail("No error arrived.")
    } catch { XCTAssertTrue(error is Refusal) }
  }

  func testMessagesToAnActorTakeFunctions() async throws {
    let hook = try Clerk.hook(\.work) { original, clerk, f in
      try await original { try await f() + 1 }
    }
    defer { hook.remove() }
    let answer = await Clerk().work { 1 }
    XCTAssertEqual(answer, 2)
  }

  func testMessagesTakeFunctionsThatDoNotEscape() throws {
    let office = Office()
    XCTAssertEqual(office.map { $0 }, 1)
    let hooks = [
      try Office.hook(\.map) { original, _, f in try original { try f($0) + 1 } },
      try Office.target("allows:").hook(.after) { call in try call.setResult(false) },
      try Office.classObject.target("make:").hook(.after) { call in try call.setResult(7) },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(office.map { $0 }, 2)
    XCTAssertEqual(try office.send(\.map, { $0 + 8 }), 10)
    XCTAssertThrowsError(try office.map { _ in throw Refusal() })
    XCTAssertFalse(office.allows(1 < 2))
    XCTAssertEqual(Office.make { 1 }, 7)
  }
}

private struct Refusal: Error {}

private final class Counter: Sendable {
  private let count = Mutex(0)
  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

@Hookable private func apply(_ number: Int, _ f: (Int) throws -> Int) rethrows -> Int {
  try f(number)
}
@Hookable private func ask(_ f: @Sendable () -> Int) -> Int { f() }
@Hookable private func change(_ f: (inout Int, Int) -> Void, _ start: @autoclosure () -> Int) -> Int
{
  var number = start()
  f(&number, 0)
  return number
}
@Hookable private func rethrowNothing(_ f: () -> Int) throws -> Int { f() }
@Hookable private func later(_ f: @Sendable (Int) async throws -> Int) async rethrows -> Int {
  try await f(1)
}

private struct Box {
  var number: Int
  @Hookable mutating func update(_ f: (Int) throws -> Int) rethrows { number = try f(number) }
  @Hookable static func make(_ f: () -> Int) -> Box { Box(number: f()) }
}

@Messages(.calls) private final class Office {
  func map(_ f: (Int) throws -> Int) rethrows -> Int { try f(1) }
  func allows(_ condition: @autoclosure () throws -> Bool) rethrows -> Bool { try condition() }
  static func make(_ f: () throws -> Int) rethrows -> Int { try f() }
}

@Messages(.calls) private actor Clerk {
  func work(_ f: @Sendable () async throws -> Int) async rethrows -> Int { try await f() }
}
#endif
