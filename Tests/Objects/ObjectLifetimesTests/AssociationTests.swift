import Foundation
import ObjectLifetimes
import TestSupport
import XCTest

final class AssociationTests: XCTestCase {
  func testARetainedValueIsTheOneThatWasSet() throws {
    let key = AssociationKey<Text>("retained")
    let owner = Owner()
    let text = Text("Hello")
    try key.set(text, on: owner)
    text.string += ", world"
    XCTAssertEqual(key.value(of: owner)?.string, "Hello, world")
    XCTAssertTrue(key.value(of: owner) === text)
  }

  func testACopiedValueDoesNotSeeLaterMutation() throws {
    let key = AssociationKey<Text>("copied", copying: { Text($0.string) })
    let owner = Owner()
    let text = Text("Hello")
    try key.set(text, on: owner)
    text.string += ", world"
    XCTAssertEqual(key.value(of: owner)?.string, "Hello")
    XCTAssertEqual(try key.value(of: Owner(), default: text).string, "Hello, world")
    XCTAssertFalse(try key.value(of: Owner(), default: text) === text)
  }

  func testAWeakValueReadsNilWhenItIsDead() throws {
    let key = AssociationKey<Text>(weak: "weak")
    let owner = Owner()
    var text: Text? = Text("Hello")
    if let text { try key.set(text, on: owner) }
    XCTAssertEqual(key.value(of: owner)?.string, "Hello")
    text = nil
    XCTAssertNil(key.value(of: owner))
    XCTAssertNil(key.remove(from: owner))
  }

  func testAnUnknownKeyReadsNil() throws {
    let key = AssociationKey<Text>("unknown")
    let owner = Owner()
    XCTAssertNil(key.value(of: owner))
    XCTAssertNil(key.remove(from: owner))
    try AssociationKey<Text>("unknown").set(Text("of another key of the same name"), on: owner)
    XCTAssertNil(key.value(of: owner))
  }

  func testAKeyThatIsMadeOfANameIsTheSameEachTime() throws {
    let (owner, space) = (Owner(), AssociationSpace("space"))
    let name = UUID().uuidString
    for (index, key) in [
      AssociationKey<Int>(named: name), AssociationKey(named: name, in: space),
      AssociationKey(named: name, in: AssociationSpace("space")), AssociationKey(name),
    ].enumerated() {
      XCTAssertNil(key.value(of: owner))
      try key.set(index, on: owner)
    }
    try AssociationKey<String>(named: name).set("text", on: owner)
    let found = AssociationKey<Int>(named: name)
    XCTAssertEqual(found.value(of: owner), 0)
    XCTAssertEqual([found: 3][AssociationKey(named: name)], 3)
    XCTAssertEqual(AssociationKey(named: name, in: space).value(of: owner), 1)
    XCTAssertEqual(AssociationKey<String>(named: name).value(of: owner), "text")
    space.removeAll(from: owner)
    XCTAssertNil(AssociationKey<Int>(named: name, in: space).value(of: owner))
    XCTAssertEqual(found.remove(from: owner), 0)
  }

  func testEveryKindOfClassHasValuesUntilItDies() throws {
    for kind in OwnerKind.all {
      let tracker = LifetimeTracker()
      let key = AssociationKey<LifetimeTracker.Tracked>()
      var owner: AnyObject? = kind.make()
      if let owner { try key.set(tracker.track(), on: owner) }
      XCTAssertNotNil(owner.flatMap { key.value(of: $0) }, kind.name)
      XCTAssertEqual(tracker.alive, 1, kind.name)
      owner = nil
      XCTAssertEqual(tracker.alive, 0, kind.name)
    }
  }

  func testValuesOfEveryShapeAreRead() throws {
    let owner = Owner()
    let number = AssociationKey<Int>()
    let text = AssociationKey<String>()
    let optional = AssociationKey<Int?>()
    let closure = AssociationKey<@Sendable (Int) -> Int>()
    let large = AssociationKey<[Large]>()
    try number.set(42, on: owner)
    try text.set("a text that is too long for a small string", on: owner)
    try optional.set(nil, on: owner)
    try closure.set({ $0 + 1 }, on: owner)
    try large.set([Large(fields: (1, 2, 3, 4), name: "large")], on: owner)
    XCTAssertEqual(number.value(of: owner), 42)
    XCTAssertEqual(text.value(of: owner), "a text that is too long for a small string")
    XCTAssertEqual(optional.value(of: owner), .some(nil))
    XCTAssertEqual(closure.value(of: owner)?(1), 2)
    XCTAssertEqual(large.value(of: owner)?.first?.fields.3, 4)
  }

