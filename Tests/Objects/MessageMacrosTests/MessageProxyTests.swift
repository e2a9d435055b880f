#if Macros
import MessageMacros
import TestSupport
import XCTest

/// Answers some requirements by methods, and forwards the others.
private class Spy: PageDelegateMessages {
  var seen: [String] = []
  var real: (any MessageReceiver)?
  let tracked: LifetimeTracker.Tracked?

  required init(_ real: (any PageDelegate)? = nil, _ tracker: LifetimeTracker? = nil) {
    self.real = real.map { PageDelegateRequirements.receiver(for: $0) }
    tracked = tracker?.track()
  }

  func forwardInvocation(_ invocation: Invocation) throws {
    seen.append(invocation.selector?.name ?? "")
    guard let real else { throw unrecognized(invocation.selector) }
    try invocation.send(to: real)
  }
}

private final class SubSpy: Spy {}

/// A proxy of two protocols, with methods for messages of both.
private final class Both: BaseMessages, TitledMessages {
  var numbers: [Int] = []
  static var methods: MethodTable {
    MethodTable(Both.self) {
      Method("base:") { (self: Both, number: Int) in self.numbers.append(number) }
      Method("title") { (self: Both) in "both" }
    }
  }
  static var answeredProtocols: [MessageProtocol] {
    get throws(MessageError) {
      try [BaseRequirements.messageProtocol, TitledRequirements.messageProtocol]
    }
  }
}

private final class Recording: AnsweringMessages {
  var log: [String] = []
  func forwardInvocation(_ invocation: Invocation) throws {
    log.append(invocation.selector?.name ?? "")
    switch invocation.selector {
    case "flag": try invocation.setResult(true)
    case "countOf:": try invocation.setResult(invocation.argument(2, as: String.self).count)
    case "check:", "strictly": throw LoadingError(code: 3)
    default: throw unrecognized(invocation.selector)
    }
  }
}

private final class Log: PageDelegate {
  var counts: [Int] = []
  func page(_ page: Page, didLoad count: Int) { counts.append(count) }
}

private final class Guardian: PageDelegate {
  func page(_ page: Page, didLoad count: Int) {}
  func pageShouldClose(_ page: Page) -> Bool { page.isOpen }
}

private final class Whole: Deepest {
  var numbers: [Int] = []
  var other = 1
  func base(_ number: Int) { numbers.append(number) }
  func word() -> String { "whole" }
  func derived() -> Int { numbers.count }
  func deepest() -> Bool { true }
}

private final class DeepSpy: DeepestMessages {
  let real: any MessageReceiver
  init(_ real: any Deepest) { self.real = DeepestRequirements.receiver(for: real) }
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { real }
}

private final class Remote: PublicDelegateMessages, Sendable {
  func answer(_ number: Int) async throws -> Int { number + 1 }
  static var methods: MethodTable {
    MethodTable(Remote.self) {
      Method("load:") { (self: Remote, number: Int) async throws in try await self.answer(number) }
      Method("total:") { (_: Remote, number: Int) in number * 2 }
    }
  }
}

private final class Display: MessageProxy, @MainActor ScreenMessages {
  var drawn = 0
  nonisolated static var methods: MethodTable {
    MethodTable(Display.self) {
      Method("draw:") { (self: Display, page: Page) in MainActor.assumeIsolated { self.drawn += 1 }
      }
      Method("scale") { (_: Display) in 4 }
    }
  }
}

/// Classes that get the requirements of protocols as messages to themselves.
final class MessageProxyTests: XCTestCase {
  private let page = Page()

  func testMessagesAreObservedAndForwardedToAnObjectThatConforms() throws {
    let (log, guardian) = (Log(), Guardian())
    for type in [Spy.self, SubSpy.self] {
      let spy = type.init(log)
      let delegate: any PageDelegate = spy
      delegate.page(page, didLoad: 3)
      XCTAssertTrue(delegate.pageShouldClose(page), "the default: the log leaves it out")
      XCTAssertEqual(spy.seen, ["page:didLoad:", "pageShouldClose:"])
      XCTAssertEqual(log.counts, [3])
      log.counts = []
    }
    let spy = Spy(guardian)
    page.isOpen = false
    XCTAssertFalse(spy.pageShouldClose(page))
    page.isOpen = true
    XCTAssertTrue(spy.pageShouldClose(page))
    XCTAssertTrue(try spy.send("pageShouldClose:", page))
  }

