#if Macros
import BlockHooks
import Invocations
import MessageForwarding
import MessageMacros
import Synchronization
import XCTest

/// Functions and methods with the attribute `@Hookable`, in each form.
final class HookableTests: XCTestCase {
  /// Installs hooks, runs a body, and removes them.
  private func with(_ hooks: Hook..., run body: () throws -> Void) rethrows {
    defer { hooks.forEach { XCTAssertTrue($0.remove()) } }
    try body()
  }

  func testAFunctionHasTypedHooksAndThoseWithFramesInOneOrder() throws {
    var notes: [String] { log.withLock { $0 } }
    try $parse.hook(name: "typed") { original, text, radix in try original(text + "!", radix) * 10 }
    try $parse.hook(.before, name: "framed") { call in
      let text = try call.argument(2, as: String.self)
      log.withLock { $0.append(text) }
      try call.setArgument(3, 1)
    }
    XCTAssertEqual($parse.hooks.map(\.name), ["framed", "typed"])
    XCTAssertEqual("\($parse)", "parse(_:radix:)")
    XCTAssertEqual(parse("abc"), 50)
    XCTAssertEqual(notes, ["abc"])
    let inTask = try $parse.hook(when: .where { _ in false }) { _, _, _ in 0 }
    XCTAssertEqual(parse("abc"), 50)
    XCTAssertEqual($parse.removeHooks(), 3)
    XCTAssertFalse(inTask.remove())
    XCTAssertEqual(parse("abc"), 13)
    XCTAssertEqual(notes.count, 2)
  }

  func testTextsOfCallsNameTheFunctionAndItsOwnArguments() throws {
    let count = log.withLock { $0.count }
    try with(
      $parse.install(.printing { line in log.withLock { $0.append(line) } })
    ) {
      XCTAssertEqual(parse("abc", radix: 2), 5)
    }
    XCTAssertEqual(log.withLock { $0.dropFirst(count) }, ["String \"abc\", i64 2", "→ i64 5"])
  }

  func testErrorsThatAFunctionCannotThrowLeaveItsAnswer() throws {
    let refuse = try $check.hook { original, number in
      let answer = try original(number) + 1
      if number == 5 { throw CancellationError() }
      return answer
    }
    let cancel = try $checkAll.hook { _, _ in throw CancellationError() }
    try with(refuse, cancel) {
      XCTAssertEqual(try check(1), 2)
      XCTAssertEqual(try check(5), 5)
      XCTAssertThrowsError(try check(-1)) { XCTAssertTrue($0 is Negative) }
      XCTAssertThrowsError(try checkAll(1)) { XCTAssertTrue($0 is CancellationError) }
    }
  }

  func testFormsOfArgumentsAreHooked() throws {
    try with(
      $change.hook { original, a, b, c in
        try original(a, b, c)
        a.value *= 2
        b.value.append(7)
      },
      $sum.hook { original, numbers in try original(numbers + [1]) },
      $lazily.hook { original, number in try original { number() * 2 } },
      $whenDone.hook { original, done in try original { done($0 + 1) } },
      $force.hook { original, number in try original(number.map { $0 + 1 }) },
      $factorial.hook { original, number in try original(number) + 1 },
      $tick.hook { original in try original() + 1 }
    ) {
      var (a, b) = (1, [1])
      change(&a, &b, c: 5)
      XCTAssertEqual([a] + b, [4, 1, 5, 7])
      XCTAssertEqual(sum(1, 2), 4)
      XCTAssertEqual(lazily(2 + 2), 8)
      var done = 0
      whenDone { done = $0 }
      XCTAssertEqual(done, 2)
      XCTAssertEqual(force(1), 2)
      XCTAssertEqual(factorial(3), 16)
      XCTAssertEqual(tick(), 8)
    }
    XCTAssertEqual(sum(1, 2), 3)
  }

  func testAsyncFunctionsAreHookedInTheTaskThatCallsThem() async throws {
    let hooks = [
      try $load.hook { original, name in try await original(name + "!") + 1 },
      try $count.hook { original, number in
        _ = try await original(number + 1)
        throw Negative()
      },
      try $pause.hook { original, number in try await original(number) * 2 },
      try Shelf.$size.hook { original, shelf in try await original(shelf) + 1 },
      try Turnstile.$pass.hook { original, gate, people in try await original(gate, people + 10) },
      try Turnstile.$total.hook { original, gate in try await original(gate) + 100 },
    ]
    defer { hooks.forEach { $0.remove() } }
    let loaded = try await load("abc")
    XCTAssertEqual(loaded, 5)
    let counted = await count(2)
    XCTAssertEqual(counted, 3)
    let waited = await pause(2)
    XCTAssertEqual(waited, 4)
    let size = await Shelf(books: 3).size()
    XCTAssertEqual(size, 4)
    let turnstile = Turnstile()
    await turnstile.pass(1)
    let total = await turnstile.total()
    XCTAssertEqual(total, 111)
  }

