import BlockRuntime
import TestSupport
import XCTest

/// The ways in which observing ends, of which most crash in Objective-C.
final class ObservingLifeCycleTests: XCTestCase {
  private final class City: KeyValueObservable {
    @Observed var name: String
    init(_ name: String) { self.name = name }
  }

  private final class Person: KeyValueObservable {
    @Observed var city: City?
    // A link that keeps nothing, as from a child to its parent.
    @Observed var guest: WeakReference<City>?

    var guestName: String? { guest?.object?.name }
    init(_ city: City?) { self.city = city }
  }

  private final class Controller {}

  /// The observer goes first; in Objective-C the next change messages a dead object.
  func testAnObserverThatDiesFirstIsForgotten() {
    let city = City("London")
    var seen: [String?] = []
    do {
      let controller = Controller()
      city.observe(\.name) { _, change in seen.append(change.new) }.bind(to: controller)
      city.name = "Londres"
      withExtendedLifetime(controller) {}
    }
    city.name = "Londra"
    XCTAssertEqual(seen, ["Londres"])
    XCTAssertTrue(city.observations.isEmpty)
  }

  /// The object goes first; in Objective-C: "was deallocated while key value observers were still
  /// registered with it".
  func testAnObjectThatDiesFirstEndsItsObservations() {
    let tracker = LifetimeTracker()
    let observation: KeyValueObservation
    do {
      let city = City("London")
      observation = city.observe(\.name) { [tracked = tracker.track()] _, _ in
        withExtendedLifetime(tracked) {}
      }
      XCTAssertFalse(observation.isRemoved)
    }
    // The token outlives both. It knows, it has let go of the handler, and removing is no mistake.
    XCTAssertTrue(observation.isRemoved)
    tracker.expectNothingAlive()
    XCTAssertFalse(observation.remove())
  }

  /// A path is built again where a link is replaced: what is observed is what the path leads to
  /// now.
  func testAPathIsRebuiltWhereALinkIsReplaced() {
    let (london, paris) = (City("London"), City("Paris"))
    let person = Person(london)
    var seen: [String] = []
    person.observe(\.city?.name) { _, change in seen.append(change.new ?? "nothing") }
    london.name = "Londres"
    person.city = paris
    // London is still there, but no longer on the path.
    london.name = "Londra"
    paris.name = "Lutetia"
    person.city = nil
    paris.name = "Parigi"
    XCTAssertEqual(seen, ["Londres", "Paris", "Lutetia", "nothing"])
    // Nothing is left on cities that the path has left.
    XCTAssertTrue(london.observations.isEmpty)
    XCTAssertTrue(paris.observations.isEmpty)
  }

  /// A path through a weak link keeps nobody alive, and reads nil once its object is gone.
  func testAPathThroughAWeakLinkKeepsNobodyAlive() {
    let person = Person(nil)
    var seen: [String] = []
    person.observe(\.guestName) { _, change in seen.append(change.new ?? "nobody") }
    weak var dead: City?
    do {
      let guest = City("Oslo")
      dead = guest
      person.guest = WeakReference(guest)
      guest.name = "Kristiania"
    }
    XCTAssertNil(dead)
    XCTAssertNil(person.guestName)
    // A death is no setting: nobody is told, as with Objective-C's weak properties.
    XCTAssertEqual(seen, ["Oslo", "Kristiania"])
    person.guest = nil
    XCTAssertEqual(seen.last, "nobody")
  }

  /// An observer may remove itself in the middle of being told.
  func testAnObserverRemovesItselfInItsOwnCall() {
    let city = City("London")
    var seen: [String?] = []
    var observation: KeyValueObservation?
    observation = city.observe(\.name) { _, change in
      seen.append(change.new)
      observation?.remove()
    }
    city.name = "Londres"
    city.name = "Londra"
    XCTAssertEqual(seen, ["Londres"])
    XCTAssertEqual(observation?.isRemoved, true)
  }
}
