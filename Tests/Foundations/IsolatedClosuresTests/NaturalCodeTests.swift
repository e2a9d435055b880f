import BlockRuntime
import XCTest

private final class Page: EventSender, MessageReceiver {
  var count = 0
  func reload(_ by: Int) { count += by }
  static var methods: MethodTable {
    MethodTable(Page.self) { Method("reload:", Page.reload) }
  }
}

private final class Notes { var text = "" }

private let touchUp = EventMask(bit: 1)
private let notes = AssociationKey<Notes>("notes")

@MainActor private final class Model: KeyValueObservable {
  @Observed var name = ""
  @Observed var nickname: String?
}

@MainActor private final class Label {
  var text = ""
  func show(_ model: Model) {
    isolated(model).observe(\.name) { [weak self] model, change in
      self?.text = model.name + "/" + (change.new ?? "")
    }
    isolated(model).observe(\.nickname) { [weak self] _, change in self?.text = change.new ?? "none"
    }
  }
}

/// What code of the main actor says without a word on concurrency.
final class NaturalCodeTests: XCTestCase {
  private let clock = ManualClock()
  private var timer: DelayTimer { DelayTimer(clock: clock) }

  @MainActor func testAProxyIsSentMessagesByATimer() async throws {
    let (timer, page) = (timer, Page())
    let proxy = WeakProxy(page)
    try isolated(timer).repeat(every: .seconds(1)) { _ in try? proxy.send("reload:", 2) }
    clock.advance(by: .seconds(3))
    XCTAssertEqual(page.count, 6)
  }

  @MainActor func testADelegatesClosureUsesItsOwner() async throws {
    @MainActor final class Owner {
      var count = 0
      let delegate: DynamicDelegate
      init(_ delegate: DynamicDelegate) { self.delegate = delegate }
      func start() throws {
        try isolated(delegate).implement("didLoad:") { [weak self] (count: Int) in
          self?.count += count
        }
      }
    }
    let pages = try MessageProtocol("PageDelegate", [.required("didLoad:", signature: "v@:q")])
    let owner = Owner(DynamicDelegate(pages))
    try owner.start()
    try owner.delegate.send("didLoad:", 3)
    XCTAssertEqual(owner.count, 3)
  }

  @MainActor func testAHandlerOfEventsUsesItsOwner() async throws {
    @MainActor final class Owner {
      let page = Page()
      var count = 0
      func start() throws {
        try isolated(page.eventHandlers).add(for: touchUp) { [weak self] page, _ in
          self?.count += 1
          page.count += 1
        }
      }
    }
    let owner = Owner()
    try owner.start()
    owner.page.eventHandlers.send(touchUp)
    XCTAssertEqual([owner.count, owner.page.count], [1, 1])
  }

  @MainActor func testAnObjectSendsItselfAMessageLater() async throws {
    let page = Page()
    try isolated(page).perform("reload:", 4, after: .seconds(1), timer: timer)
    clock.advance(by: .seconds(1))
    XCTAssertEqual(page.count, 4)
  }

  @MainActor func testABlockRunsForAnObjectLater() {
    let (timer, page) = (timer, Page())
    isolated(timer).perform(after: .seconds(1), for: page) { page in page.count += 1 }
    clock.advance(by: .seconds(1))
    XCTAssertEqual(page.count, 1)
  }

  @MainActor func testAHookCountsIntoALocalVariable() async throws {
    var count = 0
    let block = try Block({ $0 + 1 } as @convention(block) (Int32) -> Int32)
    try isolated(block).hook(.before) { _ in count += 1 }
    let result: Int32 = try block.call(1)
    XCTAssertEqual([count, Int(result)], [1, 2])
  }

  @MainActor func testAHookOfAMethodCountsIntoALocalVariable() async throws {
    var counts = [0, 0]
    let page = Page()
    let hook = try isolated(Page.target("reload:")).hook(.before) { call in
      counts[0] += try call.argument(2, as: Int.self)
    }
    defer { hook.remove() }
    try isolated(page.target("reload:")).hook(.after) { _ in counts[1] += 1 }
    try page.send("reload:", 5)
    XCTAssertEqual(counts, [5, 1])
  }

  @MainActor func testTheEndsOfObjectsAreCounted() async throws {
    var count = 0
    var pages = [Page(), Page()]
    for page in pages { try isolated(page).onDeinit { count += 1 } }
    pages = []
    XCTAssertEqual(count, 2)
  }

  @MainActor func testAnObjectHasAValueOfAnotherClass() async throws {
    let page = Page()
    try isolated(notes).set(Notes(), on: page)
    isolated(notes).value(of: page)?.text = "read"
    XCTAssertEqual(try isolated(notes).value(of: page, default: Notes()).text, "read")
    XCTAssertEqual(isolated(notes).remove(from: page)?.text, "read")
    XCTAssertNil(isolated(notes).value(of: page))
  }

  @MainActor func testALabelOfTheMainActorShowsAModelOfTheMainActor() {
    let (label, model) = (Label(), Model())
    label.show(model)
    model.name = "Ada"
    XCTAssertEqual(label.text, "Ada/Ada")
    model.nickname = "A"
    XCTAssertEqual(label.text, "A")
  }
}
