#if Macros
import Dispatch
import MessageMacros
import TestSupport
import XCTest

private class Controller {
  let name: String
  init(name: String = "controller") { self.name = name }
}

/// A forwarder that has a superclass, and answers one requirement itself.
private final class PageController: Controller, PageDelegateForwarding {
  let targets = Targets()
  init() { super.init() }
  func pageShouldClose(_ page: Page) -> Bool { name == "controller" }
}

/// One with an initialiser of its own.
private final class NamedDelegates: Controller, PageDelegateForwarded, Forwarder {
  let targets = ForwardingTargets<PageDelegateRequirements>()
}

/// A class that had its duties before it became a forwarder.
private class Window {
  var closed = 0
  required init() {}
}

private class MovableWindow: Window, PageDelegateForwarding {
  let targets = Targets()
  func close(_ page: Page) { if pageShouldClose(page) { closed += 1 } }
}

private final class Log: PageDelegate {
  var counts: [Int] = []
  func page(_ page: Page, didLoad count: Int) { counts.append(count) }
  func pageShouldClose(_ page: Page) -> Bool { false }
}

private final class NestedLog: Nested.Delegate {
  var count = 0
  func nested() { count += 1 }
}

/// The classes that forward are the user's own.
final class ForwardingClassTests: XCTestCase {
  private let page = Page()

  func testAClassAnswersARequirementItselfAndForwardsTheRest() {
    let log = Log()
    let controller = PageController(weak: log)
    let delegate: any PageDelegate = controller
    delegate.page(page, didLoad: 2)
    XCTAssertEqual(log.counts, [2])
    XCTAssertTrue(delegate.pageShouldClose(page), "the target's answer would be false")
  }

  func testAClassWithAnInitialiserOfItsOwnForwards() {
    let log = Log()
    let delegates = NamedDelegates(name: "named")
    delegates.add(weak: log)
    delegates.page(page, didLoad: 3)
    XCTAssertEqual(log.counts, [3])
    XCTAssertFalse(delegates.pageShouldClose(page))
  }

  func testASubclassOfAClassWithARequiredInitialiserForwards() {
    let log = Log()
    let window = MovableWindow(weak: log)
    window.close(page)
    window.remove(log)
    window.close(page)
    XCTAssertEqual(window.closed, 1)
  }

  func testForwardersThatAreAddedToEachOtherAtOnceMakeNoLoop() {
    for _ in 0..<2_000 {
      let forwarders = [PublicDelegates(), PublicDelegates()]
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        forwarders[index].add(weak: forwarders[1 - index])
      }
      XCTAssertFalse(
        forwarders[0].contains(forwarders[1]) && forwarders[1].contains(forwarders[0]))
    }
  }

  func testForwardersOfDifferentClassesMakeNoLoop() {
    let (controller, delegates, log) = (PageController(), PageDelegates(), Log())
    XCTAssertTrue(controller.add(weak: delegates))
    XCTAssertFalse(delegates.add(weak: controller))
    XCTAssertTrue(delegates.add(weak: log))
    controller.page(page, didLoad: 4)
    XCTAssertEqual(log.counts, [4])
  }

  func testObjectsAreAddedStronglyWhenAForwarderIsMade() {
    let tracker = LifetimeTracker()
    final class Kept: PageDelegate {
      let tracked: LifetimeTracker.Tracked
      init(_ tracker: LifetimeTracker) { tracked = tracker.track() }
      func page(_ page: Page, didLoad count: Int) {}
    }
    do {
      let delegates = PageDelegates(weak: Kept(tracker), strong: Kept(tracker))
      XCTAssertEqual(tracker.alive, 1)
      delegates.page(page, didLoad: 1)
    }
    tracker.expectNothingAlive()
  }

  func testAProtocolInATypeHasForwarders() {
    let log = NestedLog()
    let delegate: any Nested.Delegate = Nested.Delegates(weak: log)
    delegate.nested()
    XCTAssertEqual(log.count, 1)
  }

  func testAForwarderOfASendableProtocolIsSendableWithoutSayingSo() {
    func requireSendable(_ value: some Sendable) {}
    requireSendable(PublicDelegates())
    requireSendable(PublicDelegates().targets)
  }
}
#endif
