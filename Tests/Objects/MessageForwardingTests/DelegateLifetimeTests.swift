import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import Synchronization
import TestSupport
import TypeEncodings
import XCTest

/// An object with properties that are methods of its delegate.
private final class PageView: DelegateOwner {
  let dynamicDelegate: DynamicDelegate
  @LinkedMethod("closed") var closed: (@Sendable () -> Void)?
  @LinkedMethod("page:didLoad:") var didLoad: (@Sendable (Page, Int32) -> Void)?
  @LinkedMethod("a:b:c:") var three: (@Sendable (Int32, Int32, Int32) -> Int32)?
  @LinkedMethod("a:b:c:d:") var four: (@Sendable (Int32, Int32, Int32, Int32) -> Int32)?
  @LinkedMethod("a:b:c:") var wrong: (@Sendable (Int32, Int64, Double) -> Int32)?

  init(_ messageProtocol: MessageProtocol) {
    dynamicDelegate = DynamicDelegate(messageProtocol)
  }
}

final class DelegateLifetimeTests: XCTestCase {
  private static func makeProtocol() throws -> MessageProtocol {
    try MessageProtocol(
      "Views",
      [
        .required("closed", signature: "v@:"), .optional("page:didLoad:", signature: "v@:@i"),
        .optional("a:b:c:", signature: "i@:iii"), .optional("a:b:c:d:", signature: "i@:iiii"),
      ])
  }

  // MARK: - Linked properties

  func testSettingAPropertyImplementsItsMessage() throws {
    let view = PageView(try Self.makeProtocol())
    let loads = Recorder<Int32>()
    let page = Page()
    view.didLoad = { _, count in loads.record(count) }
    try view.dynamicDelegate.send("page:didLoad:", page, Int32(3))
    view.didLoad?(page, 4)
    XCTAssertEqual(loads.entries, [3, 4])
    view.didLoad = { _, count in loads.record(-count) }
    try view.dynamicDelegate.send("page:didLoad:", page, Int32(5))
    XCTAssertEqual(loads.entries, [3, 4, -5])
    view.didLoad = nil
    XCTAssertNil(view.didLoad)
    XCTAssertFalse(view.dynamicDelegate.responds(to: "page:didLoad:"))
  }

  func testAPropertyMayHaveUpToFourArguments() throws {
    let view = PageView(try Self.makeProtocol())
    let closed = Recorder<Int>()
    view.closed = { closed.record(1) }
    try view.dynamicDelegate.send("closed")
    XCTAssertEqual(closed.entries, [1])
    view.three = { $0 + $1 + $2 }
    view.four = { $0 * $1 * $2 * $3 }
    XCTAssertEqual(
      try view.dynamicDelegate.send(
        "a:b:c:", Int32(1), Int32(2), Int32(3), returning: Int32.self), 6)
    XCTAssertEqual(
      try view.dynamicDelegate.send(
        "a:b:c:d:", Int32(1), Int32(2), Int32(3), Int32(4), returning: Int32.self), 24)
  }

  func testAPropertyReadsNilWhenItsMethodIsGoneOrAnother() throws {
    let view = PageView(try Self.makeProtocol())
    view.closed = {}
    XCTAssertNotNil(view.closed)
    view.dynamicDelegate.removeMethod("closed")
    XCTAssertNil(view.closed)
    view.closed = {}
    try view.dynamicDelegate.implement("closed") {}
    XCTAssertNil(view.closed)
    // Nil removes what answers the message, whoever implemented it.
    view.closed = nil
    XCTAssertFalse(view.dynamicDelegate.responds(to: "closed"))
  }

  func testAPropertyOfTheWrongTypeIsRefused() throws {
    let view = PageView(try Self.makeProtocol())
    view.three = { $0 + $1 + $2 }
    view.wrong = { _, _, _ in 0 }
    XCTAssertNil(view.wrong)
    XCTAssertEqual(view.$wrong?.code, .typeMismatch)
    XCTAssertNotNil(view.three)
    view.wrong = nil
    XCTAssertNil(view.$wrong)
  }

  // MARK: - Lifetimes

  func testEverythingIsReleasedWhenItIsRemovedReplacedOrTheDelegateDies() throws {
    typealias Closed = @convention(block) () -> Void
    let ways: [(DynamicDelegate) throws -> Void] = [
      { $0.removeMethod("closed") }, { $0.removeAllMethods() },
      { try $0.implement("closed") {} }, { try $0.implement("closed", with: nil) }, { _ in },
    ]
    for (index, way) in ways.enumerated() {
      for isBlock in [false, true] {
        let tracker = LifetimeTracker()
        var delegate: DynamicDelegate? = DynamicDelegate(try Self.makeProtocol())
        var method: DelegateMethod?
        do {
          let tracked = tracker.track()
          if isBlock {
            let block: Closed = { withExtendedLifetime(tracked) {} }
            method = try delegate?.implement("closed", with: Block(block))
          } else {
            method = try delegate?.implement("closed") { withExtendedLifetime(tracked) {} }
          }
        }
        try delegate?.send("closed")
        XCTAssertEqual(tracker.alive, 1)
        if let delegate { try way(delegate) }
        if index == ways.count - 1 { delegate = nil }
        tracker.expectNothingAlive()
        XCTAssertEqual(method?.isImplemented, false)
        XCTAssertEqual(method?.remove(), false)
        XCTAssertNil(method?.block)
      }
    }
  }

