import BlockABI
import BlockHooks
import Dispatch
import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

/// Who gets what a delegate does not implement.
private final class RealDelegate: MessageReceiver, Sendable {
  func name() -> String { "real" }
  func extra() -> Int64 { 5 }

  static var methods: MethodTable {
    MethodTable(RealDelegate.self) {
      Method("name", RealDelegate.name)
      Method("extra", RealDelegate.extra)
      Method("version") { (_: ClassObject) -> Int64 in 7 }.ofClass()
    }
  }
}

/// Forwards everything, and says that it responds to what its target responds to.
private final class Mirror: MessageReceiver {
  weak var target: (any MessageReceiver)?

  static var methods: MethodTable { MethodTable(Mirror.self) }
  func responds(to selector: Selector) -> Bool { target?.responds(to: selector) ?? false }
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { target }
}

/// Forwards everything, and says that it responds to everything.
private final class Boaster: MessageReceiver {
  weak var target: (any MessageReceiver)?

  static var methods: MethodTable { MethodTable(Boaster.self) }
  func responds(to selector: Selector) -> Bool { true }
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { target }
}

final class DelegateForwardingTests: XCTestCase {
  private static func makeProtocol() throws -> MessageProtocol {
    try MessageProtocol(
      "Names",
      [
        .required("name", returning: String.self), .required("must", signature: "q@:"),
        .optional("may", signature: "q@:"),
        MethodDescription.required("version", signature: "q@:").ofClass(),
      ])
  }

  private func code(
    _ body: () throws -> Void, file: StaticString = #filePath, line: UInt = #line
  ) -> ErrorCode? {
    do { try body() } catch { return (error as? MessageError)?.code }
    XCTFail("nothing was thrown", file: file, line: line)
    return nil
  }

