import BlockHooks
import CallMemoization
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// Methods whose results are stored.
final class MemoizedMethodTests: XCTestCase {
  private struct Storm: Error, Equatable {}

  private class Page: MessageReceiver, @unchecked Sendable {
    let calls: Recorder<String>
    let token: LifetimeTracker.Tracked?
    init(_ calls: Recorder<String> = Recorder(), _ token: LifetimeTracker.Tracked? = nil) {
      self.calls = calls
      self.token = token
    }

    func double(_ number: Int) -> Int {
      calls.record("double \(number)")
      return number * 2
    }
    func count(_ text: String, _ extra: Int) throws -> Int {
      calls.record("count \(text) \(extra)")
      if text.isEmpty { throw Storm() }
      return text.count + extra
    }
    func title() -> Int {
      calls.record("title")
      return calls.entries.count
    }
    func load(_ city: String) async throws -> Double {
      calls.record("load \(city)")
      for _ in 0..<50 { await Task.yield() }
      if city.isEmpty { throw Storm() }
      return Double(city.count)
    }
    class var methods: MethodTable {
      MethodTable(Page.self) {
        Method("double:", Page.double)
        Method("count:extra:", Page.count)
        Method("title", Page.title)
        Method("load:", Page.load)
      }
    }
  }

  private final class SubPage: Page, @unchecked Sendable {
    /// Sends a message in its deinit.
    deinit { _ = try? send("double:", 5) as Int }
  }

  private func memoized<Result>(
    _ selector: Selector, _ definition: HandleDefinition<Memo> = .memoizing(),
    _ body: (Installed<Memo>) throws -> Result
  ) throws -> Result {
    let memo = try Page.target(selector).install(definition)
    defer { memo.hook.remove() }
    return try body(memo)
  }

  func testReceiversAndArgumentsTellCallsApart() throws {
    try memoized("double:") { memo in
      let (first, second) = (Page(), Page())
      for _ in 0..<3 {
        for number in 1...2 {
          XCTAssertEqual(try first.send("double:", number), number * 2)
          XCTAssertEqual(try second.send("double:", number), number * 2)
        }
      }
      XCTAssertEqual([first.calls.entries.count, second.calls.entries.count], [2, 2])
      XCTAssertEqual([memo.handle.hits, memo.handle.misses, memo.handle.count], [8, 4, 4])
      XCTAssertTrue(try memo.handle.remove(arguments: [1], of: first))
      XCTAssertFalse(try memo.handle.remove(arguments: [1], of: first))
      expectError(.argumentCount) { try memo.handle.remove(arguments: [1]) }
      var arguments: [[CValue]] = []
      memo.handle.removeAll { call in
        arguments.append(call.arguments)
        return false
      }
      XCTAssertEqual(arguments.count, 3)
      XCTAssertTrue(arguments.allSatisfy { $0 == [1] || $0 == [2] }, "\(arguments)")
    }
  }

  func testTextAndNumbersTellCallsApartAndErrorsAreNotStored() throws {
    try memoized("count:extra:") { memo in
      let (first, second) = (Page(), Page())
      for _ in 0..<2 {
        XCTAssertEqual(try first.send("count:extra:", "ab", 1), 3)
        XCTAssertEqual(try first.send("count:extra:", "ab", 2), 4)
        XCTAssertEqual(try second.send("count:extra:", "ab", 1), 3)
        XCTAssertThrowsError(try first.send("count:extra:", "", 1) as Int)
      }
      XCTAssertEqual(
        first.calls.entries, ["count ab 1", "count ab 2", "count  1", "count  1"])
      XCTAssertEqual(memo.handle.count, 3)
      XCTAssertTrue(try memo.handle.remove(arguments: [.object("ab" as AnyObject), 1], of: second))
    }
  }

  func testAMethodWithoutArgumentsIsStoredForEachReceiver() throws {
    try memoized("title") { _ in
      let page = Page()
      XCTAssertEqual([try page.send("title"), try page.send("title")], [1, 1])
      XCTAssertEqual(try Page().send("title"), 1)
    }
  }

  func testAHookOfOneObjectStoresItsResultsOnly() throws {
    let (first, second) = (Page(), Page())
    let memo = try first.target("double:").install(.memoizing())
    for _ in 0..<2 {
      XCTAssertEqual(try first.send("double:", 3), 6)
      XCTAssertEqual(try second.send("double:", 3), 6)
    }
    XCTAssertEqual([first.calls.entries.count, second.calls.entries.count], [1, 2])
    memo.hook.remove()
  }

  func testResultsEndWithTheirReceiverWhichIsNotRetained() throws {
    let tracker = LifetimeTracker()
    try memoized("count:extra:", .memoizing(limits: MemoLimits(count: nil))) { memo in
      let other = Page()
      _ = try other.send("count:extra:", "a", 1) as Int
      // Later objects may be at the addresses of earlier ones.
      for round in 0..<100 {
        let calls = Recorder<String>()
        do {
          let page = Page(calls, tracker.track())
          for number in 0..<3 { _ = try page.send("count:extra:", "a", number) as Int }
          XCTAssertEqual(memo.handle.count, 4)
        }
        XCTAssertEqual(calls.entries.count, 3, "round \(round)")
        XCTAssertEqual([tracker.alive, memo.handle.count], [0, 1])
      }
      XCTAssertEqual(memo.handle.hits, 0)
    }
  }

