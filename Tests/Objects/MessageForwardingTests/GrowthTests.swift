import CFixtures
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// What grows with the number of classes, handlers and delegates, and what does not.
final class GrowthTests: XCTestCase {
  private final class Button: EventSender, Sendable {}

  /// How many instructions a closure takes when it runs the second time; few, for each is a signal.
  private func instructions(_ body: () throws -> Void) throws -> Int {
    try XCTSkipIf(isSanitized, "sanitizers take instructions of their own")
    try body()
    var result = Result<Void, any Error>.success(())
    let count = withoutActuallyEscaping(body) { body in
      var run = { result = Result { try body() } }
      // SAFETY: the context is the closure, which lives until the call has returned.
      return unsafe withUnsafeMutablePointer(to: &run) { context in
        unsafe fixture_instructions(
          { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context)
      }
    }
    try result.get()
    try XCTSkipIf(count == 0, "instructions are counted on x86-64 only")
    return Int(count)
  }

  func testMakingASubclassTakesNoMoreWhereThereAreMany() throws {
    let base = try DynamicClass("Base")
    base.addMethod(Method("m", signature: "v@:") { _ in })
    try base.register()
    var classes: [DynamicClass] = []
    let costs = try [8, 16].map { count in
      while classes.count < count {
        classes.append(try DynamicClass("C\(classes.count)", superclass: base))
      }
      return try instructions {
        classes.append(try DynamicClass("C\(classes.count)", superclass: base))
      }
    }
    XCTAssertLessThan(costs[1], costs[0] * 5 / 4)
  }

  func testSendingEventsTakesAsMuchForEachHandlerWhereThereAreMany() throws {
    let costs = try [8, 16].map { count in
      let handlers = Button().eventHandlers
      for _ in 0..<count { try handlers.add(for: EventMask(bit: 0)) { _, _ in } }
      return try instructions { handlers.send(EventMask(bit: 0)) }
    }
    XCTAssertLessThan(costs[1], costs[0] * 9 / 4)
  }

  func testAddingAndRemovingAHandlerTakesNoMoreWhereThereAreMany() throws {
    let handlers = Button().eventHandlers
    let costs = try [8, 16].map { count in
      while handlers.masks.count < count {
        try handlers.add(for: EventMask(bit: 0)) { _, _ in }
      }
      return try instructions { try handlers.add(for: EventMask(bit: 1)) { _, _ in }.remove() }
    }
    XCTAssertLessThan(costs[1], costs[0] * 5 / 4)
  }

  func testWhatMessagesOfClassesThatAreGoneFoundIsUsedAgain() throws {
    let base = try DynamicClass("Base")
    base.addMethod(Method("m", signature: "v@:") { _ in })
    try base.register()
    var identities: Set<MessageIdentity> = []
    for _ in 0..<10_000 {
      let made = try DynamicClass("Made", superclass: base)
      try made.register()
      let instance = try made.makeInstance()
      try instance.send("m")
      identities.formUnion([instance._messageIdentity, made._messageIdentity])
    }
    XCTAssertLessThanOrEqual(identities.count, 4)
  }

  func testWhatMessagesOfDelegatesThatAreGoneFoundIsUsedAgain() throws {
    let proto = try MessageProtocol("Growing", [.optional("m", signature: "v@:")])
    var identities: Set<MessageIdentity> = []
    for _ in 0..<10_000 {
      let delegate = DynamicDelegate(proto)
      try delegate.implement("m") {}
      try delegate.send("m")
      identities.insert(delegate._messageIdentity)
    }
    XCTAssertLessThanOrEqual(identities.count, 2)
  }

  func testASubclassInThePlaceOfOneThatIsGoneAnswersWhatItInherits() throws {
    func number(_ value: Int32) -> Method {
      Method("number", signature: "i@:") { try $0.setResult(value) }
    }
    let bases = try (0..<2).map { index in
      let base = try DynamicClass("Base\(index)")
      base.addMethod(number(Int32(index)))
      try base.register()
      return base
    }
    for (superclass, own, expected) in [
      (bases[0], nil, 0), (bases[1], nil, 1), (nil, nil, nil), (bases[0], 7, 7),
      (bases[1], nil, 1), (nil, 8, 8), (nil, nil, nil),
    ] as [(DynamicClass?, Int32?, Int32?)] {
      let made = try DynamicClass("Made", superclass: superclass)
      if let own { made.addMethod(number(own)) }
      try made.register()
      XCTAssertEqual(
        try? made.makeInstance().send("number", returning: Int32.self), expected)
    }
  }
}
