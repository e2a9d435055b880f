import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// Values without references of at most 8 bytes, which are stored without memory of their own.
final class TrivialValueTests: XCTestCase {
  private struct Pair: Equatable { var first: Int32, second: Int16 }
  private struct Long: Equatable { var first: Int, second: UInt8 }
  private enum Choice: UInt8, CaseIterable { case one, two }
  private enum Payload: Equatable { case number(Int32), flag(Bool), none }

  /// Whether setting another value, and reading it, allocates nothing; also in code that is not
  /// specialised for the type.
  @inline(never)
  private func allocationsOfASet<Value: Equatable & Sendable>(
    _ first: Value, _ second: Value, line: UInt = #line
  ) throws -> Int {
    let key = AssociationKey<Value>()
    let owner = Owner()
    XCTAssertNil(key.value(of: owner), line: line)
    try key.set(first, on: owner)
    XCTAssertEqual(key.value(of: owner), first, line: line)
    let count = allocations { try? key.set(second, on: owner) }
    XCTAssertEqual(key.value(of: owner), second, line: line)
    XCTAssertEqual(try key.value(of: owner, default: first), second, line: line)
    XCTAssertEqual(key.remove(from: owner), second, line: line)
    XCTAssertNil(key.value(of: owner), line: line)
    XCTAssertEqual(try key.value(of: owner, default: first), first, line: line)
    XCTAssertEqual(key.value(of: owner), first, line: line)
    return count
  }

  func testTrivialValuesOfAtMostEightBytesNeedNoMemory() throws {
    XCTAssertEqual(try allocationsOfASet(Int.min, Int.max), 0)
    XCTAssertEqual(try allocationsOfASet(UInt8.max, 1), 0)
    XCTAssertEqual(try allocationsOfASet(true, false), 0)
    XCTAssertEqual(try allocationsOfASet(-0.5, Double.infinity), 0)
    XCTAssertEqual(
      try allocationsOfASet(Pair(first: -1, second: 2), Pair(first: 3, second: .min)), 0)
    XCTAssertEqual(try allocationsOfASet(Choice.two, .one), 0)
    XCTAssertEqual(try allocationsOfASet(Payload.number(-7), .none), 0)
    XCTAssertEqual(try allocationsOfASet(Optional(Int32(7)), nil), 0)
    XCTAssertEqual(try allocationsOfASet(Character("a").isLetter, false), 0)
    XCTAssertEqual(try allocationsOfASet([Int32]?.none?.count, 0 as Int?), 1)
  }

  func testOtherValuesAreInBoxes() throws {
    // One byte more than eight.
    XCTAssertEqual(
      try allocationsOfASet(Long(first: 1, second: 2), Long(first: .min, second: .max)), 1)
    // An alignment of 16.
    XCTAssertEqual(try allocationsOfASet(SIMD2<UInt64>(1, 2), SIMD2(3, 4)), 1)
    // References.
    XCTAssertEqual(try allocationsOfASet("a", "a text that is longer than fifteen bytes"), 1)
    XCTAssertEqual(try allocationsOfASet([1], []), 1)
    XCTAssertEqual(
      try allocationsOfASet(ObjectIdentifier(Owner.self), ObjectIdentifier(Self.self)), 0)
  }

  func testAReferenceOfEightBytesIsRetained() throws {
    struct Holder: Sendable { let tracked: LifetimeTracker.Tracked }
    let tracker = LifetimeTracker()
    let key = AssociationKey<Holder>()
    try {
      let owner = Owner()
      try key.set(Holder(tracked: tracker.track()), on: owner)
      XCTAssertEqual(tracker.alive, 1)
      XCTAssertNotNil(key.value(of: owner))
    }()
    tracker.expectNothingAlive()
  }

  func testAnEmptyValueIsPresent() throws {
    let key = AssociationKey<Void>()
    let owner = Owner()
    XCTAssertTrue(key.value(of: owner) == nil)
    try key.set((), on: owner)
    XCTAssertTrue(key.value(of: owner) != nil)
    XCTAssertTrue(key.remove(from: owner) != nil)
    XCTAssertTrue(key.value(of: owner) == nil)
  }

  func testTrivialValuesAreCopiedAndKeptByTheirKeys() throws {
    let owner = Owner()
    let doubled = AssociationKey<Int>(copying: { 2 * $0 })
    let numbers = (0..<5).map { AssociationKey<Int>("\($0)") }
    try doubled.set(21, on: owner)
    for (index, number) in numbers.enumerated() { try number.set(index, on: owner) }
    XCTAssertEqual(doubled.value(of: owner), 42)
    XCTAssertEqual(try doubled.value(of: Owner(), default: 4), 8)
    XCTAssertEqual(numbers.map { $0.value(of: owner) }, [0, 1, 2, 3, 4])
    XCTAssertEqual(numbers[2].remove(from: owner), 2)
    XCTAssertEqual(numbers.map { $0.value(of: owner) }, [0, 1, nil, 3, 4])
    XCTAssertEqual(doubled.value(of: owner), 42)
  }

  func testASpaceRemovesItsTrivialValuesAndItsOthers() throws {
    let owner = Owner()
    let tracker = LifetimeTracker()
    let space = AssociationSpace()
    let number = AssociationKey<Int>(in: space)
    let object = AssociationKey<LifetimeTracker.Tracked>(in: space)
    let other = AssociationKey<Int>()
    try number.set(1, on: owner)
    try object.set(tracker.track(), on: owner)
    try other.set(2, on: owner)
    space.removeAll(from: owner)
    tracker.expectNothingAlive()
    XCTAssertNil(number.value(of: owner))
    XCTAssertEqual(other.value(of: owner), 2)
  }

  func testOfManyDefaultNumbersOneWins() throws {
    let rounds = shortened(3_000)
    let key = AssociationKey<Int>()
    let owners = (0..<rounds).map { _ in Owner() }
    let seen = (0..<4).map { _ in Recorder<Int>() }
    let group = ThreadGroup()
    let gate = Gate(4)
    for thread in 0..<4 {
      group.start {
        gate.pass()
        for owner in owners {
          if let value = try? key.value(of: owner, default: thread) { seen[thread].record(value) }
        }
      }
    }
    group.wait()
    let present = owners.compactMap { key.value(of: $0) }
    XCTAssertEqual(present.count, rounds)
    for recorder in seen { XCTAssertEqual(recorder.entries, present) }
  }
}