  func testACallInTheReceiversDeinitIsNotStored() throws {
    try memoized("double:") { memo in
      let calls = Recorder<String>()
      do { XCTAssertEqual(try SubPage(calls).send("double:", 5), 10) }
      XCTAssertEqual(calls.entries, ["double 5", "double 5"])
      XCTAssertEqual(memo.handle.count, 0)
      XCTAssertEqual(memo.handle.misses, 2)
    }
  }

  func testReceiversThatEndOnEightThreadsLeaveNothing() throws {
    let tracker = LifetimeTracker()
    try memoized("double:", .memoizing(limits: MemoLimits(count: 10), sharesMisses: true)) { memo in
      let shared = Page()
      let threads = ThreadGroup()
      for _ in 0..<8 {
        threads.start {
          for number in 0..<500 {
            let page = Page(Recorder(), tracker.track())
            XCTAssertEqual(try? page.send("double:", number), number * 2)
            XCTAssertEqual(try? page.send("double:", number), number * 2)
            XCTAssertEqual(try? shared.send("double:", number % 4), number % 4 * 2)
          }
        }
      }
      threads.wait()
      tracker.expectNothingAlive()
      XCTAssertLessThanOrEqual(memo.handle.count, 4)
      withExtendedLifetime(shared) {}
    }
  }

  func testADeathAfterTheMemosEndDoesNothing() throws {
    let page = Page()
    try memoized("double:") { _ in _ = try page.send("double:", 1) as Int }
    XCTAssertEqual(try page.send("double:", 1), 2)
    XCTAssertEqual(page.calls.entries.count, 2)
  }

  func testTheCallersOfAnAsyncMethodAwaitOneAnswer() async throws {
    let memo = try Page.target("load:").install(.memoizing())
    defer { memo.hook.remove() }
    let page = Page()
    let answers = try await withThrowingTaskGroup(of: Double.self) { group in
      for _ in 0..<16 {
        group.addTask { try await page.send(async: "load:", "Oslo", returning: Double.self) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(answers, Array(repeating: 4, count: 16))
    XCTAssertEqual(page.calls.entries, ["load Oslo"])
    XCTAssertEqual(memo.handle.hits, 15)
  }

  func testAnErrorOfAnAsyncMethodIsNotKept() async throws {
    let memo = try Page.target("load:").install(.memoizing())
    defer { memo.hook.remove() }
    let page = Page()
    for _ in 0..<2 {
      do {
        _ = try await page.send(async: "load:", "", returning: Double.self)
        XCTFail("no error")
      } catch {}
    }
    XCTAssertEqual(page.calls.entries, ["load ", "load "])
  }

  // A thread keeps the last object that a block or method returned until its next such call, so
  // all messages are sent by one thread.
  @MainActor func testAnAnswerThatWasAwaitedDoesNotRetainItsReceiver() async throws {
    let tracker = LifetimeTracker()
    let memo = try Page.target("load:").install(.memoizing())
    defer { memo.hook.remove() }
    do {
      let page = Page(Recorder(), tracker.track())
      for _ in 0..<2 {
        let answer = try await page.send(async: "load:", "Oslo", returning: Double.self)
        XCTAssertEqual(answer, 4)
      }
    }
    // The task that ran the method may have yet to end.
    for _ in 0..<100_000 where memo.handle.count > 0 { await Task.yield() }
    tracker.expectNothingAlive()
    XCTAssertEqual(memo.handle.count, 0)
  }

  func testAKeyAloneTellsCallsApartAndDatabasesNeedOne() throws {
    try memoized("double:", .memoizing(key: { try $0.argument(2, as: Int.self) })) { memo in
      let calls = Recorder<String>()
      for _ in 0..<3 { XCTAssertEqual(try Page(calls).send("double:", 4), 8) }
      XCTAssertEqual(calls.entries, ["double 4"])
      XCTAssertTrue(memo.handle.remove(key: 4))
    }
  }

  func testARefusedMethodIsNotHooked() throws {
    expectError(.invalidLimit) {
      try Page.target("double:").install(.memoizing(limits: MemoLimits(count: 0)))
    }
    XCTAssertTrue(Page.target("double:").hooks.isEmpty)
  }

  /// Its handle would answer for one of the methods.
  func testAMemoOfEveryMessageIsRefused() throws {
    let page = Page()
    for target in [Page.everyMessage, page.everyMessage] {
      expectError(.notMemoizable, "`target(_:)`") { try target.install(.memoizing()) }
    }
    XCTAssertEqual(Page.everyMessage.hooks.count + page.everyMessage.hooks.count, 0)
    for _ in 0..<2 { XCTAssertEqual(try page.send("double:", 2, returning: Int.self), 4) }
    XCTAssertEqual(page.calls.entries, ["double 2", "double 2"])
  }
}
