#if Macros
import Foundation
import Invocations
import MessageForwarding
import MessageMacros
import Synchronization
import XCTest

/// Stored properties with the attribute `@Hookable(.stored)`, in each form.
final class HookablePropertyTests: XCTestCase {
  /// Installs hooks, runs a body, and removes them.
  private func with(_ hooks: Hook..., run body: () throws -> Void) rethrows {
    defer { hooks.forEach { XCTAssertTrue($0.remove()) } }
    try body()
  }

  func testReadsAndWritesOfAValuesPropertyRunTheirHooks() throws {
    var shelf = Shelf(list: [1])
    try with(
      Shelf.$books.get.hook { original, shelf in try original(shelf) + 100 },
      Shelf.$books.set.hook { original, shelf, books in
        try original(shelf, books * 2)
        shelf.value.note = "set"
      },
      Shelf.$name.get.hook { original, shelf in try original(shelf) + "?" },
      Shelf.$list.set.hook { original, shelf, list in try original(shelf, list + [9]) }
    ) {
      XCTAssertEqual(shelf.books, 105)
      shelf.books = 3
      XCTAssertEqual(shelf.note, "set")
      XCTAssertEqual(shelf.books, 106)
      shelf.books += 1
      XCTAssertEqual(shelf.books, 314)
      shelf.list.append(2)
      XCTAssertEqual(shelf.list, [1, 2, 9])
      shelf.rename()
      XCTAssertEqual(shelf.name, "x?!?")
    }
    XCTAssertEqual("\(Shelf.$books.get)", "Shelf.books(self:)")
    XCTAssertEqual("\(Shelf.$books.set)", "Shelf.setBooks(self:_:)")
    XCTAssertEqual(shelf.books, 214)
  }

  func testInitialisersSetThePropertyOnceAndRunNoHooks() throws {
    let before = made.load(ordering: .relaxed)
    try with(
      Shelf.$books.set.hook { _, _, _ in XCTFail() },
      Crate.$level.set.hook { original, crate, level in try original(crate, level + 1) }
    ) {
      XCTAssertEqual(Shelf(books: 4, list: []).books, 4)
      XCTAssertEqual(made.load(ordering: .relaxed), before)
      XCTAssertEqual(Shelf(list: []).books, 5)
      XCTAssertEqual(made.load(ordering: .relaxed), before + 1)
      XCTAssertEqual(Crate(level: 3).level, 3)
      // The object is complete.
      XCTAssertEqual(Crate(level: 3, andThen: 8).level, 9)
    }
  }

