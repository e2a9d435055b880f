import BlockHooks
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import TestSupport
import XCTest

// SAFETY, for the whole file: no method of the fixtures that is hooked is consuming.

final class HookTests: XCTestCase {
  private func pageClass() throws -> SwiftClass { try SwiftClass(Page.self) }

  func testHooksRunBeforeInsteadOfAndAfterAMethod() throws {
    let page = Page()
    let log = Recorder<String>()
    let type = try pageClass()
    var hooks: [Hook] = []
    hooks.append(
      unsafe try type.target("didLoad(count:_:)").hook(.before) { call in
        log.record("before \(try call.argument(1, as: Int.self))")
        try call.setArgument(1, 10)
      })
    hooks.append(
      unsafe try type.target("didLoad(count:_:)").hook(.after) { call in
        log.record("after \(try call.result(as: Double.self))")
        try call.setResult(0.25)
      })
    hooks.append(
      unsafe try type.target("didLoad(count:_:)").hook { call in
        log.record("in")
        try call.proceed()
        log.record("out")
      })
    XCTAssertEqual(page.didLoad(count: 1, 1.5), 0.25)
    XCTAssertEqual(log.entries, ["in", "before 1", "after 15.0", "out"])
    XCTAssertEqual(page.seen, ["10 1.5"])
    unsafe XCTAssertEqual(try type.target("didLoad(count:_:)").hooks.count, 3)
    for hook in hooks { XCTAssertTrue(hook.remove()) }
    XCTAssertFalse(hooks[0].remove())
    XCTAssertEqual(page.didLoad(count: 1, 1.5), 1.5)
    XCTAssertEqual(log.entries.count, 4)
    unsafe XCTAssertEqual(try type.target("didLoad(count:_:)").hooks.count, 0)
  }

  func testRemovalRestoresTheTable() throws {
    let before = [Page.self, DeeperPage.self, PageOfNumbers.self].map(metadataWords)
    let hook = unsafe try pageClass().target("close()").hook(.before) { _ in }
    let between = [Page.self, DeeperPage.self, PageOfNumbers.self].map(metadataWords)
    for (old, new) in zip(before, between) {
      XCTAssertEqual(zip(old, new).count { $0 != $1 }, 1)
    }
    hook.remove()
    XCTAssertEqual([Page.self, DeeperPage.self, PageOfNumbers.self].map(metadataWords), before)
  }

  func testAHandlerSeesTheReceiverAndPrintsArguments() throws {
    let page = Page()
    let log = Recorder<String>()
    let identity = ObjectIdentifier(page)
    let hook = unsafe try pageClass().target("didLoad(count:_:)").hook(.before) { call in
      XCTAssertEqual(ObjectIdentifier(try call.argument(0, as: Page.self)), identity)
      log.record("\(call.arguments)")
    }
    _ = page.didLoad(count: -7, 0.5)
    hook.remove()
    XCTAssertTrue(log.entries.first?.hasSuffix(", i64 -7, double 0.5") ?? false, "\(log.entries)")
  }

  func testAnInsteadHandlerMayProceedSeveralTimesOrNever() throws {
    let page = Page()
    let hook = unsafe try pageClass().target("didLoad(count:_:)").hook { call in
      for count in 0..<(try call.argument(1, as: Int.self)) {
        try call.setArgument(1, count)
        try call.proceed()
      }
    }
    XCTAssertEqual(page.didLoad(count: 3, 2), 4)
    XCTAssertEqual(page.seen, ["0 2.0", "1 2.0", "2 2.0"])
    XCTAssertEqual(page.didLoad(count: 0, 2), 0, "no result is zero")
    hook.remove()
  }

  func testAnErrorOfAHandlerIsReportedAndTheMethodRuns() throws {
    struct Failure: Error {}
    let log = Recorder<String>()
    let hook = unsafe try pageClass().target("negate(_:)").hook(onError: { log.record("\($0)") }) {
      _ in throw Failure()
    }
    XCTAssertTrue(Page().negate(false))
    hook.remove()
    XCTAssertEqual(log.entries.count, 1)
  }

