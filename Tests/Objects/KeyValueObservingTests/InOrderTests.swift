import Foundation
import KeyValueObserving
import TestSupport
import XCTest

/// Observers with the option `inOrder` hear of changes in the order in which they were made, each with
/// its values, also of those that observers make within their calls.
final class InOrderTests: XCTestCase {
  func testEachObserverHearsChangesInTheirOrder() {
    expectOrder("property", \.age)
    expectOrder("through a link", \.mirror.age)
    expectOrder("of a value", \.age.bigEndian.bigEndian)
    expectOrder("computed", \.sameAge)
  }

  private func expectOrder(_ name: String, _ keyPath: KeyPath<Person, Int>) {
    let person = Person()
    var log: [String] = []
    person.observe(keyPath, options: [.old, .new, .inOrder]) { person, change in
      log.append("a \(change)")
      if change.new == 3 { person.age = 4 }
      if change.new == 4 { person.age = 5 }
      log.append("a ends")
    }
    person.observe(keyPath, options: [.old, .new, .inOrder]) { log.append("b \($1)") }
    for start in [0, 5] {
      log = []
      person.age = 3
      XCTAssertEqual(
        log,
        [
          "a setting old \(start) new 3", "a ends", "b setting old \(start) new 3",
          "a setting old 3 new 4", "a ends", "b setting old 3 new 4",
          "a setting old 4 new 5", "a ends", "b setting old 4 new 5",
        ], name)
    }
  }

