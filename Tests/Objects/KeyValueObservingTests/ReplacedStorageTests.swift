import KeyValueObserving
import TestSupport
import XCTest

/// Observers whose calls replace what their notification uses.
final class ReplacedStorageTests: XCTestCase {
  private final class Meter: KeyValueObservable {
    @Observed var value = 0
    @Observed var items: [Int] = []

    func replaceStorage(by new: Int) { _value = Observed(wrappedValue: new) }
    func replaceItems() { _items = Observed(wrappedValue: []) }
  }

  func testAnObserverMayRemoveAllObserversAndReplaceTheStorage() {
    for options: ObservingOptions in [.new, [.old, .new], .prior, .inOrder] {
      for count in 1...4 {
        let meter = Meter()
        var calls = 0
        for _ in 0..<count {
          meter.observe(\.value, options: options) { meter, _ in
            calls += 1
            meter.removeObservers()
            meter.replaceStorage(by: 7)
            overwriteFreedMemory()
          }
        }
        meter.value = 1
        XCTAssertEqual(calls, 1, "\(options)")
        XCTAssertEqual(meter.value, options == .prior ? 1 : 7, "\(options)")
      }
    }
  }

  func testAnObserverOfACollectionMayReplaceItsStorage() {
    let meter = Meter()
    var calls = 0
    for _ in 0..<3 {
      meter.observe(\.items) { meter, _ in
        calls += 1
        meter.removeObservers()
        meter.replaceItems()
        overwriteFreedMemory()
      }
    }
    meter.$items.append(1)
    meter.items.append(2)
    XCTAssertEqual(calls, 1)
  }

  func testAReplacedListOfObserversIsFreed() {
    let tracker = LifetimeTracker()
    let meter = Meter()
    for _ in 0..<3 {
      meter.observe(\.value) { [tracked = tracker.track()] meter, _ in
        withExtendedLifetime(tracked) {}
        meter.removeObservers()
        meter.replaceStorage(by: 7)
      }
    }
    meter.value = 1
    tracker.expectNothingAlive()
  }

  func testAManualChangeThatEndsWithinAChangeOfMembersIsTold() throws {
    final class Box: KeyValueCoding {
      static var keys: KeyTable { ["items": \Box.items] }
      var items: [Int] = [] {
        didSet { didChange(\.items) }
      }
    }
    let box = Box()
    var log: [String] = []
    box.observe(\.items, options: [.old, .new, .prior]) { log.append("\($1)") }
    box.willChange(\.items)
    try box.mutableArrayValue(forKey: "items").append(1)
    XCTAssertEqual(log, ["will: setting old []", "setting old [] new [1]"])
  }

  func testAPropertyThatIsChangedInPlaceTellsOfTheEndOfWhatItAnnounced() {
    let meter = Meter()
    var log: [String] = []
    meter.observe(\.value, options: [.prior]) { log.append($1.isPrior ? "will" : "did") }
    func change(_ value: inout Int) {
      meter.willChange(\.value)
      value = 1
    }
    change(&meter.value)
    meter.didChange(\.value)
    XCTAssertEqual(log.filter { $0 == "will" }.count, log.filter { $0 == "did" }.count)
  }
}

/// Uses the memory that was freed just now, so that it does not look as before.
private func overwriteFreedMemory() {
  let blocks = (0..<256).map { [UInt8](repeating: 0x5A, count: 16 * ($0 / 8)) }
  withExtendedLifetime(blocks) {}
}
