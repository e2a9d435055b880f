import KeyValueObserving
import TestSupport
import XCTest

/// Members that are removed end when nobody accesses the property any more: their ends may use it,
/// and every other one.
final class RemovedMembersTests: XCTestCase {
  private final class Club: KeyValueObservable {
    @Observed var list: [Intruder] = []
    @Observed var set: Set<Intruder> = []
    @Observed var table: [Intruder: Intruder] = [:]
    @Observed var value: Intruder?
    @ManuallyObserved var manual: Intruder?
    @Observed var count = 0
    var total: Int { list.count + set.count + table.count }

    init() { fill() }

    func fill() {
      list = (0..<6).map(Intruder.init)
      set = Set((0..<6).map(Intruder.init))
      table = Dictionary(uniqueKeysWithValues: (0..<6).map { (Intruder($0), Intruder($0 + 10)) })
      value = Intruder(0)
      manual = Intruder(0)
    }
  }

  /// Everything that removes members, and what else frees a value.
  private let mutators: [(name: String, body: @Sendable (Club) throws -> Void)] = [
    ("array, remove(at:)", { try $0.$list.remove(at: 1) }),
    ("array, remove(at: places)", { try $0.$list.remove(at: RangeSet([0..<2, 3..<4])) }),
    ("array, remove(at: all places)", { try $0.$list.remove(at: RangeSet(0..<6)) }),
    ("array, removeAll", { $0.$list.removeAll() }),
    ("array, removeAll(where:)", { $0.$list.removeAll { $0.number.isMultiple(of: 2) } }),
    ("array, replace", { try $0.$list.replace(at: 0, with: Intruder(7)) }),
    (
      "array, replaceSubrange, as many",
      {
        try $0.$list.replaceSubrange(1..<3, with: [Intruder(7), Intruder(8)])
      }
    ),
    (
      "array, replaceSubrange, all",
      {
        try $0.$list.replaceSubrange(0..<6, with: (10..<16).map(Intruder.init))
      }
    ),
    ("array, replaceSubrange, fewer", { try $0.$list.replaceSubrange(1..<4, with: [Intruder(7)]) }),
    ("array, replaceSubrange, none", { try $0.$list.replaceSubrange(1..<4, with: []) }),
    ("array, handed out by mutate", { _ = $0.$list.mutate { $0.removeLast() } }),
    ("set, remove", { $0.$set.remove(Intruder(1)) }),
    ("set, subtract", { $0.$set.subtract([Intruder(1), Intruder(2)]) }),
    ("set, subtract all", { $0.$set.subtract((0..<6).map(Intruder.init)) }),
    ("set, formIntersection", { $0.$set.formIntersection([Intruder(1), Intruder(2)]) }),
    ("set, formIntersection, nothing", { $0.$set.formIntersection([]) }),
    ("set, replaceAll", { $0.$set.replaceAll(with: [Intruder(1), Intruder(7)]) }),
    ("set, insert an equal one", { $0.$set.insert(Intruder(1)) }),
    ("set, formUnion", { $0.$set.formUnion([Intruder(1), Intruder(7)]) }),
    ("set, removeAll", { $0.$set.removeAll() }),
    ("dictionary, updateValue", { $0.$table.updateValue(Intruder(20), forKey: Intruder(1)) }),
    ("dictionary, removeValue", { $0.$table.removeValue(forKey: Intruder(1)) }),
    (
      "dictionary, merge",
      {
        $0.$table.merge(
          [(Intruder(1), Intruder(20)), (Intruder(7), Intruder(21))].map { ($0, $1) })
      }
    ),
    ("dictionary, removeAll", { $0.$table.removeAll() }),
    ("array, set", { $0.list = [] }),
    ("set, set", { $0.set = [] }),
    ("dictionary, set", { $0.table = [:] }),
    ("value, set", { $0.value = nil }),
    ("manual value, set", { $0.manual = nil }),
    ("manual value, set manually", { club in club.withChange(of: \.manual) { club.manual = nil } }),
    ("handed out in place", { _ = $0.list.removeLast() }),
    (
      "in a transaction",
      { club in
        withChangeTransaction {
          club.$list.removeAll()
          club.$set.removeAll()
          club.$table.removeAll()
        }
      }
    ),
  ]

