#if Macros
import MessageMacros
import TestSupport
import XCTest

private final class Log: PageDelegate {
  var counts: [Int] = []
  var onLoad: (Int) -> Void = { _ in }
  let tracked: LifetimeTracker.Tracked?

  init(_ tracker: LifetimeTracker? = nil) { tracked = tracker?.track() }

  func page(_ page: Page, didLoad count: Int) {
    counts.append(count)
    onLoad(count)
  }
}

/// A forwarder that is a receiver too.
private final class ReceivingDelegates: PageDelegateForwarding, MessageReceiver {
  let targets = Targets()
  static var methods: MethodTable { MethodTable(ReceivingDelegates.self) }
}

private final class Guardian: PageDelegate {
  func page(_ page: Page, didLoad count: Int) {}
  func pageShouldClose(_ page: Page) -> Bool { false }
}

private final class Receiver: MessageReceiver {
  var counts: [Int] = []
  func didLoad(_ page: Page, _ count: Int) { counts.append(count) }
  class var methods: MethodTable {
    MethodTable(Receiver.self) { Method("page:didLoad:", Receiver.didLoad) }
  }
}

final class ForwarderTests: XCTestCase {
  private let page = Page()

  func testARequirementWithoutAnAnswerGoesToEachKindOfTarget() {
    let (object, receiver) = (Log(), Receiver())
    var closure: [Int] = []
    let delegates = PageDelegates(weak: object)
    delegates.add { $0.pageDidLoad = { _, count in closure.append(count) } }
    delegates.add(weakReceiver: receiver)
    delegates.page(page, didLoad: 3)
    XCTAssertEqual([object.counts, closure, receiver.counts], [[3], [3], [3]])
  }

  func testTargetsOfAHigherPriorityAreCalledFirst() {
    let delegates = PageDelegates()
    var order: [Int] = []
    for (name, priority) in [(1, 0), (2, 5), (3, 0), (4, -1), (5, 5)] {
      delegates.add(priority: priority) { $0.pageDidLoad = { _, _ in order.append(name) } }
    }
    delegates.page(page, didLoad: 0)
    XCTAssertEqual(order, [2, 5, 1, 3, 4])
  }

  func testATargetIsAddedOnlyOnceAndAForwarderNotToItself() {
    let (log, receiver) = (Log(), Receiver())
    let (delegates, other) = (PageDelegates(weak: log), PageDelegates())
    XCTAssertFalse(delegates.add(weak: log, priority: 1))
    XCTAssertTrue(delegates.add(weakReceiver: receiver))
    XCTAssertFalse(delegates.add(weakReceiver: receiver))
    XCTAssertFalse(delegates.add(weak: delegates))
    XCTAssertTrue(delegates.add(weak: other))
    XCTAssertFalse(other.add(weak: delegates), "it leads back")
    delegates.page(page, didLoad: 1)
    XCTAssertEqual(log.counts, [1])
  }

  func testAnAdditionThatIsRefusedSaysSoOnStandardError() throws {
    let (delegates, other) = (ReceivingDelegates(), PageDelegates())
    XCTAssertEqual(try standardError { delegates.add(weak: other) }, "")
    XCTAssertEqual(try standardError { delegates.add(weakReceiver: WeakProxy(delegates)) }, "")
    let rows: [(() -> Bool, String)] = [
      (
        { delegates.add(weakReceiver: delegates) }, "a forwarder is no receiver of what it forwards"
      ),
      ({ delegates.add(strongReceiver: delegates) }, "add a WeakProxy of it"),
      ({ delegates.add(weak: delegates) }, "ReceivingDelegates leads back to the forwarder"),
      ({ other.add(strong: delegates) }, "ReceivingDelegates leads back to the forwarder"),
    ]
    for (add, reason) in rows {
      let text = try standardError { XCTAssertFalse(add(), reason) }
      XCTAssertTrue(text.hasPrefix("BlockRuntime: from an addition to a forwarder: "), text)
      XCTAssertTrue(text.contains(reason), "\(reason): \(text)")
    }
  }