  func testSynthesisedConformancesNameTheStorage() throws {
    let data = try JSONEncoder().encode(Shelf.Label(text: "a"))
    XCTAssertEqual(String(decoding: data, as: UTF8.self), #"{"_stored_text":"a"}"#)
    let shelf = try JSONDecoder().decode(Named.self, from: Data(#"{"text":"b"}"#.utf8))
    XCTAssertEqual(shelf.text, "b")
    XCTAssertEqual(shelf, Named(text: "b"))
  }

  func testPropertiesOfObjectsKeepTheirForms() throws {
    let (crate, owner) = (Crate(level: 1), Owner())
    try with(
      Crate.$owner.get.hook { original, crate in try original(crate) ?? owner },
      Crate.$handler.get.hook { original, crate in
        let handler = try original(crate)
        return { handler($0) + 1 }
      },
      Crate.$forced.set.hook { original, crate, _ in try original(crate, 7) },
      Crate.$secret.get.hook { original, crate in try original(crate) * 2 },
      Crate.$default.get.hook { original, crate in try original(crate) + crate.level }
    ) {
      XCTAssertTrue(crate.owner === owner)
      XCTAssertEqual(crate.handler(1), 2)
      crate.forced = 3
      XCTAssertEqual(crate.forced, 7)
      XCTAssertEqual(crate.revealed, 14)
      XCTAssertEqual(crate.default, 3)
    }
    crate.owner = owner
    XCTAssertTrue(crate.owner === owner)
    XCTAssertNil(Crate(owning: Owner()).owner)
    XCTAssertEqual(crate.handler(1), 1)
  }

  func testGlobalAndStaticPropertiesAreHooked() throws {
    try with(
      $global.get.hook { original in try original() + 1 },
      $global.set.hook { original, value in try original(value * 10) },
      Shelf.$total.get.hook { original, type in
        XCTAssertTrue(type == Shelf.self)
        return try original(type) + 1
      }
    ) {
      // SAFETY: only this test uses them, on one thread.
      unsafe global = 2
      XCTAssertEqual(unsafe global, 21)
      unsafe Shelf.total += 2
      XCTAssertEqual(unsafe Shelf.total, 4)
    }
  }

  func testEachGenericTypeHasItsOwnHooks() throws {
    try with(
      Pair<Int>.$first.get.hook { original, pair in try original(pair) + 1 },
      Pair<Int>.Slot.$value.set.hook { original, slot, _ in try original(slot, 8) }
    ) {
      XCTAssertEqual(Pair(first: 1).first, 2)
      XCTAssertEqual(Pair(first: "1").first, "1")
      let (slot, other) = (Pair<Int>.Slot(), Pair<String>.Slot())
      slot.value = 1
      other.value = "1"
      XCTAssertEqual(slot.value, 8)
      XCTAssertEqual(other.value, "1")
    }
  }

  @MainActor
  func testPropertiesOfTheMainActorAreHooked() throws {
    let hooks = [
      try Signboard.$angle.get.hook { original, board in try original(board) + 1 },
      try Signboard.$shown.set.hook { original, type, count in try original(type, count * 2) },
      try Poster.hook(\.size) { original, _ in try original() + 1 },
    ]
    defer { hooks.forEach { $0.remove() } }
    XCTAssertEqual(Signboard().angle, 1)
    Signboard.shown = 4
    XCTAssertEqual(Signboard.shown, 8)
    XCTAssertEqual(Poster().size, 4)
  }

  func testAUseASendAndAHookOfAMessageAreOneChain() throws {
    let boiler = Boiler()
    try with(
      Boiler.hook(\.level) { original, boiler in try original() + 1 },
      Boiler.hook(\.setLevel) { original, boiler, level in try original(level * 10) },
      boiler.hook(\.level) { original, _ in try original() * 2 },
      Boiler.hook(\.mode) { original, _ in try original() + "!" },
      Boiler.target("setKind:").hook(.before) { call in try call.setArgument(2, "dial") },
      Boiler.hook(\.hidden) { original, _ in try original() + 1 },
      Boiler.$count.get.hook { original, type in try original(type) + 1 },
      Boiler.$silent.get.hook { original, boiler in try original(boiler) + 1 }
    ) {
      XCTAssertEqual(boiler.level, 8)
      boiler.level = 4
      XCTAssertEqual(boiler.level, 82)
      XCTAssertEqual(try boiler.send(\.level), 82)
      try boiler.send(\.setLevel, 5)
      XCTAssertEqual(try boiler.send("level"), 102)
      XCTAssertEqual(FineBoiler().level, 4)
      boiler.kind = "x"
      XCTAssertEqual(boiler.kind, "dial!")
      XCTAssertEqual(boiler.revealed, 1)
      XCTAssertEqual(unsafe Boiler.count, 1)
      XCTAssertEqual(boiler.silent, 1)
    }
    XCTAssertEqual(boiler.level, 50)
  }

  func testAnErrorOfAHookLeavesTheValue() throws {
    let boiler = Boiler()
    try with(
      Boiler.hook(\.level) { original, _ in
        _ = try original()
        throw CancellationError()
      },
      Boiler.hook(\.setLevel) { _, _, _ in throw CancellationError() }
    ) {
      boiler.level = 7
      XCTAssertEqual(boiler.level, 7)
      XCTAssertThrowsError(try boiler.send(\.level))
    }
  }
}

private let made = Atomic(0)
private func make() -> Int {
  made.add(1, ordering: .relaxed)
  return 5
}

@Hookable(.stored) nonisolated(unsafe) private var global = 1

private struct Shelf: Equatable {
  @Hookable(.stored) var books: Int = make()
  @Hookable(.stored) private(set) var name = "x"
  @Hookable(.stored) var note: String?
  @Hookable(.stored) var list: [Int]
  @Hookable(.stored) nonisolated(unsafe) static var total = 0
  mutating func rename() { name += "!" }

  struct Label: Codable {
    @Hookable(.stored) var text: String
  }
}

private struct Named: Codable, Equatable {
  @Hookable(.stored) var text: String
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private enum CodingKeys: String, CodingKey { case _stored_text = "text" }
}

private final class Owner: Sendable {}

private class Crate {
  @Hookable(.stored) weak var owner: Owner?
  @Hookable(.stored) final var handler: (Int) -> Int = { $0 }
  @Hookable(.stored) var forced: Int!
  @Hookable(.stored) private var secret = 7
  @Hookable(.stored) var `default` = 2
  @Hookable(.stored) var level: Int
  private let last: Int
  init(level: Int) {
    self.level = level
    last = level
  }
  convenience init(owning owner: Owner) {
    self.init(level: 0)
    self.owner = owner
  }
  convenience init(level: Int, andThen next: Int) {
    self.init(level: level)
    self.level = next
  }
  var revealed: Int { secret }
}

private struct Pair<Value> {
  @Hookable(.stored) var first: Value
  final class Slot {
    @Hookable(.stored) var value: Value?
  }
}

@MainActor private final class Signboard {
  @Hookable(.stored) var angle = 0
  @Hookable(.stored) static var shown = 0
}

@MainActor @Messages(.calls) private final class Poster {
  @Hookable(.stored) var size = 3
  @NotSent nonisolated init() {}
}

@Messages(.calls)
private class Boiler: TypedMessageReceiver, @unchecked Sendable {
  @Hookable(.stored) var level = 3
  @Hookable(.stored) @Named("mode") @SentAs("kind") var kind: String = "round"
  @Hookable(.stored) private var hidden = 0
  @Hookable(.stored) nonisolated(unsafe) static var count = 0
  @NotSent @Hookable(.stored) var silent = 0
  @NotSent init() {}
  @NotSent var revealed: Int { hidden }
}

private final class FineBoiler: Boiler, @unchecked Sendable {}
#endif
