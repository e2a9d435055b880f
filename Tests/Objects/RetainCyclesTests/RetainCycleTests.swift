import BlockRuntime
import RetainCycles
import TestSupport
import XCTest

/// Where a cycle can go: most are scenarios of FBRetainCycleDetector's tests.
final class RetainCycleTests: XCTestCase {
  /// Makes a page, and compares the cycles from it; breaks them afterwards.
  private func check(
    _ expected: String..., file: StaticString = #filePath, line: UInt = #line,
    _ make: (Page) throws -> Void
  ) rethrows {
    let page = Page()
    try make(page)
    XCTAssertEqual(cycles(from: page), expected, file: file, line: line)
  }

  func testAnObjectWithoutCyclesHasNone() {
    check { _ in }
    check { $0.next = Page() }
    check { page in
      let shared = Page()
      page.pages = [shared, shared]
      page.next = shared
    }
  }

  func testCyclesOfOneTwoAndManyObjects() {
    check("Page.next → Page") { $0.next = $0 }
    check("Page.next → Page.next → Page") { page in
      page.next = Page()
      page.next?.next = page
    }
    let count = 50
    check(String(repeating: "Page.next → ", count: count) + "Page") { page in
      var last = page
      for _ in 1..<count {
        let new = Page()
        last.next = new
        last = new
      }
      last.next = page
    }
  }

  func testWeakAndUnownedReferencesHoldNothing() {
    check { page in
      page.parent = page
      unsafe page.owner = page
      page.onLoad = { [weak page] in page?.title = "weak" }
    }
    check { page in page.onLoad = { [unowned page] in page.title = "unowned" } }
    check { page in page.onLoad = { [unowned(unsafe) page] in unsafe page.title = "unmanaged" } }
    check { page in page.any = WeakReference(page) }
  }

  func testEveryFormOfAStoredPropertyIsFollowed() {
    check("Page.pages[1] → Page") { $0.pages = [Page(), $0] }
    check("Page.slice[0] → Page") { $0.slice = [Page(), $0][1...] }
    check("Page.byName[\"a\"] → Page") { $0.byName = ["a": $0, "b": Page()] }
    check("Page.byNumber[0][1] → Page") { $0.byNumber = [7: [nil, $0]] }
    check("Page.members[0].page → Page") { $0.members = [Member(page: $0)] }
    check("Page.three[2] → Page") { $0.three[2] = $0 }
    check("Page.any → Page") { $0.any = $0 }
    check("Page.any.2 → Page") { $0.any = (1, 2, $0, 4) }
    check("Page.any[0][0] → Page") { $0.any = [[$0]] }
    check("Page.object → Page") { $0.object = $0 }
    check("Page.error → Page") { $0.error = Failure(page: $0) }
    check("Page.named.page → Page") { page in
      page.named = Somebody(name: "Ada", page: page, address: (1, 2, 3))
    }
    check("Page.sequence.page → Page") { $0.sequence = Pages(page: $0) }
    check("Page.pair.1 → Page") { $0.pair.page = $0 }
    check("Page.nested.inner.page → Page") { $0.nested.inner.page = $0 }
    check("Page.choice.page → Page") { $0.choice = .page($0, number: 2) }
    check("Page.choice.deep → Page") { $0.choice = .deep(.deep(.page($0, number: 2))) }
    check { $0.choice = .deep(.deep(.number(2))) }
    check("Page._shown → Page") { $0.shown = $0 }
  }

  func testClosuresHoldWhatTheyCapture() {
    check("Page.onLoad → closure captures Page → Page") { page in
      page.onLoad = { page.title = "one capture, which is the context itself" }
    }
    check("Page.onLoad → closure captures Page → Page") { page in
      let other = Page()
      page.onLoad = { (page.title, other.title) = ("a", "b") }
    }
    check("Page.onLoad → closure captures Page → Page") { page in
      let pages = [page]
      page.onLoad = { pages[0].title = "an array's storage is the context" }
    }
    check("Page.onLoad → closure captures Page → Page") { page in
      let pages = ["a": page]
      page.onLoad = { pages["a"]?.title = "a dictionary's storage is the context" }
    }
    check("Page.onLoad → closure captures Page → Page") { page in
      var (variable, number): (Page?, Int) = (page, 1)
      page.onLoad = {
        variable = variable?.next
        number += 1
      }
    }
    check("Page.onLoad → closure → closure captures Page → Page") { page in
      let inner = {
        page.title = "captured by a closure that is captured"
        page.next = nil
      }
      page.onLoad = { [other = Page()] in
        inner()
        other.title = "a"
      }
    }
    check("Page.onLoad → closure captures Page → Page") { page in
      let (number, text, any): (Int, String, Any) = (page.title.count, page.title, page.title)
      let failure: any Error = CancellationError()
      page.onLoad = { page.title = "\(number) \(text) \(any) \(failure)" }
    }
    check("Page.convert → closure captures Page → Page") { page in
      page.convert = Self.passedOn { [other = Page()] number in
        number + page.pages.count + other.pages.count
      }
    }
  }

  func testClosuresAreNamedByTheFunctionsThatMakeThem() {
    for (make, function) in [
      ({ _ = PrivateMaker($0) }, "PrivateMaker.init"),
      ({ [$0].makeClosures() }, "Array.makeClosures"),
    ] as [((Page) -> Void, String)] {
      let page = Page()
      make(page)
      // SAFETY: only this thread uses the objects.
      let search = unsafe RetainCycle.find(from: page)
      XCTAssertEqual(
        search.description, "Page.onLoad → closure #1 in \(function) captures Page → Page")
      page.onLoad = nil
    }
  }

  /// Returns its argument, which code that is not specialised for it wraps in thunks.
  @inline(never)
  private static func passedOn<Value>(_ value: Value) -> Value { value }

