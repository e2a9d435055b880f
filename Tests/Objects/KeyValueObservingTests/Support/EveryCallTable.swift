import DelayedBlocks
import KeyValueObserving
import TestSupport

/// A class whose values are intruders, in properties of every kind.
final class House: KeyValueCoding {
  @Observed var count = 0
  @Observed var guest: Intruder? = Intruder(0)
  @Observed var list = (0..<4).map(Intruder.init)
  @Observed var set = Set((0..<4).map(Intruder.init))
  @Observed var table = Dictionary(
    uniqueKeysWithValues: (0..<4).map { (Intruder($0), Intruder($0)) })
  @Observed var named = ["one": Intruder(1)]
  @Observed var rooms: [House] = []
  @ObservedWeak var weak: Intruder?
  @ManuallyObserved var manual: Intruder? = Intruder(0)
  private var stored: [Int: Intruder] = [:]

  var first: Intruder? { list.first }

  subscript(key: Intruder) -> Int { count + key.number }

  subscript(manual key: Intruder) -> Intruder? {
    get {
      willRead(\.[manual: key])
      return stored[key.number]
    }
    set { withChange(of: \.[manual: key]) { stored[key.number] = newValue } }
  }

  static var keys: KeyTable {
    [
      "count": \House.count, "guest": \House.guest, "list": \House.list, "set": \House.set,
      "table": \House.table, "named": \House.named, "rooms": \House.rooms, "first": \House.first,
      "indexed": \House[Intruder(1)],
    ]
  }

  static var dependentKeys: DependentKeys {
    [\House[Intruder(1)]: [\House.guest], \House.first: [\House[manual: Intruder(1)]]]
  }
}

/// Every public call of the module that takes, compares or lets go values of the user's.
enum EveryCall {
  typealias Call = (name: String, body: @Sendable (House) throws -> Void)

  static let all: [Call] = observing + changes + collections + coding

  /// Observes in every way, so that what the calls change is told.
  static func observe(_ house: House) {
    house.observe(\.guest, options: .everything) { _, _ in }
    house.observe(\.first, options: .everything) { _, _ in }
    house.observe(\.list, options: .everything) { _, _ in }
    house.observe(\.set, options: .everything) { _, _ in }
    house.observe(\.table, options: .everything) { _, _ in }
    house.observe(\.named, options: .everything) { _, _ in }
    house.observe(\.weak, options: .everything) { _, _ in }
    house.observe(\.manual, options: .everything) { _, _ in }
    house.observe(\.[Intruder(1)], options: .everything) { _, _ in }
    house.observe(\.[manual: Intruder(1)], options: .everything) { _, _ in }
    house.observe([\.guest, \.[Intruder(2)]], options: .everything) { _, _, _ in }
    _ = try? house.observe(keyPath: "indexed", options: .everything) { _, _ in }
    _ = try? house.observe(keyPath: "list.@distinctUnionOfObjects", options: .everything) { _, _ in
    }
    _ = try? house.observe(keyPath: "set.@max", options: .everything) { _, _ in }
  }

