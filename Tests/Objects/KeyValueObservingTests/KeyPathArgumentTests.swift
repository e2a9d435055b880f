import KeyValueObserving
import TestSupport
import XCTest

/// Key paths with arguments, `\.[key]`: what these do when they are hashed and compared, and how
/// long they live.
final class KeyPathArgumentTests: XCTestCase {
  private final class Shelf: KeyValueObservable {
    @Observed var count = 0
    private var stored: [Int: Int] = [:]

    /// Reads an observed property.
    subscript(key: Intruder) -> Int { count + key.number }

    /// Is changed manually.
    subscript(manual key: Intruder) -> Int {
      get {
        willRead(\.[manual: key])
        return stored[key.number] ?? 0
      }
      set { withChange(of: \.[manual: key]) { stored[key.number] = newValue } }
    }
  }

  /// Each way to use a key path with an argument.
  private let uses: [(name: String, body: @Sendable (Shelf, Intruder) -> Void)] = [
    ("observe", { $0.observe(\.[$1]) { _, _ in }.remove() }),
    ("observe, manual", { $0.observe(\.[manual: $1]) { _, _ in }.remove() }),
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
      "a manual change",
      { shelf, key in
        let token = shelf.observe(\.[manual: key], options: .everything) { _, _ in }
        shelf[manual: key] += 1
        token.remove()
      }
    ),
    (
      "a manual change during which the last observer goes",
      { shelf, key in
        let token = shelf.observe(\.[manual: key]) { _, _ in }
        shelf.withChange(of: \.[manual: key]) { _ = token.remove() }
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
        shelf.observe(\.[manual: Intruder(1)]) { _, _ in }
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
          shelf[manual: Intruder(1)] += 1
          shelf.count += 1
          _ = shelf[Intruder(1)]
          same.remove()
          shelf.removeObservers(of: \.[manual: Intruder(2)])
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
    shelf.observe(\.[manual: Intruder(1)], options: [.old, .new]) { log.append("one \($1)") }
    shelf.observe(\.[manual: Intruder(2)]) { log.append("two \($1)") }
    shelf[manual: Intruder(1)] = 5
    shelf[manual: Intruder(2)] = 7
    XCTAssertEqual(log, ["one setting old 0 new 5", "two setting new 7"])
    XCTAssertEqual(shelf.removeObservers(of: \.[manual: Intruder(1)]), 1)
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

  func testAManualChangeIsToldAtItsEndThoughItsObserverIsReplacedWithin() {
    let shelf = Shelf()
    var log: [Int] = []
    let first = shelf.observe(\.[manual: Intruder(1)]) { _, _ in }
    let isGreat = shelf.observe(\.[manual: Intruder(1)].isGreat) {
      log.append($1.new == true ? 1 : 0)
    }
    shelf.willChange(\.[manual: Intruder(1)])
    first.remove()
    isGreat.remove()
    let late = shelf.observe(\.[manual: Intruder(1)].isGreat) { log.append($1.new == true ? 3 : 2) }
    shelf.didChange(\.[manual: Intruder(1)])
    XCTAssertEqual(log, [])
    shelf[manual: Intruder(1)] = 100
    XCTAssertEqual(log, [3])
    late.remove()
  }
}

extension Int {
  fileprivate var isGreat: Bool { self > 10 }
}
