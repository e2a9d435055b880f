import ObjectLifetimes
import TestSupport
import XCTest

final class AssociationThreadTests: XCTestCase {
  func testEightThreadsSetReadAndRemoveOnSharedOwnersAndNothingIsLostOrLeftOver() {
    let rounds = shortened(20_000)
    let tracker = LifetimeTracker()
    let space = AssociationSpace()
    let keys = (0..<4).map { AssociationKey<LifetimeTracker.Tracked>("key \($0)", in: space) }
    let weak = AssociationKey<LifetimeTracker.Tracked>(weak: "weak")
    let owners = (0..<16).map { _ in Owner() }
    let group = ThreadGroup()
    let gate = Gate(8)
    for thread in 0..<8 {
      group.start {
        var generator = SeededGenerator(seed: UInt64(thread))
        gate.pass()
        for _ in 0..<rounds {
          let owner = owners[Int.random(in: 0..<16, using: &generator)]
          let key = keys[Int.random(in: 0..<4, using: &generator)]
          switch Int.random(in: 0..<16, using: &generator) {
          case 0..<5: expectSuccess { try key.set(tracker.track(), on: owner) }
          case 5..<9: _ = key.value(of: owner)
          case 9..<12: _ = key.remove(from: owner)
          case 12..<14: expectSuccess { try key.value(of: owner, default: tracker.track()) }
          case 14: expectSuccess { try weak.value(of: owner, default: tracker.track()) }
          default: space.removeAll(from: owner)
          }
        }
      }
    }
    group.wait()
    let present = owners.map { owner in keys.filter { $0.value(of: owner) != nil }.count }
    XCTAssertEqual(tracker.alive, present.reduce(0, +))
    for owner in owners { space.removeAll(from: owner) }
    tracker.expectNothingAlive()
  }

  func testOfManyDefaultsOneWinsAndTheOthersGo() throws {
    let rounds = shortened(3_000)
    let tracker = LifetimeTracker()
    let key = AssociationKey<LifetimeTracker.Tracked>()
    let owners = (0..<rounds).map { _ in Owner() }
    let seen = (0..<4).map { _ in Recorder<ObjectIdentifier>() }
    let group = ThreadGroup()
    let gate = Gate(4)
    for thread in 0..<4 {
      group.start {
        gate.pass()
        for owner in owners {
          guard let value = try? key.value(of: owner, default: tracker.track()) else { continue }
          seen[thread].record(ObjectIdentifier(value))
        }
      }
    }
    group.wait()
    let present = owners.compactMap { key.value(of: $0).map(ObjectIdentifier.init) }
    withExtendedLifetime(owners) { XCTAssertEqual(tracker.alive, rounds) }
    for recorder in seen { XCTAssertEqual(recorder.entries, present) }
  }

  func testOwnersThatDieOnAnyThreadTakeTheirValuesWithThem() {
    let rounds = shortened(20_000)
    let tracker = LifetimeTracker()
    let key = AssociationKey<LifetimeTracker.Tracked>()
    let owners = (0..<rounds).map { _ in Held(Owner()) }
    let group = ThreadGroup()
    let gate = Gate(3)
    for thread in 0..<3 {
      group.start {
        gate.pass()
        for owner in owners {
          guard let object = owner.object else { continue }
          expectSuccess { try key.set(tracker.track(), on: object) }
          _ = key.value(of: object)
          if thread == 0 { owner.drop() }
        }
      }
    }
    group.wait()
    tracker.expectNothingAlive()
  }
}