  private static let observing: [Call] = [
    ("observe", { $0.observe(\.guest, options: .everything) { _, _ in }.remove() }),
    ("observe, with an argument", { $0.observe(\.[Intruder(1)]) { _, _ in }.remove() }),
    ("observe, manual", { $0.observe(\.[manual: Intruder(1)]) { _, _ in }.remove() }),
    (
      "observe, a capture",
      { house in
        let guest = Intruder(5)
        house.observe(\.count) { _, _ in _ = guest }.remove()
      }
    ),
    ("observe, several", { $0.observe([\.guest, \.[Intruder(1)]]) { _, _, _ in }.remove() }),
    (
      "observe, on a target",
      { house in
        let token = house.observe(\.guest, options: .everything, on: .inline) { _ in }
        house.guest = Intruder(6)
        token.remove()
      }
    ),
    (
      "observe, a failure",
      { house in
        struct Failure: Error { let intruder = Intruder(5) }
        house.observe(\.count) { _, _ in throw Failure() }
        house.count += 1
      }
    ),
    ("observe a key path of strings", { try $0.observe(keyPath: "first") { _, _ in }.remove() }),
    (
      "observeElements",
      { house in
        house.rooms = [House(), House()]
        let token = house.observeElements(of: \.rooms, \.[Intruder(1)], options: .everything) {
          _, _ in
        }
        house.rooms[0].count += 1
        house.rooms = [House()]
        house.rooms = []
        token.remove()
      }
    ),
    (
      "changes",
      { house in
        for buffering in ObservedChanges<Intruder>.Buffering.allCases {
          let changes = house.changes(of: \.guest, options: .everything, buffering: buffering)
          house.guest = Intruder(7)
          house.guest = Intruder(8)
          changes.observation.remove()
        }
      }
    ),
    ("removeObservers", { $0.removeObservers() }),
    ("removeObservers, of a name", { $0.removeObservers(name: "name") }),
    ("removeObservers, with an argument", { $0.removeObservers(of: \.[Intruder(1)]) }),
    ("removeObservers, of strings", { $0.removeObservers(ofKeyPath: "indexed") }),
    (
      "observations",
      { house in
        for token in house.observations { _ = "\(token) \(token.keyPaths)" }
      }
    ),
    (
      "bind",
      { house in
        let owner = House()
        house.observe(\.[Intruder(1)]) { _, _ in }.bind(to: owner)
      }
    ),
    ("scoped", { _ = $0.observe(\.[Intruder(1)]) { _, _ in }.scoped() }),
    ("removeAndWait", { $0.observe(\.[Intruder(1)]) { _, _ in }.removeAndWait() }),
    ("the end of an object", { _ in observe(House()) }),
  ]

  private static let changes: [Call] = [
    ("set", { $0.guest = Intruder(1) }),
    ("set an equal one", { $0.guest = Intruder(0) }),
    (
      "set a weak one",
      { house in
        let guest = Intruder(1)
        house.weak = guest
        house.weak = nil
        house.weak = guest
      }
    ),
    ("set a manual one", { $0.manual = Intruder(1) }),
    ("withChange", { house in house.withChange(of: \.manual) { house.manual = Intruder(2) } }),
    ("withChange, with an argument", { $0[manual: Intruder(1)] = Intruder(9) }),
    (
      "willChange, didChange",
      { house in
        house.willChange(\.[manual: Intruder(1)], .setting)
        house.didChange(\.[manual: Intruder(1)])
        house.willChange(\.[Intruder(4)])
        house.didChange(\.[Intruder(4)])
      }
    ),
    (
      "withChangeTransaction",
      { house in
        withChangeTransaction {
          house.guest = Intruder(3)
          house.guest = nil
          house.$list.append(Intruder(3))
          house.$set.removeAll()
          house.count += 1
        }
      }
    ),
    ("read", { house in _ = (house.first, house[Intruder(1)], house[manual: Intruder(1)]) }),
    (
      "Change",
      { _ in
        let change = Change(kind: .setting, old: Intruder(1), new: Intruder(1))
        _ = "\(change) \(change == change) \(change.hashValue)"
      }
    ),
    ("mutate", { _ = $0.$guest.mutate { $0.take() } }),
    ("mutate a collection", { _ = $0.$list.mutate { $0.popLast() } }),
    ("value", { _ = $0.$set.value }),
  ]

