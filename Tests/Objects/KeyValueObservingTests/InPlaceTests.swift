import KeyValueObserving
import TestSupport
import XCTest

/// Changes of collections in place: nothing is copied where no observer asks for the value before.
final class InPlaceTests: XCTestCase {
  /// Observers, and how often the value is copied by each change.
  private let observers: [(name: String, copies: Int, observe: (BookShelf) -> Void)] = [
    ("none", 0, { _ in }),
    ("removed", 0, { $0.observe(\.books, options: .old) { _, _ in }.remove() }),
    ("nothing", 0, { $0.observe(\.books, options: []) { _, _ in } }),
    ("new", 0, { $0.observe(\.books) { _, _ in } }),
    ("prior", 0, { $0.observe(\.books, options: [.prior, .new]) { _, _ in } }),
    (
      "distinct, not comparable", 0,
      { $0.observe(\.books, options: [.new, .distinct]) { _, _ in } }
    ),
    ("path", 0, { $0.observe(\.itself?.books) { _, _ in } }),
    ("path with prior", 0, { $0.observe(\.itself?.books, options: [.prior, .new]) { _, _ in } }),
    (
      "count, with everything", 0,
      {
        $0.observe(\.books.count, options: [.prior, .old, .new, .distinct]) { _, _ in }
      }
    ),
    ("computed", 0, { $0.observe(\.numberOfBooks, options: [.old, .new]) { _, _ in } }),
    ("several", 0, { $0.observe([\.books, \.books.count]) { _, _, _ in } }),
    ("old", 1, { $0.observe(\.books, options: .old) { _, _ in } }),
    ("old and prior", 1, { $0.observe(\.books, options: [.prior, .old]) { _, _ in } }),
    ("old of a path", 1, { $0.observe(\.itself?.books, options: .old) { _, _ in } }),
  ]

  /// Ways to change it.
  private let changes: [(name: String, change: (BookShelf) -> Void)] = [
    ("append", { $0.books.add() }),
    ("mutate", { $0.$books.mutate { $0.add() } }),
    ("manually", { shelf in shelf.withChange(of: \.books) { shelf.books.add() } }),
    (
      "in a function",
      { shelf in
        func add(_ books: inout Books) { books.add() }
        add(&shelf.books)
      }
    ),
  ]

  func testACollectionIsCopiedOnlyForAnObserverThatAsksForTheOldValue() {
    for (name, copies, observe) in observers {
      for (way, change) in changes {
        let shelf = BookShelf()
        observe(shelf)
        for _ in 0..<10 { change(shelf) }
        XCTAssertEqual(shelf.books.copies, 10 * copies, "\(name), \(way)")
        XCTAssertEqual(shelf.books.count, 10)
        shelf.itself = nil
      }
    }
  }

  func testATransactionCopiesNothingForItsLastValue() {
    let shelf = BookShelf()
    var told: [Int?] = []
    shelf.observe(\.books) { told.append($1.new?.count) }
    shelf.observe(\.itself?.books) { told.append($1.new?.count) }
    withChangeTransaction {
      for _ in 0..<10 { shelf.books.add() }
      for _ in 0..<10 { shelf.$books.mutate { $0.add() } }
    }
    XCTAssertEqual(shelf.books.copies, 0)
    XCTAssertEqual(told, [20, 20])
    shelf.itself = nil
  }

  func testAManuallyObservedCollectionIsChangedInPlace() {
    let shelf = BookShelf()
    shelf.observe(\.lent, options: [.prior, .new]) { _, _ in }
    for _ in 0..<10 { shelf.withChange(of: \.lent) { shelf.lent.add() } }
    XCTAssertEqual(shelf.lent.copies, 0)
  }

  func testStandardCollectionsKeepTheirStorage() {
    let team = Team()
    var count = 0
    team.observe(\.scores) { _, _ in count += 1 }
    team.observe(\.tags) { _, _ in count += 1 }
    team.observe(\.results) { _, _ in count += 1 }
    team.observe(\.count, options: [.old, .new]) { _, _ in count += 1 }
    team.scores.reserveCapacity(100)
    team.tags.reserveCapacity(100)
    team.results.reserveCapacity(100)
    func storages() -> [UInt] {
      // SAFETY: these collections are one word, which is only compared.
      unsafe [
        unsafeBitCast(team.scores, to: UInt.self), unsafeBitCast(team.tags, to: UInt.self),
        unsafeBitCast(team.results, to: UInt.self),
      ]
    }
    let before = storages()
    for index in 0..<50 {
      team.scores.append(index)
      team.$scores.append(index)
      team.tags.insert("\(index)")
      team.$tags.insert("b\(index)")
      team.results["\(index)"] = index
      team.results["0", default: 0] += 1
      team.$results.updateValue(index, forKey: "b\(index)")
    }
    XCTAssertEqual(storages(), before)
    XCTAssertEqual(count, 50 * 9 + 4)
  }

