import KeyValueObserving
import XCTest

/// What a setter does for observers who want different things.
final class SettingTests: XCTestCase {
  func testTheValueIsSetOnceAndBetweenTheCallsBeforeAndAfter() {
    let cases: [(options: [ObservingOptions], log: [String])] = [
      ([], []),
      ([.new], ["setting new 1, is 1"]),
      ([[]], ["setting, is 1"]),
      ([.old], ["setting old 0, is 1"]),
      ([.prior], ["will: setting, is 0", "setting, is 1"]),
      (
        [.new, [], [.prior, .old]],
        [
          "will: setting old 0, is 0", "setting new 1, is 1", "setting, is 1",
          "setting old 0, is 1",
        ]
      ),
    ]
    for (options, expected) in cases {
      let person = Person()
      var log: [String] = []
      for options in options {
        person.observe(\.age, options: options) { log.append("\($1), is \($0.age)") }
      }
      person.age = 1
      XCTAssertEqual(log, expected)
      XCTAssertEqual(person.age, 1)
    }
  }

  func testASetWithinTheCallBeforeIsOverwritten() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.prior, .old, .new]) { person, change in
      let isFirst = log.isEmpty
      log.append("\(change), is \(person.age)")
      if isFirst { person.age = 5 }
    }
    person.age = 1
    XCTAssertEqual(
      log,
      [
        "will: setting old 0, is 0", "will: setting old 0, is 0", "setting old 0 new 5, is 5",
        "setting old 0 new 1, is 1",
      ])
    XCTAssertEqual(person.age, 1)
  }

  func testASetWithinAManualChangeSetsAndTellsNobody() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.prior, .old, .new]) { log.append("\($1)") }
    person.withChange(of: \.age) {
      log.removeAll()
      person.age = 1
      XCTAssertEqual(person.age, 1)
      XCTAssertEqual(log, [])
    }
    XCTAssertEqual(log, ["setting old 0 new 1"])
  }

  func testTheEndOfTheValueBeforeMayReadTheProperty() {
    for options: ObservingOptions? in [nil, .new, .old, .prior] {
      let holder = Holder()
      if let options { holder.observe(\.item, options: options) { _, _ in } }
      var seen: [Bool] = []
      holder.item = Item { [unowned holder] in seen.append(holder.item == nil) }
      holder.item = nil
      XCTAssertEqual(seen, [true])
    }
  }
}

private final class Item {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end() }
}

private final class Holder: KeyValueObservable {
  @Observed var item: Item?
}
