import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Messages that are observed by typed selectors of any number of arguments.
final class ObservedMessagesTests: XCTestCase {
  private struct Storm: Error {}

  private class Page: TypedMessageReceiver, @unchecked Sendable {
    let calls: Recorder<String>
    init(_ calls: Recorder<String> = Recorder()) { self.calls = calls }

    func close() { calls.record("close") }
    func load(_ path: String) throws -> Int {
      calls.record("load \(path)")
      if path == "sea" { throw Storm() }
      return path.count
    }
    func move(_ x: Int, _ y: Double) { calls.record("move \(x) \(y)") }
    func fetch(_ path: String) async -> Int {
      calls.record("fetch \(path)")
      return path.count
    }

    struct Messages: MessageNames {
      var close: TypedSelector0<Page, Void> { .init("close") }
      var load: TypedSelector1<Page, String, Int> { .init("load:") }
      var move: TypedSelector2<Page, Int, Double, Void> { .init("move:by:") }
      var fetch: AsyncTypedSelector1<Page, String, Int> { .init("fetch:") }
    }
    class var methods: MethodTable {
      MethodTable(Page.self) {
        Method("close", Page.close)
        Method("load:", Page.load)
        Method("move:by:", Page.move)
        Method("fetch:", Page.fetch)
      }
    }
  }

  func testAClosureSeesTheArgumentsOfAnyNumberBeforeAndAfterTheMethod() throws {
    let calls = Recorder<String>()
    let page = Page(calls)
    let hooks = [
      try page.hook([.before, .after], \.close) { _, _ in calls.record("-") },
      try Page.hook(.before, \.load) { page, path in calls.record("before \(path)") },
      try page.hook(.after, \.load) { page, path in calls.record("after \(path)") },
      try page.hook(.before, \.move, when: .times(1)) { page, arguments in
        calls.record("before \(arguments.0) \(arguments.1)")
      },
    ]
    try page.send(\.close)
    XCTAssertEqual(calls.take(), ["-", "close", "-"])
    XCTAssertEqual(try page.send(\.load, "ab"), 2)
    XCTAssertEqual(calls.take(), ["before ab", "load ab", "after ab"])
    XCTAssertThrowsError(try page.send(\.load, "sea"))
    XCTAssertEqual(calls.take(), ["before sea", "load sea", "after sea"])
    for _ in 0..<2 { try page.send(\.move, 1, 2.5) }
    XCTAssertEqual(calls.take(), ["before 1 2.5", "move 1 2.5", "move 1 2.5"])
    for hook in hooks { hook.remove() }
    try page.send(\.close)
    XCTAssertEqual(calls.take(), ["close"])
  }

  func testAnAsyncMessageIsSeenBeforeItsMethodRuns() async throws {
    let calls = Recorder<String>()
    let page = Page(calls)
    try page.hook(.before, \.fetch) { _, path in calls.record("before \(path)") }
    let count = try await page.send(\.fetch, "abc")
    XCTAssertEqual(count, 3)
    XCTAssertEqual(calls.take(), ["before abc", "fetch abc"])
  }

  func testOtherPositionsAreRefused() throws {
    let page = Page()
    for positions: HookPositions in [[], .instead, .death, [.before, .instead]] {
      expectError(.noPosition) { try page.hook(positions, \.load) { _, _ in } }
      expectError(.noPosition) { _ = try page.messages(of: \.load, positions) }
    }
    expectError(.noPosition) { try page.hook(.after, \.fetch) { _, _ in } }
    XCTAssertTrue(page.target("load:").hooks.isEmpty)
  }

  func testMessagesAreASequenceThatEndsWithTheObject() async throws {
    var page: Page? = Page()
    let (paths, moves) = (
      try page?.messages(of: \.load), try page?.messages(of: \.move, .after)
    )
    _ = try page?.send(\.load, "a")
    _ = try page?.send(\.load, "bc")
    try page?.send(\.move, 3, 4.5)
    page = nil
    var read: [String] = []
    for await path in try XCTUnwrap(paths) { read.append(path) }
    for await move in try XCTUnwrap(moves) { read.append("\(move)") }
    XCTAssertEqual(read, ["a", "bc", "(3, 4.5)"])
  }

  func testTheHookIsGoneWithTheSequenceOrTheTaskThatIteratesIt() async throws {
    let page = Page()
    do {
      let paths = try page.messages(of: \.load)
      XCTAssertEqual(page.target("load:").hooks.count, 1)
      withExtendedLifetime(paths) {}
    }
    XCTAssertTrue(page.target("load:").hooks.isEmpty)
    let paths = try page.messages(of: \.load)
    let task = Task { for await _ in paths {} }
    task.cancel()
    await task.value
    XCTAssertTrue(page.target("load:").hooks.isEmpty)
  }

  func testNothingIsKeptWhenTheObjectDies() throws {
    let tracker = LifetimeTracker()
    do {
      let page = Page()
      try page.hook(.before, \.load) { [object = tracker.track()] _, _ in
        withExtendedLifetime(object) {}
      }
      _ = try page.messages(of: \.load)
      _ = try page.send(\.load, "a")
    }
    tracker.expectNothingAlive()
  }
}