  func testAnOptionalMessageThatNobodyAnswersHasItsDefault() throws {
    let spy = Spy()
    let delegate: any PageDelegate = spy
    XCTAssertTrue(delegate.pageShouldClose(page))
    XCTAssertEqual(spy.seen, ["pageShouldClose:"])
    // As the target of a forwarder it leaves the requirement out.
    let delegates = PageDelegates(weak: spy, strong: Guardian())
    page.isOpen = false
    XCTAssertFalse(delegates.pageShouldClose(page))
    XCTAssertThrowsError(try spy.send("pageShouldClose:", page, returning: Bool.self)) {
      XCTAssertEqual(($0 as? MessageError)?.code, .unrecognizedSelector)
    }
  }

  func testAProxyAnswersByMethodsAndForSeveralProtocols() throws {
    let both = Both()
    let (base, titled): (any Base, any Titled) = (both, both)
    base.base(4)
    XCTAssertEqual(both.numbers, [4])
    XCTAssertEqual([base.word(), titled.title, titled.subtitle], ["base", "both", "none"])
    for selector in ["base:", "title", "setTitle:", "moveTwice:"] as [Selector] {
      XCTAssertTrue(both.responds(to: selector), "\(selector)")
      XCTAssertNotNil(both.methodSignature(for: selector), "\(selector)")
    }
    XCTAssertFalse(both.responds(to: "nobody"))
    XCTAssertThrowsError(try titled.size) {
      XCTAssertEqual(($0 as? MessageError)?.code, .unrecognizedSelector)
    }
  }

  func testHooksSeeTheRequirementsOfAProxy() throws {
    let both = Both()
    let sums = Recorder<Int>()
    let hook = try both.target("base:").hook(.before) { call in
      sums.record(try call.argument(2, as: Int.self))
    }
    both.base(5)
    hook.remove()
    both.base(6)
    XCTAssertEqual(sums.entries, [5])
    XCTAssertEqual(both.numbers, [5, 6])
  }

  func testInheritedRequirementsReachTheObjectOfAReceiver() throws {
    let whole = Whole()
    let spy: any Deepest = DeepSpy(whole)
    spy.base(4)
    spy.other = 9
    XCTAssertEqual(whole.numbers, [4])
    XCTAssertEqual([whole.other, spy.other, spy.derived()], [9, 9, 1])
    XCTAssertTrue(spy.deepest())
    XCTAssertEqual(spy.word(), "whole")
    let receiver = DeepestRequirements.receiver(for: whole)
    XCTAssertEqual(try receiver.send("derived"), 1)
    XCTAssertThrowsError(try receiver.send("nobody"))
  }

  func testAnswersAndErrorsPassThroughInvocations() throws {
    let proxy = Recording()
    let answering: any Answering = proxy
    XCTAssertTrue(answering.flag())
    XCTAssertEqual(answering.count(of: "four"), 4)
    XCTAssertThrowsError(try answering.check(1)) {
      XCTAssertEqual($0 as? LoadingError, .init(code: 3))
    }
    XCTAssertThrowsError(try answering.strictly()) {
      XCTAssertEqual($0 as? LoadingError, .init(code: 3))
    }
    XCTAssertEqual(answering.list(), [])
    answering.ended()
    XCTAssertEqual(try answering.hint("nobody"), "")
    XCTAssertEqual(proxy.log, ["flag", "countOf:", "check:", "strictly", "list", "ended", "hint:"])
  }

  func testAsyncRequirementsAreAwaited() async throws {
    let remote: any PublicDelegate = Remote()
    let loaded = try await remote.load(4)
    XCTAssertEqual(loaded, 5)
    XCTAssertEqual(remote.total(4), 8)
    let later = await remote.later()
    XCTAssertEqual(later, 7)
  }

  @MainActor
  func testProxiesOfAnIsolatedProtocol() {
    let display = Display()
    let screen: any Screen = display
    screen.draw(page)
    XCTAssertEqual(display.drawn, 1)
    XCTAssertEqual(screen.scale, 4)
  }

  func testAProxyEndsWithItsLastReferenceAndItsTargetsWithIt() {
    let tracker = LifetimeTracker()
    do {
      let spy = Spy(Log(), tracker)
      spy.page(page, didLoad: 1)
      withExtendedLifetime(spy) {}
    }
    tracker.expectNothingAlive()
  }
}
#endif
