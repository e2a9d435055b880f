import KeyValueObserving
import TestSupport
import XCTest

/// Code of the user's runs under no lock: whatever call of the library runs it, it may call the
/// library.
final class EveryCallTests: XCTestCase {
  /// What an intruder does.
  private let intrusions: [(name: String, body: @Sendable (House, Intruder.Occasion) -> Void)] = [
    (
      "observe",
      { house, _ in
        house.observe(\.count, options: .everything) { _, _ in }
        house.observe([\.count]) { _, _, _ in }
      }
    ),
    (
      "remove",
      { house, _ in
        house.removeObservers(of: \.[Intruder(1)])
        house.removeObservers(of: \.first)
        house.removeObservers()
      }
    ),
    (
      "set",
      { house, _ in
        house.count += 1
        house.withChange(of: \.[manual: Intruder(2)]) {}
        withChangeTransaction { house.count += 1 }
      }
    ),
    ("read", { house, _ in _ = house[Intruder(1)] + house.count }),
    (
      "use what is changed",
      { house, occasion in
        // What hashes and compares members of a set or dictionary runs while that is changed.
        guard occasion == .end else { return }
        house.observe(\.first, options: .everything) { _, _ in }.remove()
        house.guest = Intruder(11)
        house.manual = Intruder(11)
        house.weak = house.guest
        house.list.append(Intruder(11))
        house.$list.removeAll()
        house.$set.insert(Intruder(11))
        house.$set.removeAll()
        house.$table.removeAll()
        house.removeObservers(of: \.list)
      }
    ),
  ]

  func testTheUsersCodeMayCallTheLibraryWhereverItRuns() {
    var occasions: Set<Intruder.Occasion> = []
    for (name, call) in EveryCall.all {
      for (what, intrude) in intrusions {
        for isObserved in [false, true] {
          let hasEnded = expectToEnd("\(name), with values that \(what),") {
            let (house, other) = (House(), House())
            if isObserved { EveryCall.observe(house) }
            Intruder.acting(
              { occasion in
                intrude(house, occasion)
                intrude(other, occasion)
              },
              while: {
                do { try call(house) } catch {
                  XCTAssert(error is KeyValueError, "\(name): \(error)")
                }
              })
          }
          guard hasEnded else { return }
          occasions.formUnion(Intruder.occasions)
        }
      }
    }
    XCTAssertEqual(occasions, Set(Intruder.Occasion.allCases))
  }

  func testObserversMayCallEverything() {
    for (name, call) in EveryCall.all {
      for (what, intrude) in intrusions {
        let hasEnded = expectToEnd("\(name), told to observers that \(what),") {
          let house = House()
          EveryCall.observe(house)
          var isWithin = false
          let observer: (House) -> Void = { house in
            guard !isWithin else { return }
            isWithin = true
            intrude(house, .end)
            isWithin = false
          }
          house.observe(
            [
              \.count, \.guest, \.first, \.list, \.set, \.table, \.named, \.rooms, \.weak, \.manual,
            ],
            options: .everything
          ) { house, _, _ in observer(house) }
          do { try call(house) } catch { XCTAssert(error is KeyValueError, "\(name): \(error)") }
        }
        guard hasEnded else { return }
      }
    }
  }
}
