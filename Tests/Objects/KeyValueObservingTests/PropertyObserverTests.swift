import KeyValueObserving
import XCTest

/// Properties with `willSet` and `didSet` of their own.
final class PropertyObserverTests: XCTestCase {
  func testObserversComeBeforeADidSetOfTheProperty() {
    let door = Door()
    door.observe(\.isOpen, options: [.prior, .new]) { $0.log.append("\($1)") }
    door.isOpen = true
    XCTAssertEqual(
      door.log, ["willSet", "will: setting", "setting new true", "didSet false, is true"])
  }

  func testAPropertyThatIsObservedManuallyTellsAfterItsDidSet() {
    let door = Door()
    door.observe(\.isLocked, options: [.prior, .old, .new]) { door, change in
      door.log.append("\(change)")
      if change.new == true, door.log.count == 3 { door.isLocked = false }
    }
    door.observe(\.isLocked.description) { $0.log.append("path \($1)") }
    door.isLocked = true
    XCTAssertEqual(
      door.log,
      [
        "will: setting old false", "didSet", "setting old false new true",
        "will: setting old true", "didSet", "setting old true new false",
        "path setting new false", "path setting new true",
      ])
  }

  func testAnObserverThatIsRegisteredFirstTakesThePlaceOfADidSet() {
    let door = Door()
    door.observe(\.width) { door, _ in door.area = door.width * 2 }
    door.observe(\.width) { $0.log.append("area \($0.area) \($1)") }
    door.width += 3
    XCTAssertEqual(door.log, ["area 6 setting new 3"])
  }
}

private final class Door: KeyValueObservable {
  var log: [String] = []
  var area = 0

  @Observed var width = 0

  @Observed var isOpen = false {
    willSet { log.append("willSet") }
    didSet { log.append("didSet \(oldValue), is \(isOpen)") }
  }

  @ManuallyObserved var isLocked = false {
    willSet { willChange(\.isLocked) }
    didSet {
      log.append("didSet")
      didChange(\.isLocked)
    }
  }
}
