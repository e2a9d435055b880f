import BlockRuntime
import RetainCycles
import TestSupport
import XCTest

/// Cycles through what this library's tables hold for an object.
final class TableTests: XCTestCase {
  private func check(
    _ expected: String, file: StaticString = #filePath, line: UInt = #line,
    _ make: (Page) throws -> Void
  ) throws {
    let page = Page()
    try make(page)
    let search = unsafe RetainCycle.find(from: page)
    XCTAssertEqual(search.cycles.map { shortened("\($0)") }, [expected], file: file, line: line)
    XCTAssertEqual(search.unknown, [], file: file, line: line)
  }

  private static let key = AssociationKey<[Page]>("pages")
  private static let weakKey = AssociationKey<Page>(weak: "page")

  func testAssociatedValues() throws {
    try check("Page → associated value → Page") { try Self.key.set([$0], on: $0) }
    let page = Page()
    try Self.weakKey.set(page, on: page)
    XCTAssertEqual(cycles(from: page), [])
  }

  func testValuesOfAScope() throws {
    try withIsolationScope { scope in
      let page = Page()
      try scope.isolated(Self.key).set([page], on: page)
      XCTAssertEqual(cycles(from: page), ["Page → associated value → Page"])
    }
  }

  func testDeinitHooks() throws {
    try check("Page → deinit hook → closure captures Page → Page") { page in
      try onDeinit(of: page) { page.title = "a" }
    }
    try check("Page → deinit hook → closure captures Page → Page") { page in
      try onDeinit(ofAll: [page]) { page.title = "a" }
    }
  }

  func testObservers() throws {
    try check("Page._title → observers → closure captures Page → Page") { page in
      page.observe(\.title) { _, _ in page.next = nil }
    }
    try check("Page → observers → closure captures Page → Page") { page in
      page.observe(\.next?.title) { _, _ in page.next = nil }
    }
  }

  func testDelayedBlocks() throws {
    let clock = ManualClock()
    try check("Page → delayed blocks → closure captures Page → Page") { page in
      DelayTimer(clock: clock).perform(after: .seconds(1), for: page) { _ in page.title = "a" }
    }
    try check("Page.delayed → delayed block → closure captures Page → Page") { page in
      page.delayed = DelayTimer(clock: clock).perform(after: .seconds(1)) { page.title = "a" }
    }
    try check("Page.timer → delay timer → closure captures Page → Page") { page in
      let timer = DelayTimer(clock: clock)
      page.timer = timer
      timer.perform(after: .seconds(1)) { page.title = "a" }
    }
    try check("Page.any → debouncer → closure captures Page → Page") { page in
      page.any = Debouncer<Void>(delay: .seconds(1)) { page.title = "a" }
    }
  }

  func testTheLibrarysOwnCyclesHideNoOthers() throws {
    try check("Page.delayed → delayed block → closure captures Page → Page") { page in
      let timer = DelayTimer(clock: ManualClock())
      for _ in 0..<300 { timer.perform(after: .seconds(1)) {} }
      page.delayed = timer.perform(after: .seconds(1)) { page.title = "a" }
      for _ in 0..<300 { timer.perform(after: .seconds(1)) {} }
    }
  }

  func testHooksOfBlocks() throws {
    try check("Page.held → closure → hooks → closure captures Page → Page") { page in
      let block: @convention(block) () -> Void = { [tracked = Page()] in tracked.title = "a" }
      page.held = try Block(block)
      try page.held?.hook { call in
        page.title = "a"
        try call.proceed()
      }
    }
  }

  private final class Receiver: MessageReceiver, @unchecked Sendable {
    var proxy: MultiTargetProxy?
    static var methods: MethodTable {
      MethodTable(Receiver.self) { Method("load") { (_: Receiver) in } }
    }
  }

  func testTargets() throws {
    let receiver = Receiver()
    receiver.proxy = MultiTargetProxy(strong: [receiver])
    XCTAssertEqual(cycles(from: receiver), ["Receiver.proxy → targets → Receiver"])
    receiver.proxy = MultiTargetProxy(weak: [receiver])
    XCTAssertEqual(cycles(from: receiver), [])
    try MultiTargetProxy(strong: [receiver]).attach(to: receiver)
    XCTAssertEqual(cycles(from: receiver), ["Receiver → targets → Receiver"])
  }

  func testHandlersOfEvents() throws {
    let receiver = Receiver()
    try EventHandlers(of: receiver).add(for: .all) { (_: Receiver, _) in receiver.proxy = nil }
    XCTAssertEqual(
      cycles(from: receiver),
      ["Receiver → event handlers → closure captures Receiver → Receiver"])
    EventHandlers(of: receiver).removeAll()
  }

  func testHooksOfMethodsOfAnObject() throws {
    let receiver = Receiver()
    let hook = try receiver.target("load").hook(.before) { _ in receiver.proxy = nil }
    XCTAssertEqual(
      cycles(from: receiver),
      ["Receiver → methods of the object → closure captures Receiver → Receiver"])
    hook.remove()
    XCTAssertEqual(cycles(from: receiver), [])
  }

  func testDelegates() throws {
    let listener = try MessageProtocol("Listener", [.optional("load", returning: Int.self)])
    let receiver = Receiver()
    try DynamicDelegate.of(receiver, for: listener).implement("load") {
      receiver.proxy == nil ? 0 : 1
    }
    XCTAssertEqual(
      cycles(from: receiver),
      ["Receiver → associated value → closure captures Receiver → Receiver"])
  }
}