  @MainActor
  func testFunctionsOfTheMainActorAreHooked() async throws {
    let hooks = [
      try $draw.hook { original, number in try original(number) * 2 },
      try $drawLater.hook { original, number in try await original(number) * 2 },
      try Signboard.$turn.hook { original, board, angle in try original(board, angle * 2) },
      try Signboard.$size.hook { original, board in try original(board) + 1 },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(draw(4), 8)
    let later = await drawLater(4)
    XCTAssertEqual(later, 8)
    var board = Signboard()
    board.turn(3)
    XCTAssertEqual(board.angle, 6)
    XCTAssertEqual(board.size(), 4)
  }

  func testMethodsOfValuesGetTheValue() throws {
    try with(
      Shelf.$add.hook { original, shelf, count in
        shelf.value.books += 1
        let before = try original(shelf, count)
        shelf.value.books *= 10
        return before
      },
      Shelf.$double.hook { original, shelf in try original(shelf) + 1 },
      Shelf.$make.hook { original, type, count in
        XCTAssertTrue(type == Shelf.self)
        return try original(type, count + 1)
      },
      Shelf.$secret.hook { original, shelf in try original(shelf) + shelf.books },
      Shelf.Label.$text.hook { original, label, mark in try original(label, mark + "?") },
      Side.$flip.hook { original, side in
        try original(side)
        try original(side)
      },
      Int.$successor.hook { original, number in try original(number * 10) }
    ) {
      var shelf = Shelf(books: 1)
      XCTAssertEqual(shelf.add(2), 2)
      XCTAssertEqual(shelf.books, 40)
      XCTAssertEqual(shelf.double(), 81)
      XCTAssertEqual(Shelf.make(1).books, 2)
      XCTAssertEqual(shelf.revealed, 47)
      XCTAssertEqual(Shelf.Label().text("!"), "label!?")
      var side = Side.left
      side.flip()
      XCTAssertEqual(side, .left)
      XCTAssertEqual(3.successor(), 31)
    }
  }

  func testMethodsOfClassesGetTheObjectOrTheType() throws {
    try with(
      Crate.$weight.hook { original, crate, count in try original(crate, count) + crate.own },
      Crate.$name.hook { original, type in try original(type) + "!" },
      Crate.$load.hook { original, crate, count in try original(crate, count + 1) }
    ) {
      XCTAssertEqual(SmallCrate().weight(of: 2), 22)
      XCTAssertEqual(SmallCrate.name(), "SmallCrate!")
      XCTAssertEqual(Crate().load(1), 3)
    }
  }
}

private let log = Mutex<[String]>([])

private struct Negative: Error {}

@Hookable private func parse(_ text: String, radix: Int = 10) -> Int { text.utf8.count + radix }
@Hookable private func tick() -> Int { 7 }
@Hookable private func check(_ n: Int) throws(Negative) -> Int {
  guard n >= 0 else { throw Negative() }
  return n
}
@Hookable private func checkAll(_ n: Int) throws -> Int { n }
@Hookable private func change(_ a: inout Int, _ b: inout [Int], c: Int) {
  a += 1
  b.append(c)
}
@Hookable private func sum(_ numbers: Int...) -> Int { numbers.reduce(0, +) }
@Hookable private func lazily(_ number: @autoclosure @escaping () -> Int) -> Int { number() }
@Hookable private func whenDone(_ done: @escaping (Int) -> Void) { done(1) }
@Hookable private func force(_ number: Int!) -> Int! { number }
@Hookable private func factorial(_ n: Int) -> Int { n < 2 ? 1 : n * factorial(n - 1) }
@Hookable private func load(_ name: String) async throws -> Int { name.utf8.count }
@Hookable private func count(_ number: Int) async -> Int { number }
@Hookable nonisolated(nonsending) private func pause(_ number: Int) async -> Int { number }
@MainActor @Hookable private func draw(_ number: Int) -> Int { number }
@MainActor @Hookable private func drawLater(_ number: Int) async -> Int { number }

@MainActor private struct Signboard {
  var angle = 0
  @Hookable mutating func turn(_ angle: Int) { self.angle += angle }
  @Hookable nonisolated func size() -> Int { 3 }
}

private struct Shelf: Equatable {
  var books = 0
  struct Label {
    @Hookable func text(_ mark: String) -> String { "label" + mark }
  }
  @Hookable mutating func add(_ count: Int) -> Int {
    defer { books += count }
    return books
  }
  @Hookable static func make(_ count: Int) -> Shelf { Shelf(books: count) }
  @Hookable private func secret() -> Int { 7 }
  var revealed: Int { secret() }
  @Hookable func size() async -> Int { books }
}

extension Shelf {
  @Hookable func double() -> Int { books * 2 }
}

private enum Side {
  case left, right
  @Hookable mutating func flip() { self = self == .left ? .right : .left }
}

extension Int {
  @Hookable fileprivate func successor() -> Int { self + 1 }
}

private class Crate {
  let own = 10
  @Hookable func weight(of count: Int) -> Int { own + count }
  @Hookable class func name() -> String { "\(self)" }
}

extension Crate {
  @Hookable func load(_ count: Int) -> Int { count + 1 }
}

private final class SmallCrate: Crate {}

private actor Turnstile {
  fileprivate var people = 0
  @Hookable func pass(_ count: Int) async { people += count }
}

extension Turnstile {
  @Hookable func total() async -> Int { people }
}
#endif