  func testGenericClosuresHoldWhatTheyCapture() {
    check("Page.onLoad → closure captures Page → Page") { Self.capture($0, [$0.next], by: $0) }
    check("Page.onLoad → closure captures Page → Page") { Self.capture(1, [$0], by: $0) }
    check("Page.onLoad → closure captures Page → Page") { Self.capture("a", ["b": $0], by: $0) }
    let generic = Generic([1])
    generic.capture()
    let name = "Generic<Array<Int>>"
    XCTAssertEqual(
      cycles(from: generic), ["\(name).onLoad → closure captures \(name) → \(name)"])
    generic.captureWeakly()
    XCTAssertEqual(cycles(from: generic), [])
  }

  @inline(never)
  private static func capture<First, Second>(_ first: First, _ second: Second, by page: Page) {
    page.onLoad = { page.title = "\(type(of: first)) \(type(of: second)) \(first) \(second)" }
  }

  private final class Generic<Value> {
    let value: Value
    var onLoad: (() -> Void)?
    init(_ value: Value) { self.value = value }

    func capture() {
      let text = "\(value)"
      onLoad = { self.onLoad = text.isEmpty ? nil : self.onLoad }
    }

    func captureWeakly() { onLoad = { [weak self] in self?.onLoad = nil } }
  }

  func testBlocksHoldWhatTheyCapture() throws {
    check("Page.block → closure captures Page → Page") { page in
      page.block = { [other = Page()] in (page.title, other.title) = ("a", "b") }
    }
    try check("Page.held → closure captures Page → Page") { page in
      let block: @convention(block) (Int32) -> Int32 = { number in
        page.title = "a"
        return number
      }
      page.held = try Block(block)
    }
    try check("Page.held → a block → closure captures Page → Page") { page in
      page.held = try Block(signature: "v@?") { _ in page.title = "a" }
    }
    try check("Page.held → closure captures Page → Page") { page in
      let block: @convention(block) () -> Void = { [other = Page()] in page.next = other }
      page.onLoad = { block() }
      page.held = try Block(block)
      page.onLoad = nil
    }
  }

  func testSeveralCyclesAreFoundAndEachOnce() {
    check("Page.next → Page", "Page.pages[0] → Page") { page in
      page.next = page
      page.pages = [page]
    }
    check("Page.pages[0] → Page", "Page.pages[1] → Page") { $0.pages = [$0, $0] }
    // Two references to one object, and one back: cutting that ends both.
    check("Page.next → Page.next → Page") { page in
      let other = Page()
      (page.next, page.object, other.next) = (other, other, page)
    }
  }

  func testTheCyclesOfAGraphOfSevenObjects() {
    let pages = (0...7).map { _ in Page() }
    // 1-2-4-1, 2-5-7-2, 1-3-1; 6 is in none.
    for (from, to) in [
      (1, 2), (1, 3), (2, 4), (2, 5), (5, 6), (5, 7), (3, 1), (4, 1), (7, 2),
    ] { pages[from].byNumber[to] = [pages[to]] }
    let search = unsafe RetainCycle.find(from: pages[1])
    XCTAssertEqual(search.cycles.map { $0.references.count - 1 }.sorted(), [2, 3, 3], "\(search)")
    XCTAssertEqual(search.objectCount, 7)
    for page in pages { page.byNumber = [:] }
  }

  func testACycleThatDoesNotHoldTheStartIsFoundAndSaysSo() throws {
    let page = Page()
    page.next = Page()
    page.next?.next = page.next
    let search = unsafe RetainCycle.find(from: page)
    XCTAssertEqual(search.cycles.map(\.description), ["Page.next → Page"])
    XCTAssertEqual(search.cycles.map(\.holdsStart), [false])
    XCTAssertEqual(search.objectCount, 2)
    page.object = page
    XCTAssertEqual(
      unsafe RetainCycle.find(from: page).cycles.map(\.holdsStart), [true, false])
  }

  func testASearchEndsAtItsLimitAndSaysSo() {
    let first = Page()
    var last = first
    for _ in 0..<100 {
      let new = Page()
      last.next = new
      last = new
    }
    last.next = first
    let short = unsafe RetainCycle.find(from: first, limit: 50)
    XCTAssertEqual(short.cycles, [])
    XCTAssertFalse(short.isComplete)
    XCTAssertEqual(short.objectCount, 50)
    XCTAssertTrue("\(short)".contains("limit"), "\(short)")
    XCTAssertTrue(unsafe RetainCycle.find(from: first, limit: 101).isComplete)
    for limit in [Int.min, 0, 1] {
      XCTAssertFalse(unsafe RetainCycle.find(from: first, limit: limit).isComplete)
    }
    last.next = nil
    // A long chain is released link by link.
    while let next = first.next { (first.next, next.next) = (next.next, nil) }
  }

  func testASearchChangesNoReferenceCount() {
    let tracker = LifetimeTracker()
    do {
      let page = Page()
      page.any = [tracker.track(), tracker.track()]
      page.onLoad = { [tracked = tracker.track(), page] in page.any = tracked }
      page.error = Failure(page: page)
      page.choice = .deep(.page(page, number: 1))
      for _ in 0..<3 { XCTAssertEqual(unsafe RetainCycle.find(from: page).cycles.count, 3) }
      (page.onLoad, page.error, page.choice) = (nil, nil, .none)
      XCTAssertEqual(cycles(from: page), [])
    }
    tracker.expectNothingAlive()
  }
}

private final class PrivateMaker {
  init(_ page: Page) { page.onLoad = { page.title = "a" } }
}

extension [Page] {
  fileprivate func makeClosures() {
    let page = self[0]
    page.onLoad = { page.title = "a" }
  }
}
