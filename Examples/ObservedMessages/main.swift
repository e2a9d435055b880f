// Messages observed, whatever the number of their arguments: by closures, as a sequence, and as
// RxSwift's `sentMessage` and `methodInvoked`.
import BlockRuntime

class Page: TypedMessageReceiver, @unchecked Sendable {
  func load(_ path: String) { print("  the page loads", path) }
  func scroll(_ x: Int, _ y: Int) {}

  // The attribute `@Messages` of the product `MessageMacros` writes these two.
  struct Messages: MessageNames {
    var load: TypedSelector1<Page, String, Void> { .init("load:") }
    var scroll: TypedSelector2<Page, Int, Int, Void> { .init("scroll:by:") }
  }
  class var methods: MethodTable {
    MethodTable(Page.self) {
      Method("load:", Page.load)
      Method("scroll:by:", Page.scroll)
    }
  }
}

/// A type that stands for RxSwift's here.
struct Observable<Element> {
  let subscribe: (_ onNext: @escaping @Sendable (Element) -> Void) throws -> Hook
}

extension TypedMessageReceiver {
  func sentMessage<Typed: TypedSelector>(
    _ selector: @escaping (Messages) -> Typed
  ) -> Observable<Typed.Arguments> {
    Observable { onNext in try self.hook(.before, selector) { _, arguments in onNext(arguments) } }
  }

  func methodInvoked<Typed: TypedSelector>(
    _ selector: @escaping (Messages) -> Typed
  ) -> Observable<Typed.Arguments> {
    Observable { onNext in try self.hook(.after, selector) { _, arguments in onNext(arguments) } }
  }
}

let page = Page()
let sent = try page.sentMessage(\.load).subscribe { path in print("sent:", path) }
let invoked = try page.methodInvoked(\.load).subscribe { path in print("invoked:", path) }
try page.send(\.load, "/a")
for subscription in [sent, invoked] { subscription.remove() }

// As a sequence, which ends with the object, or when its task is cancelled.
let moves = try page.messages(of: \.scroll, buffering: .bufferingNewest(2))
for distance in 1...3 { try page.send(\.scroll, 0, distance) }
for await (x, y) in moves.prefix(2) { print("scrolled by", x, y) }