  private static let collections: [Call] = [
    ("array, append", { $0.$list.append(contentsOf: [Intruder(4), Intruder(5)]) }),
    ("array, insert", { try $0.$list.insert(Intruder(4), at: 0) }),
    ("array, remove", { try $0.$list.remove(at: 0) }),
    ("array, remove places", { try $0.$list.remove(at: RangeSet(0..<1)) }),
    ("array, removeAll", { $0.$list.removeAll() }),
    ("array, removeAll(where:)", { house in house.$list.removeAll { house.list.contains($0) } }),
    ("array, replace", { try $0.$list.replace(at: 0, with: Intruder(4)) }),
    ("array, swapAt", { try $0.$list.swapAt(0, 1) }),
    (
      "array, replaceSubrange",
      { house in
        try house.$list.replaceSubrange(
          0..<2, with: house.list.lazy.map { Intruder($0.number) }.prefix(1))
      }
    ),
    ("set, insert", { $0.$set.insert(Intruder(4)) }),
    ("set, remove", { $0.$set.remove(Intruder(0)) }),
    (
      "set, formUnion",
      { house in house.$set.formUnion(house.set.lazy.map { Intruder($0.number + 1) }) }
    ),
    (
      "set, subtract",
      { house in house.$set.subtract(house.set.lazy.map { Intruder($0.number + 1) }) }
    ),
    (
      "set, formIntersection",
      { house in house.$set.formIntersection(house.set.lazy.filter { $0 > Intruder(1) }) }
    ),
    ("set, replaceAll", { $0.$set.replaceAll(with: (2..<5).map(Intruder.init)) }),
    ("set, removeAll", { $0.$set.removeAll() }),
    ("dictionary, updateValue", { $0.$table.updateValue(Intruder(4), forKey: Intruder(0)) }),
    ("dictionary, removeValue", { $0.$table.removeValue(forKey: Intruder(0)) }),
    (
      "dictionary, merge",
      { house in
        house.$table.merge(
          house.table.lazy.map { (key: Intruder($0.key.number + 1), value: $0.value) })
      }
    ),
    ("dictionary, removeAll", { $0.$table.removeAll() }),
  ]

  private static let coding: [Call] = [
    ("value(forKey:)", { _ = try $0.value(forKey: "indexed") }),
    ("value(forKeyPath:)", { _ = try $0.value(forKeyPath: "table.@count") }),
    ("@min", { _ = try $0.value(forKeyPath: "list.@min") }),
    ("@max", { _ = try $0.value(forKeyPath: "set.@max") }),
    ("@distinctUnionOfObjects", { _ = try $0.value(forKeyPath: "list.@distinctUnionOfObjects") }),
    ("@unionOfObjects", { _ = try $0.value(forKeyPath: "table.@unionOfObjects") }),
    ("setValue(forKey:)", { try $0.setValue(Intruder(3), forKey: "guest") }),
    ("setValue, nil", { try $0.setValue(nil, forKey: "guest") }),
    ("setValue, a wrong one", { try? $0.setValue(Intruder(3), forKey: "count") }),
    ("setValue(forKeyPath:)", { try $0.setValue(Intruder(3), forKeyPath: "named.one") }),
    ("setValue(forKeyPath:), nil", { try $0.setValue(nil, forKeyPath: "named.one") }),
    ("@unionOfArrays", { _ = try $0.value(forKeyPath: "rooms.@distinctUnionOfArrays.list") }),
    ("@unionOfSets", { _ = try $0.value(forKeyPath: "rooms.@distinctUnionOfSets.set") }),
    ("validateValue(forKey:)", { _ = try $0.validateValue(Intruder(3), forKey: "guest") }),
    ("dictionaryWithValues(forKeys:)", { _ = try $0.dictionaryWithValues(forKeys: ["guest"]) }),
    (
      "setValuesForKeys",
      { try $0.setValuesForKeys(["guest": Intruder(3), "list": [Intruder(1)]]) }
    ),
    ("mutableArrayValue, append", { try $0.mutableArrayValue(forKey: "list").append(Intruder(3)) }),
    ("mutableArrayValue, remove", { try $0.mutableArrayValue(forKey: "list").remove(at: 0) }),
    (
      "mutableArrayValue, replace",
      { try $0.mutableArrayValue(forKey: "list").replace(at: 0, with: Intruder(7)) }
    ),
    (
      "mutableArrayValue, replaceSubrange",
      {
        try $0.mutableArrayValue(forKey: "list").replaceSubrange(0..<2, with: [Intruder(8)])
      }
    ),
    ("mutableArrayValue, removeAll", { try $0.mutableArrayValue(forKey: "list").removeAll() }),
    ("mutableSetValue, insert", { try $0.mutableSetValue(forKey: "set").insert(Intruder(9)) }),
    ("mutableSetValue, remove", { try $0.mutableSetValue(forKey: "set").remove(Intruder(0)) }),
    (
      "mutableSetValue, formIntersection",
      { try $0.mutableSetValue(forKey: "set").formIntersection([Intruder(1), Intruder(2)]) }
    ),
    (
      "mutableSetValue, replaceAll",
      { try $0.mutableSetValue(forKey: "set").replaceAll(with: [Intruder(1), Intruder(7)]) }
    ),
  ]
}