  func testObserversWithoutTheOptionAreToldAtOnce() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.new]) { person, change in
      log.append("a \(change)")
      if change.new == 3 { person.age = 4 }
    }
    person.observe(\.age, options: [.new, .inOrder]) { log.append("b \($1)") }
    person.observe(\.age, options: [.new]) { log.append("c \($1)") }
    person.age = 3
    XCTAssertEqual(
      log,
      [
        "a setting new 3", "a setting new 4", "c setting new 4", "b setting new 3",
        "c setting new 3", "b setting new 4",
      ])
  }

  func testChangesOfSeveralPropertiesAreHeardInTheirOrder() {
    let person = Person()
    var log: [String] = []
    person.observe([\.age, \.name], options: [.new, .inOrder]) { person, path, change in
      log.append("\(change.new ?? "nothing")")
      if path == \.age { person.name = "of \(person.age)" }
    }
    person.observe(\.age, options: [.new, .inOrder]) { person, change in
      log.append("\(change.new.map { -$0 } ?? 0)")
      if change.new == 7 { person.age = 8 }
    }
    person.age = 7
    XCTAssertEqual(log, ["7", "-7", "of 7", "8", "-8", "of 8"])
  }

  // MARK: Mirrors

  /// Observers make random changes within their calls; each mirror replays those that it hears of.
  func testMirrorsOfCollectionsReplayRandomNestedChanges() {
    for seed in 0..<shortened(500) {
      let collections = Collections()
      var random = SeededGenerator(seed: UInt64(seed))
      var changesLeft = 30
      let changing = {
        var random = SeededGenerator(seed: UInt64(1_000 * seed + changesLeft))
        guard changesLeft > 0, Bool.random(using: &random) else { return }
        changesLeft -= 1
        collections.changeOne(by: &random)
      }
      let isBefore = Bool.random(using: &random)
      if isBefore { collections.observeAll { changing() } }
      let mirrors = (0..<2).map { _ in Mirror(of: collections, changing) }
      if !isBefore { collections.observeAll { changing() } }
      for _ in 0..<10 {
        collections.changeOne(by: &random)
        for mirror in mirrors {
          XCTAssertEqual(mirror.array, collections.array, "seed \(seed)")
          XCTAssertEqual(mirror.set, collections.set, "seed \(seed)")
          XCTAssertEqual(mirror.dictionary, collections.dictionary, "seed \(seed)")
          XCTAssertEqual(mirror.copy, collections.array, "seed \(seed)")
        }
      }
      for mirror in mirrors { XCTAssertEqual(mirror.mostCalls, 1, "seed \(seed)") }
    }
  }

  // MARK: Other calls

  func testATransactionWithinACallIsHeardAfterTheChangeOfThatCall() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.old, .new, .inOrder]) { person, change in
      log.append("a \(change)")
      guard change.new == 3 else { return }
      withChangeTransaction {
        person.age = 4
        person.age = 5
      }
    }
    person.observe(\.age, options: [.old, .new, .inOrder]) { log.append("b \($1)") }
    person.age = 3
    XCTAssertEqual(
      log,
      [
        "a setting old 0 new 3", "b setting old 0 new 3", "a setting old 3 new 5",
        "b setting old 3 new 5",
      ])
  }

  func testAChangeWithinACallAtTheEndOfATransactionIsHeardAfterIt() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.old, .new, .inOrder]) { person, change in
      log.append("a \(change)")
      if change.new == 3 { person.age = 4 }
    }
    person.observe(\.age, options: [.old, .new, .inOrder]) { log.append("b \($1)") }
    withChangeTransaction { person.age = 3 }
    XCTAssertEqual(
      log,
      [
        "a setting old 0 new 3", "b setting old 0 new 3", "a setting old 3 new 4",
        "b setting old 3 new 4",
      ])
  }

  func testAChangeWithinTheInitialCallIsHeardAfterIt() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.new, .initial, .inOrder]) { person, change in
      log.append("\(change)")
      if change.new == 0 { person.age = 1 }
      log.append("ends")
    }
    XCTAssertEqual(log, ["setting new 0", "ends", "setting new 1", "ends"])
  }

  func testAPriorCallThatHasWaitedComesBeforeTheCallForItsChange() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.old, .new, .prior, .inOrder]) { person, change in
      log.append("\(change)")
      if !change.isPrior, change.new == 3 { person.age = 4 }
    }
    person.age = 3
    XCTAssertEqual(
      log,
      [
        "will: setting old 0", "setting old 0 new 3", "will: setting old 3",
        "setting old 3 new 4",
      ])
  }

  func testEqualValuesAreComparedWithThoseOfTheirOwnChange() {
    let person = Person()
    var log: [String] = []
    person.observe(\.age, options: [.new, .distinct, .inOrder]) { person, change in
      log.append("\(change)")
      guard change.new == 3 else { return }
      person.age = 3
      person.age = 4
    }
    person.age = 3
    XCTAssertEqual(log, ["setting new 3", "setting new 4"])
  }

  // MARK: Ends

  func testAnObserverThatIsRemovedHearsNothingThatWaits() {
    let person = Person()
    var log: [String] = []
    var tokens: [KeyValueObservation] = []
    person.observe(\.age, options: [.new, .inOrder]) { person, change in
      guard change.new == 3 else { return }
      person.age = 4
      tokens.first?.remove()
    }
    tokens.append(person.observe(\.age, options: [.new, .inOrder]) { log.append("b \($1)") })
    tokens.append(
      person.observe(\.age, options: [.new, .inOrder]) { _, _ in throw Refused() })
    person.age = 3
    XCTAssertEqual(log, [])
    XCTAssertTrue(tokens.allSatisfy(\.isRemoved))
    XCTAssertNotNil(tokens.last?.failure)
  }

  private struct Refused: Error {}

  func testWhatWaitsIsFreedWhenTheChangeHasEnded() {
    var value: LifetimeTracker? = LifetimeTracker()
    weak let freed = value
    var holder: Holder? = Holder()
    weak let freedHolder = holder
    var isFirst = true
    holder?.observe(\.value, options: [.old, .new, .inOrder]) { holder, _ in
      guard isFirst else { return }
      isFirst = false
      holder.value = value
      holder.value = nil
    }
    holder?.value = nil
    value = nil
    XCTAssertNil(freed)
    holder = nil
    XCTAssertNil(freedHolder)
  }

  private final class LifetimeTracker {}

  private final class Holder: KeyValueObservable {
    @Observed var value: LifetimeTracker?
  }

  func testObserversOfThreadsOfTheirOwnDoNotWaitForOthers() {
    let failures = Recorder<String>()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for _ in 0..<shortened(2_000) {
        let person = Person()
        var ages: [Int] = []
        person.observe(\.age, options: [.new, .inOrder]) { person, change in
          if let age = change.new, age < 5 { person.age = age + 1 }
        }
        person.observe(\.age, options: [.new, .inOrder]) { ages.append($1.new ?? -1) }
        person.age = 1
        if ages != [1, 2, 3, 4, 5] { failures.record("\(ages)") }
      }
    }
    XCTAssertEqual(failures.entries, [])
  }
}