  func testAHookRemovesItselfFromInside() throws {
    let before = metadataWords(of: Page.self)
    let log = Recorder<Int>()
    let hook = unsafe try pageClass().target("close()").hook(.before, when: .times(2)) { _ in
      log.record(1)
    }
    let page = Page()
    for _ in 0..<5 { page.close() }
    XCTAssertEqual(log.entries.count, 2)
    XCTAssertFalse(hook.isInstalled)
    XCTAssertEqual(metadataWords(of: Page.self), before)
    XCTAssertEqual(page.seen.count, 5)
  }

  func testAHookCanBeSuspendedAndResumed() throws {
    let log = Recorder<Int>()
    let hook = unsafe try pageClass().target("close()").hook(.before) { _ in log.record(1) }
    let page = Page()
    page.close()
    XCTAssertTrue(hook.suspend())
    page.close()
    XCTAssertTrue(try hook.resume())
    page.close()
    XCTAssertTrue(hook.removeAndWait())
    page.close()
    XCTAssertEqual(log.entries.count, 2)
    XCTAssertEqual(page.seen.count, 4)
  }

  func testGettersAndSettersOfStoredPropertiesAreHooked() throws {
    let page = Page()
    let type = try pageClass()
    let hooks = unsafe [
      try type.target("count.getter").hook(.after) {
        try $0.setResult(try $0.result(as: Int.self) * 100)
      },
      try type.target("count.setter").hook(.before) {
        try $0.setArgument(1, $0.argument(1, as: Int.self) + 1)
      },
    ]
    page.count = 4
    XCTAssertEqual(page.count, 500)
    for hook in hooks { hook.remove() }
    XCTAssertEqual(page.count, 5)
  }

  func testOverloadedMethodsAreChosenByDeclaration() throws {
    let type = try pageClass()
    expectError(.ambiguousMethod, "SwiftMethodFixtures.Page.draw(Swift.Double) -> Swift.Double") {
      unsafe try type.target("draw(_:)").hook { _ in }
    }
    let hook = unsafe try type.target("SwiftMethodFixtures.Page.draw(Swift.Double) -> Swift.Double")
      .hook {
        try $0.setResult(0.5)
      }
    XCTAssertEqual(Page().draw(2.0), 0.5)
    XCTAssertEqual(Page().draw(2), 2)
    hook.remove()
  }

  func testObjectsLiveAsLongAsWithoutHooks() throws {
    let log = Recorder<String>()
    let hook = unsafe try pageClass().target("attach(_:to:)").hook { call in
      _ = try call.argument(1, as: Page?.self)
      _ = try call.argument(2, as: Page.self)
      try call.proceed()
      try call.proceed()
    }
    for _ in 0..<10 {
      let page = Tracked { log.record("page") }
      XCTAssertEqual(page.attach(Tracked { log.record("other") }, to: page), 6)
    }
    hook.remove()
    XCTAssertEqual(log.entries.count, 20)
  }

  func testWrongArgumentsOfAHandlerNeverReachTheMethod() throws {
    final class Stranger {}
    let stranger = Stranger()
    let page = Page()
    for index in 0...2 {
      let address = UInt(bitPattern: ObjectIdentifier(stranger))
      let hook = unsafe try pageClass().target("attach(_:to:)").hook(.before) { call in
        // An object of another class, by its address.
        unsafe try call.setArgument(index, UnsafeRawPointer(bitPattern: address))
      }
      XCTAssertEqual(page.attach(nil, to: page), 0)
      hook.remove()
    }
    let hook = unsafe try pageClass().target("attach(_:to:)").hook(.before) { call in
      unsafe try call.setArgument(2, UnsafeRawPointer?.none)
    }
    XCTAssertEqual(page.attach(nil, to: page), 0)
    hook.remove()
    XCTAssertEqual(page.seen, [])
    withExtendedLifetime(stranger) {}
  }
}