  func testAMethodThatRemovesOrReplacesItselfGoesOn() throws {
    let delegate = DynamicDelegate(try Self.makeProtocol())
    let tracker = LifetimeTracker()
    let seen = Recorder<String>()
    for replaces in [false, true] {
      do {
        let tracked = tracker.track()
        try delegate.implement("closed") { [unowned delegate] in
          if replaces {
            try delegate.implement("closed") { seen.record("new") }
          } else {
            delegate.removeMethod("closed")
          }
          XCTAssertEqual(tracker.alive, 1)
          withExtendedLifetime(tracked) { seen.record("old") }
        }
      }
      try delegate.send("closed")
      tracker.expectNothingAlive()
    }
    try delegate.send("closed")
    XCTAssertEqual(seen.entries, ["old", "old", "new"])
  }

  func testADyingObjectGetsNoDelegateAndNoProxy() throws {
    final class Dying {
      let attempt: (Dying) -> Void
      init(_ attempt: @escaping (Dying) -> Void) { self.attempt = attempt }
      deinit { attempt(self) }
    }
    let pages = try Self.makeProtocol()
    var refusals: [MessageError] = []
    _ = Dying { owner in
      do throws(MessageError) {
        _ = try DynamicDelegate.of(owner, for: pages)
      } catch {
        refusals.append(error)
      }
      do throws(MessageError) {
        try MultiTargetProxy().attach(to: owner)
      } catch {
        refusals.append(error)
      }
    }
    XCTAssertEqual(refusals.map(\.code), [.deadReceiver, .deadReceiver])
    XCTAssertTrue(refusals.allSatisfy { $0.underlyingError is LifetimeError })
  }

  func testAnObjectKeepsOneDelegateForEachProtocol() throws {
    let (first, second) = (try Self.makeProtocol(), try Self.makeProtocol())
    let tracker = LifetimeTracker()
    var page: Page? = Page()
    weak let kept: DynamicDelegate?
    do {
      let owner = try XCTUnwrap(page)
      let delegate = try DynamicDelegate.of(owner, for: first)
      kept = delegate
      XCTAssertTrue(delegate === (try DynamicDelegate.of(owner, for: first)))
      XCTAssertFalse(delegate === (try DynamicDelegate.of(owner, for: second)))
      XCTAssertFalse(delegate === (try DynamicDelegate.of(Page(), for: first)))
      let tracked = tracker.track()
      try delegate.implement("closed") { withExtendedLifetime(tracked) {} }
    }
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertNotNil(kept)
    page = nil
    tracker.expectNothingAlive()
    XCTAssertNil(kept)
  }

  func testADelegateFindsNothingOfOneThatDied() throws {
    let proto = try Self.makeProtocol()
    for round in 0..<100 {
      let delegate = DynamicDelegate(proto)
      XCTAssertFalse(delegate.responds(to: "closed"))
      XCTAssertThrowsError(try delegate.send("closed"))
      try delegate.implement("a:b:c:") { (a: Int32, _: Int32, _: Int32) in a + Int32(round) }
      if round % 3 == 0 {
        try delegate.target("a:b:c:").hook { call in try call.setResult(Int32(-1)) }
      }
      XCTAssertEqual(
        try delegate.send("a:b:c:", Int32(1), Int32(2), Int32(3), returning: Int32.self),
        round % 3 == 0 ? -1 : Int32(round) + 1)
      try delegate.implement("closed") {}
      try delegate.send("closed")
    }
  }

  // MARK: - Threads

  func testAnObjectGetsOneDelegateFromManyThreads() throws {
    let proto = try Self.makeProtocol()
    for _ in 0..<50 {
      let page = DynamicDelegate(proto)
      let made = Recorder<ObjectIdentifier>()
      let threads = ThreadGroup()
      for _ in 0..<4 {
        threads.start {
          if let delegate = try? DynamicDelegate.of(page, for: proto) {
            made.record(ObjectIdentifier(delegate))
            made.record(ObjectIdentifier(delegate.classReceiver))
          }
        }
      }
      threads.wait()
      XCTAssertEqual(made.entries.count, 8)
      XCTAssertEqual(Set(made.entries).count, 2)
    }
  }

  func testMessagesAreSentWhileMethodsComeAndGo() throws {
    let tracker = LifetimeTracker()
    let wrong = Recorder<String>()
    do {
      let delegate = DynamicDelegate(try Self.makeProtocol())
      let real = DynamicDelegate(delegate.messageProtocol)
      try real.implement("a:b:c:") { (_: Int32, _: Int32, _: Int32) in Int32(0) }
      try delegate.setRealDelegate(real)
      let isOver = Atomic(false)
      let changers = ThreadGroup()
      let senders = ThreadGroup()
      for thread in 0..<2 {
        changers.start {
          for round in 0..<500 {
            let tracked = tracker.track()
            let method = try? delegate.implement("a:b:c:") { (a: Int32, _: Int32, c: Int32) in
              withExtendedLifetime(tracked) { a + c }
            }
            if thread == 0 { method?.remove() }
            if round % 7 == 0 { delegate.removeMethod("a:b:c:") }
          }
        }
      }
      for thread in 0..<3 {
        senders.start {
          while !isOver.load(ordering: .acquiring) {
            do {
              let answer =
                thread == 0
                ? try delegate.send("a:b:c:", values: [1, 2, 3])
                : .integer(
                  Int128(
                    try delegate.send(
                      "a:b:c:", Int32(1), Int32(2), Int32(3), returning: Int32.self)))
              if ![0, 4].contains(answer) { wrong.record("\(answer)") }
            } catch {
              wrong.record("\(error)")
            }
          }
        }
      }
      changers.wait()
      isOver.store(true, ordering: .releasing)
      senders.wait()
      delegate.removeAllMethods()
    }
    XCTAssertEqual(wrong.entries, [])
    tracker.expectNothingAlive()
  }
}
