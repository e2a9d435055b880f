// What the snippets of documentation comments speak of.
import BlockRuntime
import Foundation
import InvocationOperations

class Person: KeyValueCoding {
  @Observed var name = ""
  @Observed var age = 0
  @Observed var address: Address?
  class var keys: KeyTable { [:] }
}

final class Address: KeyValueObservable {
  @Observed var city = ""
}

final class Team: KeyValueCoding {
  @Observed var members: [Person] = []
  class var keys: KeyTable { ["members": \Team.members] }
}

final class Rectangle: KeyValueObservable {
  @Observed var width = 0.0
  @Observed var height = 0.0
}

final class Journal: KeyValueObservable {
  @Observed var count = 0
}

enum Bank {
  static func balance() -> Int { 0 }
}

class Page: MessageReceiver, @unchecked Sendable {
  var title = ""
  func didLoad(_ count: Int32) {}
  func refresh() {}
  class var methods: MethodTable { MethodTable(Page.self) {} }
}

class PageView: DelegateOwner {
  let dynamicDelegate = DynamicDelegate(pages)
  @LinkedMethod("page:didLoad:") var didLoad: (@Sendable (Page, Int32) -> Void)?
}

final class Menu: Sendable {
  let page: WeakReference<Page>
  init(page: Page) { self.page = WeakReference(page) }
}

final class Button: EventSender {}

struct Source {
  func onEvent(_ handler: () -> Void) {}
}

protocol Plugin { init() }

/// A value that snippets speak of; they are never run.
func given<Value>() -> Value { given() }

nonisolated(unsafe) let person = Person()
nonisolated(unsafe) let ada = Person()
nonisolated(unsafe) let team = Team()
nonisolated(unsafe) let rectangle = Rectangle()
let page = Page()
let otherPage = Page()
let counter = Page()
let log = Page()
let controller = Page()
let connection = Page()
nonisolated(unsafe) let button = Button()
nonisolated(unsafe) let view = PageView()
let source = Source()
let pages: MessageProtocol = given()
let block: Block = given()
