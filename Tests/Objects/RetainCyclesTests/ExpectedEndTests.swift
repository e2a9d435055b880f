import BlockRuntime
import RetainCycles
import Synchronization
import TestSupport
import XCTest

final class ExpectedEndTests: XCTestCase {
  private func error(expecting page: inout Page?) throws -> RetainCycleError {
    do throws(RetainCycleError) {
      try unsafe expectEnds(&page, within: .milliseconds(1))
    } catch { return error }
    return try XCTUnwrap(nil, "nothing was thrown")
  }

  func testAnObjectThatEndsIsNoError() throws {
    var page: Page? = Page()
    weak let end = page
    try unsafe expectEnds(&page, within: .zero)
    XCTAssertNil(page)
    XCTAssertNil(end)
    try unsafe expectEnds(&page)
  }

  func testAnObjectThatAnotherThreadReleasesIsWaitedFor() throws {
    var page: Page? = Page()
    let held = Holder(page)
    let threads = ThreadGroup()
    let hasLetGo = DispatchSemaphore(value: 0)
    threads.start {
      hasLetGo.wait()
      held.page = nil
    }
    hasLetGo.signal()
    try unsafe expectEnds(&page, within: .seconds(60))
    threads.wait()
  }

  private final class Holder: @unchecked Sendable {
    var page: Page?
    init(_ page: Page?) { self.page = page }
  }

  func testTheCycleThatHoldsTheObjectIsThrown() throws {
    var page: Page? = Page()
    weak let alive = page
    page?.onLoad = { [page] in page?.title = "a" }
    let thrown = try error(expecting: &page)
    XCTAssertEqual(thrown.code, .objectIsAlive)
    XCTAssertEqual(thrown.subject, "Page")
    XCTAssertEqual(
      shortened(thrown.message), "Page is alive: Page.onLoad → closure captures Page → Page")
    XCTAssertNil(page)
    // Nothing is left behind: without the cycle it ends.
    alive?.onLoad = nil
    XCTAssertNil(alive)
  }

  func testAnObjectThatIsHeldFromElsewhereIsToldApart() throws {
    let held = Page()
    held.next = Page()
    held.next?.next = held.next
    var page: Page? = held
    let thrown = try error(expecting: &page)
    XCTAssertTrue(thrown.message.contains("in no cycle that was found"), thrown.message)
    held.next?.next = nil
  }

  func testWhatIsNotKnownIsThrownToo() throws {
    final class Cache: @unchecked Sendable {
      let pages = Mutex<[Cache]>([])
    }
    var cache: Cache? = Cache()
    cache?.pages.withLock { $0 = [cache].compactMap(\.self) }
    weak let alive = cache
    do throws(RetainCycleError) {
      try unsafe expectEnds(&cache, within: .zero)
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertTrue(error.message.contains("unknown: Cache.pages"), error.message)
    }
    alive?.pages.withLock { $0 = [] }
  }
}
