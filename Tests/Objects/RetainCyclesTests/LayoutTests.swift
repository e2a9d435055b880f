import RetainCycles
import TestSupport
import XCTest

// SAFETY, for the whole file: nothing changes the objects during a search.

/// Values of uncommon layouts, and amounts of them.
final class LayoutTests: XCTestCase {
  private final class Page {
    var action: (() -> Void)?
    var value: Any?
    var pages: [Page?] = []
    var continuation: CheckedContinuation<Void, Never>?
  }

  private enum Small { case one, two }
  private struct Weak { weak var page: Page? }
  @safe
  private struct Ring {
    var base: UnsafeMutablePointer<Page>
    var count = 0
  }

  private func use(_ values: Any...) {}

  private func expectCycle(
    _ page: Page, isKnown: Bool = true, file: StaticString = #filePath, line: UInt = #line
  ) {
    let search = unsafe RetainCycle.find(from: page)
    if isKnown {
      XCTAssertEqual(search.cycles.count, 1, "\(search)", file: file, line: line)
      XCTAssertEqual(search.unknown, [], file: file, line: line)
    } else {
      // The optimiser may have made a closure that is not generic.
      let isFound = !search.unknown.isEmpty || !search.cycles.isEmpty
      XCTAssertTrue(isFound, "\(search)", file: file, line: line)
    }
    page.action = nil
    page.value = nil
  }

  private func capture<Value>(_ value: Value, _ page: Page) {
    page.action = { [unowned self] in use(value, page) }
  }

  func testCapturesBehindSmallValuesAreFound() {
    let page = Page()
    let (flag, small, byte, short) = (page.value == nil, Small.two, Int8(7), Int16(8))
    page.action = { [unowned self] in use(flag, page) }
    expectCycle(page)
    page.action = { [unowned self] in use(small, byte, short, page) }
    expectCycle(page)
    page.action = { [unowned self] in use(byte, flag, 7, page, short) }
    expectCycle(page)
    capture(flag, page)
    expectCycle(page)
  }

  func testWhatMayReferToMoreMemoryIsUnknown() {
    let memory = UnsafeMutableBufferPointer<Page>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    let page = Page()
    let base = unsafe memory.baseAddress.unsafelyUnwrapped
    let number = 4
    let hidden: [Any] = [
      unsafe memory, unsafe Ring(base: base), unsafe (Unmanaged.passUnretained(page), number),
      unsafe Optional(memory) as Any,
    ]
    for value in hidden {
      page.value = value
      expectCycle(page, isKnown: false)
    }
    page.value = (1, 2.0, [3], Small.one, Optional(7) as Any)
    XCTAssertEqual(unsafe RetainCycle.find(from: page).unknown, [])
  }

  @MainActor func testContinuationsAreUnknown() async {
    let page = Page()
    let task = Task { @MainActor in
      await withCheckedContinuation { page.continuation = $0 }
      withExtendedLifetime(page) {}
    }
    while page.continuation == nil { await Task.yield() }
    XCTAssertFalse(unsafe RetainCycle.find(from: page).unknown.isEmpty)
    page.continuation.take()?.resume()
    await task.value
  }

  func testWeakReferencesWithinValuesAreRead() {
    let page = Page()
    final class Holder {
      var weak: Weak?
      var all: [Weak] = []
    }
    let holder = Holder()
    holder.weak = Weak(page: page)
    holder.all = [Weak(page: page), Weak(page: nil)]
    let held = unsafe HeldReference.all(of: holder).filter { $0.ownership == .weak }
    XCTAssertEqual(held.map { $0.object === page }, [true, true, false])
    XCTAssertTrue(unsafe RetainCycle.find(from: holder).cycles.isEmpty)
  }

  private func packed<each Value>(_ values: repeat each Value) -> () -> Void {
    { [unowned self] in repeat use(each values) }
  }

  func testClosuresOfPacksAreUnknown() {
    let page = Page()
    page.action = packed(page, 1, "text")
    expectCycle(page, isKnown: false)
  }

  private func counted<let count: Int>(
    _ array: InlineArray<count, Int>, _ page: Page
  ) -> () -> Void {
    { [unowned self] in use(array[0], page) }
  }

  func testClosuresOfGenericNumbersAreUnknown() {
    let page = Page()
    page.action = counted([1, 2, 3], page)
    expectCycle(page, isKnown: false)
    page.action = counted(InlineArray<5000, Int>(repeating: 1), page)
    expectCycle(page, isKnown: false)
  }

  func testTheLargestLimitIsNoOverflow() {
    let page = Page()
    page.value = page
    let search = unsafe RetainCycle.find(from: page, limit: .max)
    XCTAssertEqual(search.cycles.count, 1)
    page.value = nil
  }

  func testValuesThatContainEachOtherOftenEndTheSearch() {
    let page = Page()
    var shared: Any = page
    for _ in 0..<40 { shared = [shared, shared] }
    page.value = shared
    let search = unsafe RetainCycle.find(from: page, limit: 1000)
    XCTAssertFalse(search.isComplete)
    page.value = nil
  }

  func testManyOptionalsAreReadOnce() {
    let page = Page()
    page.pages = (0..<60_000).map { _ in Page() } + [page]
    let search = unsafe RetainCycle.find(from: page)
    XCTAssertEqual(search.cycles.map(\.description), ["Page.pages[60000] → Page"])
    page.pages = []
  }
}
