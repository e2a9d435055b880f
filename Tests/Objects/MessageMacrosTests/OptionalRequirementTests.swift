#if Macros
import MessageMacros
import XCTest

/// Leaves everything optional out.
private class Plain: PageDelegate {
  func page(_ page: Page, didLoad count: Int) {}
}

private final class Asking: PageDelegate {
  var body: (Page) -> Bool = { _ in false }
  func page(_ page: Page, didLoad count: Int) {}
  func pageShouldClose(_ page: Page) -> Bool { body(page) }
}

final class OptionalRequirementTests: XCTestCase {
  private let page = Page()

  func testAnObjectThatLeavesARequirementOutHasNoAnswer() {
    let (plain, asking) = (Plain(), Asking())
    let delegates = PageDelegates(weak: plain)
    XCTAssertTrue(delegates.pageShouldClose(page), "the default")
    delegates.add(weak: asking)
    XCTAssertFalse(delegates.pageShouldClose(page), "the next target's answer")
    XCTAssertTrue(plain.pageShouldClose(page), "called directly")
  }

  func testAClosureThatIsNotSetHasNoAnswer() {
    let delegates = PageDelegates()
    delegates.add { $0.pageDidLoad = { _, _ in } }
    delegates.add { $0.pageShouldClose = { _ in false } }
    XCTAssertFalse(delegates.pageShouldClose(page))
  }

  func testAnAnswerIsOneAlsoIfItAsksOthersThatLeaveTheRequirementOut() {
    let (plain, asking, last) = (Plain(), Asking(), Asking())
    let inner = PageDelegates(weak: plain)
    let delegates = PageDelegates(weak: asking, last)
    last.body = { _ in
      XCTFail("the first has answered"); return false
    }
    let bodies: [(Page) -> Bool] = [
      { plain.pageShouldClose($0) },
      { inner.pageShouldClose($0) },
      { page in inner.pageShouldClose(page) && plain.pageShouldClose(page) },
    ]
    for body in bodies {
      asking.body = body
      XCTAssertTrue(delegates.pageShouldClose(page))
    }
    // It asks itself again, through a forwarder.
    let again = PageDelegates(weak: plain, asking)
    var depth = 0
    asking.body = { page in
      depth += 1
      return depth == 3 ? plain.pageShouldClose(page) : again.pageShouldClose(page)
    }
    XCTAssertTrue(delegates.pageShouldClose(page))
    XCTAssertEqual(depth, 3)
  }

  func testAForwarderWhoseTargetsLeaveARequirementOutLeavesItOutToo() {
    let (plain, asking) = (Plain(), Asking())
    let inner = PageDelegates(weak: plain)
    let delegates = PageDelegates(weak: inner, asking)
    XCTAssertFalse(delegates.pageShouldClose(page))
    inner.add { $0.pageShouldClose = { _ in true } }
    XCTAssertTrue(delegates.pageShouldClose(page))
  }

  func testASubclassOfOneThatLeavesARequirementOutCannotAddIt() {
    final class Late: Plain {
      func pageShouldClose(_ page: Page) -> Bool { false }
    }
    let late = Late()
    XCTAssertTrue(PageDelegates(weak: late).pageShouldClose(page), "as Swift calls it")
  }
}
#endif