  func testObjectsAreHeldOnlyIfTheyAreAddedStrongly() {
    let tracker = LifetimeTracker()
    let delegates = PageDelegates()
    delegates.add(weak: Log(tracker))
    XCTAssertEqual(tracker.alive, 0)
    delegates.add(strong: Log(tracker))
    XCTAssertEqual(tracker.alive, 1)
    delegates.page(page, didLoad: 1)
    delegates.removeAll()
    tracker.expectNothingAlive()
  }

  func testClosuresAreHeldUntilTheirTokenRemovesThem() {
    let tracker = LifetimeTracker()
    let delegates = PageDelegates()
    let token = delegates.add { [tracked = tracker.track()] closures in
      closures.pageDidLoad = { _, _ in withExtendedLifetime(tracked) {} }
    }
    XCTAssertEqual(tracker.alive, 1)
    token.remove()
    token.remove()
    tracker.expectNothingAlive()
  }

  func testNothingKeepsAForwarderAlive() {
    let tracker = LifetimeTracker()
    var delegates: PageDelegates? = PageDelegates()
    weak let last = delegates
    delegates?.add(strong: Log(tracker))
    let token = delegates?.add { $0.pageDidLoad = { _, _ in } }
    delegates?.page(page, didLoad: 1)
    delegates = nil
    XCTAssertNil(last)
    tracker.expectNothingAlive()
    token?.remove()
  }

  func testARemovedTargetGetsNoMoreCallsAlsoInADispatchInProgress() {
    let (first, second, third) = (Log(), Log(), Log())
    let delegates = PageDelegates(weak: first, second)
    let token = delegates.add { $0.pageDidLoad = { _, _ in XCTFail("was removed") } }
    first.onLoad = { _ in
      delegates.remove(second)
      token.remove()
      delegates.add(weak: third)
    }
    delegates.page(page, didLoad: 1)
    XCTAssertEqual([first.counts, second.counts, third.counts], [[1], [], []])
    XCTAssertFalse(delegates.contains(second))
    XCTAssertTrue(delegates.contains(third))
  }

  func testATargetIsAliveDuringItsCall() {
    let tracker = LifetimeTracker()
    var log: Log? = Log(tracker)
    let delegates = PageDelegates()
    log.map { _ = delegates.add(weak: $0) }
    log?.onLoad = { _ in
      log = nil
      XCTAssertEqual(tracker.alive, 1)
    }
    delegates.page(page, didLoad: 1)
    // Its closure refers to a variable, not to the object.
    tracker.expectNothingAlive()
  }

  func testAForwarderMayBeReleasedByItsTargets() {
    let log = Log()
    var delegates: PageDelegates? = PageDelegates(weak: log)
    log.onLoad = { _ in delegates = nil }
    delegates?.page(page, didLoad: 1)
    XCTAssertEqual(log.counts, [1])
  }

  func testAnyReceiverIsATargetAlsoAProxy() throws {
    let delegate = DynamicDelegate(try PageDelegateRequirements.messageProtocol)
    try delegate.implement("pageShouldClose:") { (_: Page) in false }
    let proxy = MultiTargetProxy(weak: [delegate])
    let delegates = PageDelegates(weak: Log())
    delegates.add(weakReceiver: proxy)
    XCTAssertFalse(delegates.pageShouldClose(page))
    delegate.removeMethod("pageShouldClose:")
    XCTAssertTrue(delegates.pageShouldClose(page))
  }

  func testTheProtocolIsDescribedForMessages() throws {
    XCTAssertEqual(
      try PageDelegateRequirements.messageProtocol.ownMethods.map {
        "\($0.isRequired ? "required" : "optional") \($0.selector)"
      }, ["required page:didLoad:", "optional pageShouldClose:"])
    XCTAssertEqual(
      try DeepestRequirements.messageProtocol.allMethods.map(\.selector.name),
      ["deepest", "derived", "base:", "word", "other", "setOther:"])
    XCTAssertEqual(
      try TitledRequirements.messageProtocol.ownMethods.map(\.selector.name),
      ["title", "setTitle:", "size", "subtitle", "moveTo:", "moveBy:", "moveTwice:"])
  }
}
#endif
