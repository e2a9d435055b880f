#if Macros
import MessageMacros
import TestSupport
import XCTest

final class Page {
  var isOpen = true
}

@Forwarding
protocol PageDelegate: AnyObject {
  func page(_ page: Page, didLoad count: Int)
  @Optional(default: true) func pageShouldClose(_ page: Page) -> Bool
}

private final class Log: PageDelegate {
  var counts: [Int] = []
  func page(_ page: Page, didLoad count: Int) { counts.append(count) }
}

private final class Guardian: PageDelegate {
  func page(_ page: Page, didLoad count: Int) {}
  func pageShouldClose(_ page: Page) -> Bool { false }
}

final class ForwarderTests: XCTestCase {
  func testARequirementWithoutAnAnswerGoesToAllTargets() {
    let (first, second) = (Log(), Log())
    let delegates = PageDelegateForwarder(to: first, second)
    var closure: [Int] = []
    delegates.add { $0.pageDidLoad = { _, count in closure.append(count) } }
    delegates.page(Page(), didLoad: 3)
    XCTAssertEqual([first.counts, second.counts, closure], [[3], [3], [3]])
  }

  func testAnObjectThatLeavesARequirementOutIsNotAsked() {
    let (log, guardian) = (Log(), Guardian())
    let delegates = PageDelegateForwarder(to: log)
    XCTAssertTrue(delegates.pageShouldClose(Page()))
    delegates.add(guardian)
    XCTAssertFalse(delegates.pageShouldClose(Page()))
  }
}
#endif
