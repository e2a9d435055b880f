import KeyValueObserving
import ObjectLifetimes
import TestSupport
import XCTest

final class LifetimeTests: XCTestCase {
  private let tracker = LifetimeTracker()

  override func tearDown() { tracker.expectNothingAlive() }

  func testAnObjectThatDiesEndsItsObservations() {
    var observations: [KeyValueObservation] = []
    weak var dead: Person?
    do {
      let person = Person("Ada", in: "London")
      dead = person
      observations = [
        person.observe(\.name) { [tracked = tracker.track()] _, _ in _ = tracked },
        person.observe(\.address?.city, options: .old) { [tracked = tracker.track()] _, _ in
          _ = tracked
        },
        person.observe([\.name, \.greeting]) { [tracked = tracker.track()] _, _, _ in
          _ = tracked
        },
      ]
    }
    XCTAssertNil(dead)
    XCTAssertTrue(observations.allSatisfy(\.isRemoved))
    tracker.expectNothingAlive()
  }

  func testALinkKeptByOthersIsNoLongerObservedWhenTheRootDies() {
    let address = Address("London")
    var count = 0
    do {
      let person = Person("Ada")
      person.address = address
      person.observe(\.address?.city) { [tracked = tracker.track()] _, _ in
        count += 1
        _ = tracked
      }
      address.city = "Paris"
    }
    tracker.expectNothingAlive()
    address.city = "Rome"
    XCTAssertEqual(count, 1)
  }

  func testAnObserverBoundToAnObjectEndsWithIt() {
    final class Controller {
      let tracked: LifetimeTracker.Tracked
      var count = 0
      init(_ tracked: LifetimeTracker.Tracked) { self.tracked = tracked }
    }
    let person = Person("Ada")
    var observation: KeyValueObservation?
    do {
      let controller = Controller(tracker.track())
      observation = person.observe(\.name) { [weak controller] _, _ in controller?.count += 1 }
        .bind(to: controller)
      person.name = "Grace"
      XCTAssertEqual(controller.count, 1)
    }
    XCTAssertEqual(observation?.isRemoved, true)
    XCTAssertTrue(person.observations.isEmpty)
  }

  func testABoundObserverThatIsRemovedLeavesNothingBehind() {
    let person = Person("Ada")
    let controller = Person("controller")
    for _ in 0..<100 {
      person.observe(\.name) { [tracked = tracker.track()] _, _ in _ = tracked }
        .bind(to: controller).remove()
    }
    tracker.expectNothingAlive()
    let observation = person.observe(\.name) { _, _ in }
    observation.remove()
    XCTAssertTrue(observation.bind(to: controller).isRemoved)
  }

  func testBindingToADyingObjectRemovesAtOnce() {
    final class Dying {
      let person: Person
      init(_ person: Person) { self.person = person }
      deinit { person.observe(\.name) { _, _ in }.bind(to: self) }
    }
    let person = Person("Ada")
    _ = Dying(person)
    XCTAssertTrue(person.observations.isEmpty)
  }

  func testADyingObjectTellsNobody() {
    final class Dying: KeyValueObservable {
      @Observed var value = 0
      deinit {
        value = 1
        $items.append(1)
        observe(\.value) { _, _ in }
        willChange(\.value)
        didChange(\.value)
      }
      @Observed var items: [Int] = []
    }
    var count = 0
    do {
      let dying = Dying()
      dying.observe(\.value) { _, _ in count += 1 }
      dying.observe(\.items) { _, _ in count += 1 }
      dying.value = 2
    }
    XCTAssertEqual(count, 1)
  }

  func testAnOldValueIsNotKept() {
    final class Owner: KeyValueObservable {
      @Observed var value: LifetimeTracker.Tracked?
    }
    let owner = Owner()
    owner.observe(\.value, options: [.prior, .old, .new]) { _, _ in }
    owner.value = tracker.track()
    owner.value = tracker.track()
    XCTAssertEqual(tracker.alive, 1)
    owner.value = nil
    tracker.expectNothingAlive()
  }

  func testTheEndOfAnOldValueMayReadTheProperty() {
    final class Owner: KeyValueObservable, @unchecked Sendable {
      @Observed var value: Finaliser?
      @Observed var observed: Finaliser?
      @Observed var old: Finaliser?
    }
    let owner = Owner()
    let seen = Recorder<Bool>()
    owner.observe(\.observed) { _, _ in }
    owner.observe(\.old, options: [.old, .prior]) { _, _ in }
    for _ in 0..<2 {
      owner.value = Finaliser { [unowned owner] in seen.record(owner.value == nil) }
      owner.observed = Finaliser { [unowned owner] in seen.record(owner.observed == nil) }
      owner.old = Finaliser { [unowned owner] in seen.record(owner.old == nil) }
      owner.value = nil
      owner.observed = nil
      owner.old = nil
    }
    XCTAssertEqual(seen.entries, [true, true, true, true, true, true])
  }

  func testARecycledAddressInheritsNoObservers() {
    var count = 0
    for index in 0..<1_000 {
      let person = Person("\(index)")
      person.name = "x"
      person.observe(\.name) { _, _ in count += 1 }
    }
    XCTAssertEqual(count, 0)
  }

  func testAWeakPropertyTellsOfTheDeathOfItsObjectOnce() {
    final class Holder: KeyValueObservable {
      @ObservedWeak var delegate: Person?
    }
    let holder = Holder()
    var log: [String] = []
    let options: ObservingOptions = [.prior, .old, .new]
    holder.observe(\.delegate, options: options) { holder, change in
      log.append("\(change.kind)\(change.isPrior ? " prior" : "") \(change.new?.name ?? "nil")")
      XCTAssertTrue(change.new === holder.delegate || change.isPrior)
    }
    holder.observe(\.delegate?.name, options: [.old, .new]) { log.append("name \($1)") }
    do {
      let first = Person("first")
      holder.delegate = first
      XCTAssertEqual(
        log, ["setting prior nil", "setting first", "name setting new first"])
      log = []
      withExtendedLifetime(first) {}
    }
    XCTAssertEqual(log, ["setting nil", "name setting"])
    XCTAssertNil(holder.delegate)
    log = []
    let second = Person("second")
    do {
      let third = Person("third")
      holder.delegate = third
      holder.delegate = second
      XCTAssertEqual(log.last, "name setting old third new second")
      log = []
      withExtendedLifetime(third) {}
    }
    XCTAssertEqual(log, [], "an object that was replaced tells nothing")
    withExtendedLifetime(second) {}
  }

  func testAWeakPropertyWhoseOwnerDiesFirst() {
    final class Holder: KeyValueObservable {
      @ObservedWeak var delegate: Person?
    }
    var count = 0
    let person = Person("Ada")
    do {
      let holder = Holder()
      holder.delegate = person
      holder.observe(\.delegate) { [tracked = tracker.track()] _, _ in
        count += 1
        _ = tracked
      }
    }
    tracker.expectNothingAlive()
    XCTAssertEqual(count, 0)
    withExtendedLifetime(person) {}
  }
}
