import BlockHooks
import ExperimentalSwiftMethods
import Invocations
import SwiftMethodFixtures
import TestSupport
import XCTest

// SAFETY, for the whole file: no method of the fixtures that is hooked is consuming.

/// Which objects the hooks of a class reach.
final class ClassTests: XCTestCase {
  private func load(_ page: any Loading) -> Double { page.didLoad(count: 1, 1) }

  func testHooksReachSubclassesThatInheritTheMethod() throws {
    let log = Recorder<String>()
    let hook = unsafe try SwiftClass(Page.self).target("didLoad(count:_:)").hook(.before) { call in
      log.record("\(type(of: try call.argument(0, as: Page.self)))")
    }
    for page in [Page(), InheritingPage(), DeeperPage(), GenericPage<Int>(), PageOfNumbers()] {
      XCTAssertEqual(page.didLoad(count: 1, 1), 1)
    }
    XCTAssertEqual(
      log.entries, ["Page", "InheritingPage", "DeeperPage", "GenericPage<Int>", "PageOfNumbers"])
    hook.remove()
    XCTAssertEqual(DeeperPage().didLoad(count: 1, 1), 1)
    XCTAssertEqual(log.entries.count, 5)
  }

  func testAnOverrideIsAnotherMethodAndCallsItsSuperclassesDirectly() throws {
    let log = Recorder<String>()
    let hook = unsafe try SwiftClass(Page.self).target("didLoad(count:_:)").hook(.before) { _ in
      log.record("page")
    }
    XCTAssertEqual(OverridingPage().didLoad(count: 1, 1), 101)
    XCTAssertEqual(log.entries, [])
    let own = unsafe try SwiftClass(OverridingPage.self).target("didLoad(count:_:)").hook(.before) {
      _ in
      log.record("overriding")
    }
    XCTAssertEqual(OverridingPage().didLoad(count: 1, 1), 101)
    XCTAssertEqual(Page().didLoad(count: 1, 1), 1)
    XCTAssertEqual(log.entries, ["overriding", "page"])
    hook.remove()
    own.remove()
  }

  func testHooksOfASubclassLieOutsideOfThoseItInheritsInEitherOrder() throws {
    let classes: [Page.Type] = [Page.self, InheritingPage.self, DeeperPage.self]
    let before = classes.map(metadataWords)
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
      let log = Recorder<Int>()
      let hooks = try order.map { index in
        unsafe try SwiftClass(classes[index]).target("didLoad(count:_:)").hook(.before) { _ in
          log.record(index)
        }
      }
      XCTAssertEqual(DeeperPage().didLoad(count: 1, 1), 1)
      XCTAssertEqual(log.entries, [2, 1, 0])
      XCTAssertEqual(InheritingPage().didLoad(count: 1, 1), 1)
      XCTAssertEqual(log.entries.dropFirst(3), [1, 0])
      XCTAssertEqual(Page().didLoad(count: 1, 1), 1)
      XCTAssertEqual(log.entries.dropFirst(5), [0])
      hooks[1].remove()
      XCTAssertEqual(DeeperPage().didLoad(count: 1, 1), 1)
      XCTAssertEqual(log.entries.dropFirst(6), [2, 1, 0].filter { $0 != order[1] }[...])
      hooks[0].remove()
      hooks[2].remove()
      XCTAssertEqual(classes.map(metadataWords), before)
    }
  }

  func testAHookOfASubclassLeavesTheSuperclassAlone() throws {
    let log = Recorder<Int>()
    let before = metadataWords(of: Page.self)
    let hook = unsafe try SwiftClass(InheritingPage.self).target("close()").hook(.before) { _ in
      log.record(1)
    }
    XCTAssertEqual(metadataWords(of: Page.self), before)
    for page in [Page(), InheritingPage(), DeeperPage()] { page.close() }
    XCTAssertEqual(log.entries.count, 2)
    hook.remove()
  }

  func testAClassMadeWhileItsSuperclassIsHookedIsHookedAndReleased() throws {
    struct Unused {}
    let log = Recorder<Int>()
    let hook = unsafe try SwiftClass(Page.self).target("close()").hook(.before) { _ in log.record(1)
    }
    // The metadata is copied from the superclass's, hook and all, and no list has it.
    let page: Page = GenericPage<Unused>()
    page.close()
    XCTAssertEqual(log.entries.count, 1)
    hook.remove()
    page.close()
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(page.seen.count, 2)
  }

  func testCallsThroughAProtocolAndWithinTheModuleAreSeen() throws {
    let log = Recorder<Int>()
    let hook = unsafe try SwiftClass(Page.self).target("didLoad(count:_:)").hook(.before) { _ in
      log.record(1)
    }
    XCTAssertEqual(load(Page()), 1)
    XCTAssertEqual(log.entries.count, 1)
    XCTAssertEqual(Page().loadTwice(), 3)
    XCTAssertEqual(log.entries.count, 3)
    hook.remove()
  }

  func testAClassOfTheTestsOwnModuleIsHooked() throws {
    let log = Recorder<Int>()
    let hook = unsafe try SwiftClass(LocalPage.self).target("didLoad(count:_:)").hook(.before) {
      _ in
      log.record(1)
    }
    let page: Page = LocalPage()
    XCTAssertEqual(page.didLoad(count: 1, 1), 2)
    XCTAssertEqual(log.entries.count, 1)
    hook.remove()
  }
}

private class LocalPage: Page {
  override func didLoad(count: Int, _ scale: Double) -> Double { 2 }
}