  func testAValueIsReplacedRemovedAndSetAgain() throws {
    let tracker = LifetimeTracker()
    let key = AssociationKey<LifetimeTracker.Tracked>()
    let owner = Owner()
    for _ in 0..<3 {
      try key.set(tracker.track(), on: owner)
      XCTAssertEqual(tracker.alive, 1)
      try key.set(tracker.track(), on: owner)
      XCTAssertEqual(tracker.alive, 1)
      XCTAssertNotNil(key.remove(from: owner))
      tracker.expectNothingAlive()
      XCTAssertNil(key.value(of: owner))
    }
  }

  func testADefaultIsMadeOnceAndOnlyWhereNothingIs() throws {
    let key = AssociationKey<Int>()
    let owner = Owner()
    var made = 0
    func make() -> Int {
      made += 1
      return made
    }
    XCTAssertEqual(try key.value(of: owner, default: make()), 1)
    XCTAssertEqual(try key.value(of: owner, default: make()), 1)
    key.remove(from: owner)
    XCTAssertEqual(try key.value(of: owner, default: make()), 2)
  }

  func testADefaultTakesThePlaceOfADeadWeakValue() throws {
    let key = AssociationKey<Text>(weak: "weak")
    let owner = Owner()
    for string in ["first", "second"] {
      let text = try key.value(of: owner, default: Text(string))
      XCTAssertEqual(text.string, string)
      XCTAssertTrue(key.value(of: owner) === text)
    }
    XCTAssertNil(key.value(of: owner))
  }

  func testADefaultMaySetTheSameKey() throws {
    let key = AssociationKey<String>()
    let owner = Owner()
    func make() throws -> String {
      try key.set("inner", on: owner)
      return "outer"
    }
    XCTAssertEqual(try key.value(of: owner, default: (try? make()) ?? ""), "inner")
  }

  func testRemovingAllOfASpaceLeavesOtherSpacesAndKeysWithoutOne() throws {
    let mine = AssociationSpace("names")
    let theirs = AssociationSpace("names")
    XCTAssertNotEqual(mine, theirs)
    let keys = [mine, mine, theirs, nil].map { AssociationKey<Int>("key", in: $0) }
    let owner = Owner()
    let other = Owner()
    for (index, key) in keys.enumerated() {
      try key.set(index, on: owner)
      try key.set(index, on: other)
    }
    mine.removeAll(from: owner)
    XCTAssertEqual(keys.map { $0.value(of: owner) }, [nil, nil, 2, 3])
    XCTAssertEqual(keys.map { $0.value(of: other) }, [0, 1, 2, 3])
    mine.removeAll(from: Owner())
  }

  func testABlockTakesNoValueAndMakesNone() throws {
    let key = AssociationKey<Int>()
    func make() -> Int {
      XCTFail("a value is made that cannot be set")
      return 1
    }
    try withBlockAsObject { object in
      XCTAssertThrowsError(try key.set(1, on: object), "set", expectUnsupported)
      XCTAssertThrowsError(
        try key.value(of: object, default: make()), "default", expectUnsupported)
      XCTAssertNil(key.value(of: object))
      XCTAssertNil(key.remove(from: object))
    }
  }

  private func expectUnsupported(_ error: any Error) {
    XCTAssertEqual((error as? LifetimeError)?.code, .unsupportedObject)
    XCTAssertTrue("\(error)".hasPrefix("unsupportedObject: "), "\(error)")
  }

  func testAKeyTellsItsName() {
    let key = AssociationKey<Int>("count", in: AssociationSpace("pages"))
    XCTAssertTrue(key.description.hasPrefix("AssociationKey<Int>(count, #"), key.description)
    XCTAssertEqual(key.space?.name, "pages")
    XCTAssertEqual(key, key)
    XCTAssertNotEqual(key, AssociationKey<Int>("count", in: key.space))
  }
}

private final class Text: @unchecked Sendable {
  var string: String

  init(_ string: String) { self.string = string }
}

private struct Large: Sendable {
  var fields: (Int, Int, Int, Int)
  var name: String
}