  func testTheRealDelegateGetsWhatIsNotImplemented() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    let real = RealDelegate()
    try delegate.setRealDelegate(real)
    XCTAssertTrue(delegate.realDelegate === real)
    XCTAssertEqual(try delegate.send("name", returning: String.self), "real")
    // What the protocol does not declare is forwarded too.
    XCTAssertTrue(delegate.responds(to: "extra"))
    XCTAssertEqual(try delegate.send("extra", returning: Int64.self), 5)
    XCTAssertEqual(try delegate.send("extra", values: []), 5)
    let method = try delegate.implement("name") { "closure" }
    XCTAssertEqual(try delegate.send("name", returning: String.self), "closure")
    method.remove()
    XCTAssertEqual(try delegate.send("name", returning: String.self), "real")
    try delegate.setRealDelegate(nil)
    XCTAssertFalse(delegate.responds(to: "name"))
  }

  func testTheRealDelegateIsNotKeptAlive() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    do {
      let real = RealDelegate()
      try delegate.setRealDelegate(real)
      XCTAssertTrue(delegate.responds(to: "name"))
      withExtendedLifetime(real) {}
    }
    XCTAssertNil(delegate.realDelegate)
    XCTAssertFalse(delegate.responds(to: "name"))
    XCTAssertEqual(code { try delegate.send("name") }, .missingRequiredMethod)
  }

  func testWhatNobodyAnswersIsAnErrorOfItsKind() throws {
    let rows: [(Selector, ErrorCode)] = [
      ("must", .missingRequiredMethod), ("may", .unrecognizedSelector),
      ("unknown", .unrecognizedSelector),
    ]
    for real in [nil, RealDelegate()] {
      let delegate = DynamicDelegate(try Self.makeProtocol())
      try delegate.setRealDelegate(real)
      for (selector, expected) in rows {
        XCTAssertFalse(delegate.responds(to: selector))
        XCTAssertEqual(code { try delegate.send(selector) }, expected)
        XCTAssertEqual(code { try delegate.send(selector, returning: Int64.self) }, expected)
        XCTAssertEqual(code { try delegate.send(selector, values: []) }, expected)
        XCTAssertEqual(
          code { try Invocation(message: selector, signature: "q@:").send(to: delegate) }, expected)
      }
    }
  }

  func testMissingRequiredMethodsAreReported() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    XCTAssertEqual(
      delegate.missingRequiredMethods.map(\.description),
      ["name (@\"Swift.String\"@:)", "must (q@:)", "+version (q@:)"]
    )
    let real = RealDelegate()
    try delegate.setRealDelegate(real)
    XCTAssertThrowsError(try delegate.requireComplete()) { error in
      XCTAssertEqual((error as? MessageError)?.code, .missingRequiredMethod)
      XCTAssertEqual(
        (error as? MessageError)?.message,
        "DynamicDelegate<Names> lacks must (q@:), which Names requires; implement them, or set a real "
          + "delegate that does")
    }
    try delegate.implement("must") { Int64(1) }
    XCTAssertNoThrow(try delegate.requireComplete())
    withExtendedLifetime(real) {}
  }

  // MARK: - Cycles

  func testADelegateCannotBeItsOwnRealDelegate() throws {
    let delegates = try (0..<3).map { _ in DynamicDelegate(try Self.makeProtocol()) }
    try delegates[0].setRealDelegate(delegates[1])
    try delegates[1].setRealDelegate(delegates[2])
    for receiver in delegates + delegates.map(\.classReceiver) {
      XCTAssertEqual(code { try delegates[2].setRealDelegate(receiver) }, .delegateCycle)
    }
    XCTAssertNil(delegates[2].realDelegate)
    XCTAssertEqual(
      code { try delegates[0].classReceiver.setRealDelegate(nil) }, .invalidMethod)
  }

  func testACycleThroughOtherObjectsIsNoCrash() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    let mirror = Mirror()
    mirror.target = delegate
    try withIsolationScope { scope in
      try scope.isolated(delegate).setRealDelegate(mirror)
      XCTAssertFalse(delegate.responds(to: "may"))
      XCTAssertNotNil(code { try delegate.send("may") })
      let boaster = Boaster()
      boaster.target = delegate
      try scope.isolated(delegate).setRealDelegate(boaster)
      XCTAssertEqual(code { try delegate.send("may") }, .forwardingLoop)
      XCTAssertEqual(code { try delegate.send("may", values: []) }, .forwardingLoop)
      try delegate.implement("may") { Int64(3) }
      XCTAssertEqual(try boaster.send("may", returning: Int64.self), 3)
    }
  }

  func testThreadsCannotMakeACycleOfDelegates() throws {
    let delegates = try (0..<3).map { _ in DynamicDelegate(try Self.makeProtocol()) }
    for _ in 0..<shortened(2_000) {
      for delegate in delegates { try delegate.setRealDelegate(nil) }
      let refused = Recorder<ErrorCode?>()
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        do throws(MessageError) {
          try delegates[thread].setRealDelegate(delegates[(thread + 1) % 3])
        } catch {
          refused.record(error.code)
        }
      }
      XCTAssertEqual(refused.entries, [.delegateCycle])
      XCTAssertEqual(delegates.count { $0.realDelegate == nil }, 1)
    }
  }

  // MARK: - Isolation

  private final class Counter: MessageReceiver {
    var count: Int64 = 0

    static var methods: MethodTable {
      MethodTable(Counter.self) {
        Method("may") { (counter: Counter) -> Int64 in
          counter.count += 1
          return counter.count
        }
      }
    }
  }

  func testARealDelegateThatIsNotSendableIsCalledOnlyWhereItBelongs() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    let counter = Counter()
    try withIsolationScope { scope in
      try scope.isolated(delegate).setRealDelegate(counter)
      XCTAssertTrue(scope.isolated(delegate).realDelegate === counter)
      // The compiler lets what a Sendable object gives out go to other tasks.
      XCTAssertNil(delegate.realDelegate)
      withIsolationScope { XCTAssertNil($0.isolated(delegate).realDelegate) }
      XCTAssertEqual(try delegate.send("may", returning: Int64.self), 1)
      let elsewhere = ThreadGroup()
      let codes = Recorder<ErrorCode?>()
      elsewhere.start {
        XCTAssertNil(delegate.realDelegate)
        XCTAssertFalse(delegate.responds(to: "may"))
        do { try delegate.send("may") } catch { codes.record((error as? MessageError)?.code) }
      }
      elsewhere.wait()
      XCTAssertEqual(codes.entries, [.wrongExecutor])
      XCTAssertEqual(try delegate.send("may", returning: Int64.self), 2)
    }
    XCTAssertNil(delegate.realDelegate)
    XCTAssertThrowsError(try delegate.send("may"))
    XCTAssertEqual(counter.count, 2)
  }

  func testARealDelegateThatIsNotSendableIsRefused() throws {
    let code = """
      import MessageForwarding
      final class Counter: MessageReceiver {
        var count = 0
        static var methods: MethodTable { MethodTable(Counter.self) }
      }
      func set(_ delegate: DynamicDelegate) throws {
        try delegate.setRealDelegate(Counter())
        try withIsolationScope { try $0.isolated(delegate).setRealDelegate(Counter()) }
        try delegate.setRealDelegate(delegate)
      }
      """
    XCTAssertEqual(try ClientCode(self).refusedLines(of: code), [7])
  }

  func testAMessageGoesThroughALongChainOfDelegates() throws {
    let delegates = try (0..<60).map { _ in DynamicDelegate(try Self.makeProtocol()) }
    for (front, back) in zip(delegates, delegates.dropFirst()) { try front.setRealDelegate(back) }
    try delegates[59].implement("may") { Int64(59) }
    XCTAssertEqual(try delegates[0].send("may", returning: Int64.self), 59)
  }

  // MARK: - The class

  func testAClassMethodIsAnsweredByTheClassReceiver() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    let classReceiver = delegate.classReceiver
    XCTAssertTrue(classReceiver === delegate.classReceiver)
    XCTAssertTrue(classReceiver === classReceiver.classReceiver)
    XCTAssertEqual(classReceiver.description, "DynamicDelegate<Names>.Class")
    XCTAssertEqual(code { try classReceiver.send("version") }, .missingRequiredMethod)
    let real = RealDelegate()
    try delegate.setRealDelegate(real)
    XCTAssertEqual(try classReceiver.send("version", returning: Int64.self), 7)
    let block: @convention(block) () -> Int64 = { 8 }
    try classReceiver.implement("version", with: block)
    XCTAssertEqual(try classReceiver.send("version", returning: Int64.self), 8)
    XCTAssertFalse(delegate.responds(to: "version"))
    XCTAssertFalse(classReceiver.responds(to: "must"))
    XCTAssertEqual(code { try classReceiver.implement("must") { Int64(1) } }, .undeclaredSelector)
    XCTAssertEqual(code { try delegate.implement("version") { Int64(1) } }, .undeclaredSelector)
    withExtendedLifetime(real) {}
  }

  func testTheClassReceiverForwardsToTheClassOfEveryKindOfRealDelegate() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    let other = DynamicDelegate(delegate.messageProtocol)
    try other.classReceiver.implement("version") { Int64(1) }
    let dynamic = try DynamicClass("DelegateForwardingTests.Versioned")
    dynamic.addMethod(
      Method("version", signature: "q@:") { try $0.setResult(Int64(2)) }.ofClass())
    try dynamic.register()
    let rows: [(any MessageReceiver & Sendable, Int64)] = [
      (other, 1), (try dynamic.makeInstance(), 2), (dynamic, 2), (RealDelegate(), 7),
      (RealDelegate.classObject, 7),
    ]
    for (real, expected) in rows {
      try delegate.setRealDelegate(real)
      XCTAssertEqual(try delegate.classReceiver.send("version", returning: Int64.self), expected)
    }
  }
}
