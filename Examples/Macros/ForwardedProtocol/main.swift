// The example ServedProtocol with a macro: one attribute replaces the forwarder and the descriptions.
import MessageMacros

@Forwarding
protocol PageDelegate: AnyObject {
  func page(_ page: Page, didLoad count: Int)
  @Optional(default: true) func pageShouldClose(_ page: Page) -> Bool
}

final class PageDelegates: PageDelegateForwarding { let targets = Targets() }

final class Page {
  weak var delegate: (any PageDelegate)?

  func load() { delegate?.page(self, didLoad: 3) }
  func close() { print("closed:", delegate?.pageShouldClose(self) ?? true) }
}

// Two delegates of closures, whose types are the protocol's: each gets what it answers, and all must
// agree to close.
let (page, delegates) = (Page(), PageDelegates())
delegates.policies.pageShouldClose = .allOf
delegates.add { $0.pageDidLoad = { _, count in print("loaded", count) } }
let guardian = delegates.add { $0.pageShouldClose = { _ in false } }
page.delegate = delegates
page.load()
page.close()
guardian.remove()
page.close()
