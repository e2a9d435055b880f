import KeyValueObserving
import XCTest

/// What getters do not show: `dependentKeys`.
final class DependentKeyTests: XCTestCase {
  private class Sensor: KeyValueObservable {
    @Observed var celsius = 0
    @Observed var scale = "C"
    @Observed var next: Sensor?
    var log: [String] = []

    // The getters read nothing observed.
    var text: String { "text" }
    var label: String {
      willRead(\Sensor.label)
      return "label"
    }
    var one: Int { 1 }
    var two: Int { 2 }
    var three: Int { 3 }
    var remote: Int { 4 }

    class var dependentKeys: DependentKeys {
      [
        \Sensor.text: [\Sensor.celsius, \Sensor.scale], \Sensor.label: [\Sensor.text],
        \Sensor.one: [\Sensor.two], \Sensor.two: [\Sensor.three],
        \Sensor.three: [\Sensor.one, \Sensor.celsius], \Sensor.remote: [\Sensor.next?.label],
      ]
    }
  }

  private final class Special: Sensor {
    @Observed var special = 0
    override class var dependentKeys: DependentKeys {
      super.dependentKeys + [\Sensor.text: [\Special.special]]
    }
  }

  func testADeclaredDependencyTellsOncePerChange() {
    let sensor = Sensor()
    var log: [Change<String>] = []
    sensor.observe(\.text, options: [.prior, .old, .new]) { log.append($1) }
    sensor.celsius = 1
    sensor.scale = "K"
    let both = [Change(old: "text", isPrior: true), Change(old: "text", new: "text")]
    XCTAssertEqual(log, both + both)
  }

  func testDependenciesAreTransitive() {
    let sensor = Sensor()
    var count = 0
    sensor.observe(\.label) { _, _ in count += 1 }
    sensor.celsius = 1
    sensor.scale = "K"
    XCTAssertEqual(count, 2)
  }

  func testCirclesOfTwoAndThreeKeysTellOnce() {
    let sensor = Sensor()
    var log: [String] = []
    sensor.observe(\.one) { _, _ in log.append("one") }
    sensor.observe(\.two) { _, _ in log.append("two") }
    sensor.observe(\.three) { _, _ in log.append("three") }
    sensor.celsius = 1
    XCTAssertEqual(log, ["one", "two", "three"])
    log = []
    sensor.withChange(of: \.two) {}
    XCTAssertEqual(log, ["one", "two", "three"])
  }

  func testADependencyThroughAKeyPathFollowsItsLinks() {
    let sensor = Sensor()
    var count = 0
    sensor.observe(\.remote) { _, _ in count += 1 }
    let next = Sensor()
    sensor.next = next
    XCTAssertEqual(count, 1)
    next.celsius = 1
    XCTAssertEqual(count, 2)
    next.withChange(of: \.text) {}
    XCTAssertEqual(count, 3)
    sensor.next = nil
    XCTAssertEqual(count, 4)
    next.celsius = 2
    XCTAssertEqual(count, 4)
  }

  func testASubclassAddsDependencies() {
    let special = Special()
    var count = 0
    (special as Sensor).observe(\.label) { _, _ in count += 1 }
    special.special = 1
    special.celsius = 1
    XCTAssertEqual(count, 2)
  }

  func testEntriesOfAnotherClassDoNothing() {
    final class Odd: KeyValueObservable {
      @Observed var value = 0
      var odd: Int { 1 }
      static var dependentKeys: DependentKeys {
        [\Odd.odd: [\Person.name, \Odd.value, \String.count], \Odd.odd: [\Odd.odd]]
      }
    }
    let odd = Odd()
    var count = 0
    odd.observe(\.odd) { _, _ in count += 1 }
    odd.value = 1
    XCTAssertEqual(count, 1)
  }

  func testTwoKeysThatShareADependencyDoNotMixTheirValues() {
    final class Box: KeyValueObservable {
      @Observed var side = 1
      var area: Int { side * side }
      var volume: Int { side * side * side }
    }
    let box = Box()
    var log: [String] = []
    box.observe(\.area, options: [.old, .new]) { log.append("area \($1)") }
    box.observe(\.volume, options: [.old, .new]) { log.append("volume \($1)") }
    box.side = 2
    box.side = 2
    XCTAssertEqual(
      log,
      [
        "area setting old 1 new 4", "volume setting old 1 new 8", "area setting old 4 new 4",
        "volume setting old 8 new 8",
      ])
  }
}