  func testAnAppendToAnUnobservedCollectionItselfAllocatesNothing() {
    let team = Team()
    team.scores.reserveCapacity(1_000)
    let count = numberOfAllocations { for index in 0..<100 { team.$scores.append(index) } }
    XCTAssertEqual(team.scores.count, 100)
    #if !DEBUG
    XCTAssertEqual(count, 0)
    #endif
  }

  func testAChangeInPlaceIsASettingAndThatOfTheProjectionKeepsItsKind() {
    let team = Team()
    var log: [String] = []
    team.observe(\.scores, options: [.old, .new]) { log.append("\($1)") }
    team.scores.append(1)
    team.$scores.append(2)
    team.scores[0] = 3
    XCTAssertEqual(
      log,
      [
        "setting old [] new [1]", "insertion at 1 new [2]", "setting old [1, 2] new [3, 2]",
      ])
  }

  func testPriorObserversComeBeforeTheAccessAndOthersAfterIt() {
    let team = Team()
    var log: [String] = []
    team.observe(\.scores, options: [.prior, .old, .new]) { team, change in
      log.append("\(change) now \(team.scores)")
      if log.count == 1 { team.scores = [7] }
    }
    team.scores.append(1)
    XCTAssertEqual(
      log,
      [
        "will: setting old [] now []", "will: setting old [] now []",
        "setting old [] new [7] now [7]", "setting old [] new [7, 1] now [7, 1]",
      ])
  }

  func testAnAccessThatThrowsEndsItsChange() {
    struct Failure: Error {}
    func fail(_ scores: inout [Int]) throws {
      scores.append(1)
      throw Failure()
    }
    let team = Team()
    var log: [String] = []
    team.observe(\.scores, options: [.old, .new]) { team, change in
      log.append("\(change) now \(team.scores)")
    }
    XCTAssertThrowsError(try fail(&team.scores))
    team.scores.append(2)
    XCTAssertEqual(
      log, ["setting old [] new [1] now [1]", "setting old [1] new [1, 2] now [1, 2]"])
  }

  func testASetWithinACallAfterAChangeInPlace() {
    let team = Team()
    var log: [String] = []
    team.observe(\.scores, options: [.old, .new]) { team, change in
      log.append("a \(change)")
      if team.scores.count < 3 { team.scores.append(team.scores.count) }
    }
    team.observe(\.count, options: [.old, .new]) { log.append("b \($1)") }
    team.scores.append(0)
    XCTAssertEqual(
      log,
      [
        "a setting old [] new [0]", "a setting old [0] new [0, 1]",
        "a setting old [0, 1] new [0, 1, 2]", "b setting old 2 new 3", "b setting old 1 new 2",
        "b setting old 0 new 1",
      ])
  }

  func testAPropertyWithItsOwnObserversTellsAsOftenAsIsSet() {
    let shelf = BookShelf()
    var log: [Int?] = []
    shelf.observe(\.watched) { log.append($1.new?.count) }
    shelf.watched.append(1)
    shelf.watched.append(2)
    XCTAssertEqual(log, [1, 2])
    XCTAssertEqual(shelf.numberOfSets, 2)
  }

  func testAValueThatIsGivenToAnObserverStaysWhatItWas() {
    let team = Team()
    var values: [[Int]] = []
    team.observe(\.scores) { _, change in if let new = change.new { values.append(new) } }
    for index in 0..<4 { team.scores.append(index) }
    XCTAssertEqual(values, [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]])
  }
}

/// A collection that counts its copies.
private struct Books {
  private final class Storage {
    var count: Int
    init(_ count: Int) { self.count = count }
  }

  private var storage = Storage(0)
  private(set) var copies = 0

  var count: Int { storage.count }

  mutating func add() {
    if !isKnownUniquelyReferenced(&storage) {
      copies += 1
      storage = Storage(storage.count)
    }
    storage.count += 1
  }
}

private final class BookShelf: KeyValueObservable {
  @Observed var books = Books()
  @ManuallyObserved var lent = Books()
  @Observed var itself: BookShelf?
  @Observed var watched: [Int] = [] { didSet { numberOfSets += 1 } }
  var numberOfSets = 0
  var numberOfBooks: Int { books.count }

  init() { itself = self }
}
