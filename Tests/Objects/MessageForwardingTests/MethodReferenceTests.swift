import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// References to methods as entries of a table.
final class MethodReferenceTests: XCTestCase {
  @MainActor
  func testAReferenceToAMethodOfTheMainActorIsOneOfThatActor() async throws {
    let screen = Screen()
    try screen.send("draw")
    XCTAssertEqual(try screen.send("add:to:", 3, "x", returning: Int.self), 4)
    XCTAssertEqual(try TallScreen().send("grow:", 3, returning: Int.self), 3)
    await Task.detached { [screen] in
      for attempt in [
        { try screen.send("draw") },
        { _ = try screen.send("add:to:", 3, "x", returning: Int.self) },
      ] {
        expectError(.wrongExecutor) { try attempt() }
      }
      expectError(.wrongExecutor) {
        _ = try TallScreen().send("grow:", 3, returning: Int.self)
      }
      XCTAssertEqual(try? screen.send("size", returning: Int.self), 5)
    }.value
    XCTAssertEqual(screen.count, 1)
  }

  func testAReferenceToAMethodThatTakesAFunctionIsSent() async throws {
    let taker = FunctionTaker()
    let add: (Int) -> Int = { $0 + 1 }
    XCTAssertEqual(
      try taker.send("a:b:c:d:e:f:g:h:", 1, 2, 3, 4, 5, 6, 7, add, returning: Int.self), 8)
    let more: @Sendable (Int) -> Int = { $0 + 1 }
    let sum: Int = try await taker.send(async: "later:with:", 3, more)
    XCTAssertEqual(sum, 4)
  }

  func testTheMethodOfATypedSelectorIsThatOfItsTypes() throws {
    let overloaded = Overloaded()
    XCTAssertEqual(try overloaded.send("number:", 3, returning: Int.self), 3)
    XCTAssertEqual(try overloaded.send("text:", "abc", returning: Int.self), 30)
  }
}

@MainActor
private class Screen: MessageReceiver {
  var count = 0
  nonisolated init() {}
  func draw() { count += 1 }
  func add(_ number: Int, to text: String) throws -> Int { number + text.count }
  nonisolated func size() -> Int { 5 }
  nonisolated class var methods: MethodTable {
    MethodTable(Screen.self) {
      Method("draw", Screen.draw)
      Method("add:to:", Screen.add)
      Method("size", Screen.size)
    }
  }
}

private final class TallScreen: Screen {
  func grow(_ number: Int) -> Int { number }
  override nonisolated class var methods: MethodTable {
    MethodTable(TallScreen.self) {
      TypedSelector1<TallScreen, Int, Int>.method("grow:") { $0.grow(_:) }
    }
  }
}

private final class FunctionTaker: MessageReceiver, Sendable {
  func take(
    _ a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: @escaping (Int) -> Int
  ) -> Int { h(g) }
  func later(_ number: Int, with body: @escaping @Sendable (Int) -> Int) async -> Int {
    body(number)
  }
  static var methods: MethodTable {
    MethodTable(FunctionTaker.self) {
      Method("a:b:c:d:e:f:g:h:", FunctionTaker.take)
      Method("later:with:", FunctionTaker.later)
    }
  }
}

private final class Overloaded: MessageReceiver {
  func take(_ number: Int) -> Int { number }
  func take(_ text: String) -> Int { text.count * 10 }
  static var methods: MethodTable {
    MethodTable(Overloaded.self) {
      TypedSelector1<Overloaded, Int, Int>.method("number:") { $0.take(_:) }
      TypedSelector1<Overloaded, String, Int>.method("text:", Overloaded.take)
    }
  }
}