  /// Who observes.
  private let observers: [(name: String, body: @Sendable (Club) -> Void)] = [
    ("nobody", { _ in }),
    (
      "observers that are told nothing",
      { club in
        club.observe(\.list, options: []) { _, _ in }
        club.observe(\.set, options: []) { _, _ in }
        club.observe(\.table, options: []) { _, _ in }
      }
    ),
    (
      "observers of everything",
      { club in
        club.observe(\.list, options: .everything) { _, _ in }
        club.observe(\.set, options: .everything) { _, _ in }
        club.observe(\.table, options: .everything) { _, _ in }
        club.observe(\.value, options: .everything) { _, _ in }
        club.observe(\.manual, options: .everything) { _, _ in }
      }
    ),
    (
      "paths",
      { club in
        club.observe(\.total, options: .everything) { _, _ in }
        club.observe(\.value?.number, options: .everything) { _, _ in }
      }
    ),
    (
      "observers that remove themselves",
      { club in
        for path in [\Club.list, \.set, \.table] as [PartialKeyPath<Club>] {
          club.observe([path]) { club, path, _ in club.removeObservers(of: path) }
        }
      }
    ),
    (
      others,
      { club in
        var isOver = false
        func once(_ change: () -> Void) {
          guard !isOver else { return }
          isOver = true
          change()
        }
        club.observe(\.list, options: [.prior]) { club, _ in once { club.list += [Intruder(8)] } }
        club.observe(\.set, options: [.prior]) { club, _ in
          once { club.set = Set((0..<7).map(Intruder.init)) }
        }
        club.observe(\.table, options: [.prior]) { club, _ in
          once {
            club.table = Dictionary(
              uniqueKeysWithValues: (0..<9).map { (Intruder($0), Intruder($0 + 30)) })
          }
        }
      }
    ),
  ]

  private static let others = "observers that put others in before"

  /// What the ends of members do.
  private let ends: [(name: String, body: @Sendable (Club) -> Void)] = [
    ("reads", { _ = $0.total + ($0.value?.number ?? 0) + ($0.manual?.number ?? 0) }),
    ("sets", { $0.fill() }),
    (
      "changes in place",
      { club in
        club.$list.append(Intruder(9))
        club.$set.insert(Intruder(9))
        club.$table.updateValue(Intruder(9), forKey: Intruder(9))
        club.$list.removeAll()
        club.$set.removeAll()
        club.$table.removeAll()
      }
    ),
    (
      "observes",
      { club in
        let tokens = [
          club.observe(\.list, options: .everything) { _, _ in },
          club.observe(\.set, options: .everything) { _, _ in },
          club.observe(\.total, options: .everything) { _, _ in },
          club.observe([\.table, \.value, \.manual, \.count]) { _, _, _ in },
        ]
        club.count += 1
        for token in tokens { token.remove() }
      }
    ),
    (
      "removes observers",
      { club in
        club.removeObservers(of: \.list)
        club.removeObservers(of: \.count)
        club.removeObservers()
      }
    ),
  ]

  func testTheEndsOfRemovedMembersMayUseTheProperty() {
    for (name, change) in mutators {
      for (who, observe) in observers {
        for (what, end) in ends {
          let hasEnded = expectToEnd("\(name), observed by \(who), where an end \(what),") {
            let club = Club()
            observe(club)
            Intruder.acting({ if $0 == .end { end(club) } }) {
              Self.make(change, of: club, observedBy: who)
            }
          }
          guard hasEnded else { return }
        }
      }
    }
  }

  private static func make(
    _ change: (Club) throws -> Void, of club: Club, observedBy observers: String
  ) {
    do {
      try change(club)
    } catch {
      // Places are no longer what they were.
      XCTAssertEqual(observers, others, "\(error)")
    }
  }

  func testNoMemberIsKept() {
    for (name, change) in mutators {
      for (who, observe) in observers {
        let before = Intruder.alive
        do {
          let club = Club()
          observe(club)
          Self.make(change, of: club, observedBy: who)
          XCTAssertEqual(
            Intruder.alive - before,
            club.list.count + club.set.count + 2 * club.table.count + (club.value == nil ? 0 : 1)
              + (club.manual == nil ? 0 : 1), "\(name), \(who)")
        }
        XCTAssertEqual(Intruder.alive, before, "\(name), \(who)")
      }
    }
  }

  func testMembersEndAfterTheChangeIsMade() {
    let club = Club()
    var log: [String] = []
    club.observe(\.list) { log.append("\($1.kind)") }
    Intruder.acting({ if $0 == .end { log.append("end, \(club.list.count) left") } }) {
      club.$list.removeAll { $0.number == 1 }
      club.$list.removeAll()
    }
    XCTAssertEqual(
      log, ["removal", "end, 5 left", "removal"] + Array(repeating: "end, 0 left", count: 5))
  }
}
