import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

class Page: MessageReceiver {
  var title = "untitled"
  private(set) var loads: [Int32] = []

  func didLoad(_ count: Int32) { loads.append(count) }
  func add(_ a: Int32, _ b: Double) -> Double { Double(a) + b }
  func name() -> String { "page" }

  class var methods: MethodTable {
    MethodTable(Page.self) {
      Method("didLoad:", Page.didLoad)
      Method("add:to:", Page.add)
      Method("name", Page.name)
      Method.property("title", \Page.title)
      Method("twice:") { (_: Page, number: Int64) -> Int64 in number * 2 }
    }
  }
}

final class SendTests: XCTestCase {
  func testAMessageRunsTheMethodOfItsName() throws {
    let page = Page()
    try page.send("didLoad:", Int32(3))
    try page.send("didLoad:", 4)
    XCTAssertEqual(page.loads, [3, 4])
    XCTAssertEqual(try page.send("add:to:", Int32(1), 2.5), 3.5)
    XCTAssertEqual(try page.send("name"), "page")
    try page.send("setTitle:", "new")
    XCTAssertEqual(try page.send("title", returning: String.self), "new")
  }

  func testAHookRunsAroundTheMethod() throws {
    let page = Page()
    let hook = try Page.hook("add:to:") { call in
      try call.setArgument(2, Int32(10))
      try call.proceed()
      try call.setResult(call.result(as: Double.self) * 2)
    }
    XCTAssertEqual(try page.send("add:to:", Int32(1), 2.5), 25.0)
    let own = try page.hook("add:to:", .after) { call in try call.setResult(1.0) }
    XCTAssertEqual(try page.send("add:to:", Int32(1), 2.5), 1.0)
    XCTAssertEqual(try Page().send("add:to:", Int32(1), 2.5), 25.0)
    own.remove()
    hook.remove()
    XCTAssertEqual(try page.send("add:to:", Int32(1), 2.5), 3.5)
  }
}