/// Collections whose changes observers replay.
private final class Collections: KeyValueObservable {
  @Observed var array = [0, 1, 2]
  @Observed var set: Set = [0, 1, 2]
  @Observed var dictionary = [0: 0, 1: 1]
  private var last = 100

  func observeAll(_ body: @escaping () -> Void) {
    observe(\.array) { _, _ in body() }
    observe(\.set) { _, _ in body() }
    observe(\.dictionary) { _, _ in body() }
  }

  func changeOne(by random: inout SeededGenerator) {
    last += 1
    let key = Int.random(in: 0..<5, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: $array.append(last)
    case 1: try? $array.insert(last, at: array.count / 2)
    case 2 where !array.isEmpty: _ = try? $array.remove(at: array.count - 1)
    case 3 where !array.isEmpty: try? $array.replace(at: 0, with: last)
    case 4: array.reverse()
    case 5: $set.insert(key)
    case 6: $set.remove(key)
    case 7: $dictionary.updateValue(last, forKey: key)
    case 8: $dictionary.removeValue(forKey: key)
    default: set = [key, last]
    }
  }
}

/// Copies of collections, made from their changes alone.
private final class Mirror {
  private(set) var array: [Int]
  private(set) var set: Set<Int>
  private(set) var dictionary: [Int: Int]
  private(set) var copy: [Int]
  private var calls = 0
  private(set) var mostCalls = 0

  init(of collections: Collections, _ body: @escaping () -> Void) {
    (array, set, dictionary) = (collections.array, collections.set, collections.dictionary)
    copy = collections.array
    let options: ObservingOptions = [.old, .new, .inOrder]
    collections.observe(\.array, options: options) { [unowned self] _, change in
      call(body) { replay(change) }
    }
    collections.observe(\.set, options: options) { [unowned self] _, change in
      call(body) { replay(change) }
    }
    collections.observe(\.dictionary, options: options) { [unowned self] _, change in
      call(body) { replay(change) }
    }
    collections.observe(\.array.description, options: options) { [unowned self] _, change in
      copy =
        change.new.map { $0.dropFirst().dropLast() }.map {
          $0.split(separator: ", ").compactMap { Int($0) }
        } ?? []
      XCTAssertNotEqual(change.old, nil)
    }
  }

  private func call(_ body: () -> Void, _ replay: () -> Void) {
    calls += 1
    mostCalls = max(calls, mostCalls)
    replay()
    body()
    calls -= 1
  }

  private func replay(_ change: Change<[Int]>) {
    let new = change.new ?? []
    switch change.kind {
    case .setting: array = new
    case .insertion:
      var members = new.makeIterator()
      for index in indexes(of: change) { array.insert(members.next() ?? -1, at: index) }
    case .removal: for index in indexes(of: change).reversed() { array.remove(at: index) }
    case .replacement:
      for (index, member) in zip(indexes(of: change), new) { array[index] = member }
    }
  }

  private func indexes(of change: Change<[Int]>) -> [Int] {
    change.indexes?.ranges.flatMap { Array($0) } ?? []
  }

  private func replay(_ change: Change<Set<Int>>) {
    switch change.kind {
    case .setting: set = change.new ?? []
    case .insertion: set.formUnion(change.new ?? [])
    case .removal: set.subtract(change.old ?? [])
    case .replacement:
      set.subtract(change.old ?? [])
      set.formUnion(change.new ?? [])
    }
  }

  private func replay(_ change: Change<[Int: Int]>) {
    switch change.kind {
    case .setting: dictionary = change.new ?? [:]
    case .insertion, .replacement: dictionary.merge(change.new ?? [:]) { $1 }
    case .removal: for key in (change.old ?? [:]).keys { dictionary[key] = nil }
    }
  }
}
