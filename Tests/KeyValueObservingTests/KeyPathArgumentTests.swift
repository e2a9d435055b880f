import KeyValueObserving
import TestSupport
import XCTest

/// Key paths with arguments, `\.[key]`: what these do when they are hashed and compared, and how
/// long they live.
final class KeyPathArgumentTests: XCTestCase {
  private final class Shelf: KeyValueObservable {
    @Observed var count = 0
    private var byHand: [Int: Int] = [:]

    /// Reads an observed property.
    subscript(key: Intruder) -> Int { count + key.number }

    /// Is changed by hand.
    subscript(byHand key: Intruder) -> Int {
      get {
        willRead(\.[byHand: key])
        return byHand[key.number] ?? 0
      }
      set { withChange(of: \.[byHand: key]) { byHand[key.number] = newValue } }
    }
  }

  /// Each way to use a key path with an argument.
  private let uses: [(name: String, body: @Sendable (Shelf, Intruder) -> Void)] = [
    ("observe", { $0.observe(\.[$1]) { _, _ in }.remove() }),
    ("observe by hand", { $0.observe(\.[byHand: $1]) { _, _ in }.remove() }),
    ("all options", { $0.observe(\.[$1], options: .everything) { _, _ in }.remove() }),
    (
      "removal by the key path",
      { shelf, key in
        shelf.observe(\.[key]) { _, _ in }
        shelf.removeObservers(of: \.[key])
      }
    ),
    (
      "removal of all",
      { shelf, key in
        shelf.observe(\.[key]) { _, _ in }
        shelf.removeObservers()
      }
    ),
    ("several key paths", { $0.observe([\.count, \.[$1]]) { _, _, _ in }.remove() }),
    (
      "a change by hand",
      { shelf, key in
        let token = shelf.observe(\.[byHand: key], options: .everything) { _, _ in }
        shelf[byHand: key] += 1
        token.remove()
      }
    ),
    (
      "a change by hand during which the last observer goes",
      { shelf, key in
        let token = shelf.observe(\.[byHand: key]) { _, _ in }
        shelf.withChange(of: \.[byHand: key]) { _ = token.remove() }
      }
    ),
    (
      "a change",
      { shelf, key in
        let token = shelf.observe(\.[key], options: .everything) { _, _ in }
        shelf.count += 1
        token.remove()
      }
    ),
    (
      "a transaction",
      { shelf, key in
        let token = shelf.observe(\.[key], options: .everything) { _, _ in }
        withChangeTransaction { shelf.count += 1 }
        token.remove()
      }
    ),
    (
      "an observer that throws",
      { shelf, key in
        struct Failure: Error {}
        shelf.observe(\.[key]) { _, _ in throw Failure() }
        shelf.count += 1
      }
    ),
    ("a scoped observation", { _ = $0.observe(\.[$1]) { _, _ in }.scoped() }),
    (
      "an object that dies",
      {
        Shelf().observe(\.[$1]) { _, _ in }; _ = $0
      }
    ),
  ]

  func testArgumentsMayUseTheLibraryWhereverTheyAreHashedComparedAndFreed() {
    for (name, use) in uses {
      let hasEnded = expectToEnd(name) {
        let (shelf, other) = (Shelf(), Shelf())
        // Equal ones are compared.
        let token = shelf.observe(\.[Intruder(1)]) { _, _ in }
        shelf.observe(\.[byHand: Intruder(1)]) { _, _ in }
        Self.intrude(shelf, other) { use(shelf, Intruder(1)) }
        token.remove()
      }
      XCTAssert(Intruder.occasions.isSuperset(of: [.hash, .end]), name)
      guard hasEnded else { return }
    }
  }

  private static func intrude(_ shelf: Shelf, _ other: Shelf, while body: () -> Void) {
    Intruder.acting(
      { _ in
        for shelf in [shelf, other] {
          let token = shelf.observe(\.count) { _, _ in }
          let same = shelf.observe(\.[Intruder(1)], options: .everything) { _, _ in }
          shelf[byHand: Intruder(1)] += 1
          shelf.count += 1
          _ = shelf[Intruder(1)]
          same.remove()
          shelf.removeObservers(of: \.[byHand: Intruder(2)])
          token.remove()
        }
      }, while: body)
  }

  func testArgumentsAreFreedOnceNobodyObserves() {
    for (name, use) in uses {
      let shelf = Shelf()
      let before = Intruder.alive
      for number in 0..<1_000 { use(shelf, Intruder(number)) }
      XCTAssertEqual(Intruder.alive, before, "alive after 1,000 times: \(name)")
    }
  }

  func testArgumentsThatAreEqualNameOneProperty() {
    let shelf = Shelf()
    var log: [String] = []
    shelf.observe(\.[byHand: Intruder(1)], options: [.old, .new]) { log.append("one \($1)") }
    shelf.observe(\.[byHand: Intruder(2)]) { log.append("two \($1)") }
    shelf[byHand: Intruder(1)] = 5
    shelf[byHand: Intruder(2)] = 7
    XCTAssertEqual(log, ["one setting old 0 new 5", "two setting new 7"])
    XCTAssertEqual(shelf.removeObservers(of: \.[byHand: Intruder(1)]), 1)
    XCTAssertEqual(shelf.observations.count, 1)
  }

  func testArgumentsOfOneHashAreDifferentProperties() {
    struct Clash: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }
    final class Table: KeyValueObservable {
      var values = [0, 0, 0]
      subscript(key: Clash) -> Int {
        get {
          willRead(\.[key])
          return values[key.number]
        }
        set { withChange(of: \.[key]) { values[key.number] = newValue } }
      }
    }
    let table = Table()
    var log: [String] = []
    let tokens = (0..<3).map { number in
      table.observe(\.[Clash(number: number)]) { log.append("\(number): \($1.new ?? -1)") }
    }
    for number in 0..<3 { table[Clash(number: number)] = number + 10 }
    tokens[1].remove()
    for number in 0..<3 { table[Clash(number: number)] = number + 20 }
    XCTAssertEqual(log, ["0: 10", "1: 11", "2: 12", "0: 20", "2: 22"])
  }

  func testAChangeByHandIsToldAtItsEndThoughItsObserverIsReplacedWithin() {
    let shelf = Shelf()
    var log: [Int] = []
    let first = shelf.observe(\.[byHand: Intruder(1)]) { _, _ in }
    let isGreat = shelf.observe(\.[byHand: Intruder(1)].isGreat) {
      log.append($1.new == true ? 1 : 0)
    }
    shelf.willChange(\.[byHand: Intruder(1)])
    first.remove()
    isGreat.remove()
    let late = shelf.observe(\.[byHand: Intruder(1)].isGreat) { log.append($1.new == true ? 3 : 2) }
    shelf.didChange(\.[byHand: Intruder(1)])
    XCTAssertEqual(log, [])
    shelf[byHand: Intruder(1)] = 100
    XCTAssertEqual(log, [3])
    late.remove()
  }
}

extension Int {
  fileprivate var isGreat: Bool { self > 10 }
}
