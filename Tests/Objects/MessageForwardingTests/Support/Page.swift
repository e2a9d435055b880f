import Invocations
import MessageForwarding

/// A class with a few methods.
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
