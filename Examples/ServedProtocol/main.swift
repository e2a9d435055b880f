// A Swift protocol served by messages: delegates made of closures, and several at once.
import BlockRuntime

protocol PageDelegate: AnyObject {
  func page(_ page: Page, didLoad count: Int)
  func pageShouldClose(_ page: Page) -> Bool
}

final class Page {
  weak var delegate: (any PageDelegate)?

  func load() { delegate?.page(self, didLoad: 3) }
  func close() { print("closed:", delegate?.pageShouldClose(self) ?? true) }
}

/// The forwarder: one line for each requirement, by hand.
final class PageDelegateForwarder: PageDelegate {
  let receiver: any MessageReceiver

  init(to receiver: any MessageReceiver) { self.receiver = receiver }

  func page(_ page: Page, didLoad count: Int) {
    try? receiver.send("page:didLoad:", page, count)
  }

  func pageShouldClose(_ page: Page) -> Bool {
    (try? receiver.send("pageShouldClose:", page, returning: Bool.self)) ?? true
  }
}

let described = try MessageProtocol(
  "PageDelegate",
  [
    .required("page:didLoad:", taking: Page.self, Int.self, returning: Void.self),
    .optional("pageShouldClose:", taking: Page.self, returning: Bool.self),
  ])

// Two delegates of closures; what does not fit the protocol is refused, with the difference.
let (log, guardian) = (DynamicDelegate(described), DynamicDelegate(described))
try log.implement("page:didLoad:") { (_: Page, count: Int) in print("loaded", count) }
try guardian.implement("pageShouldClose:") { (_: Page) in false }
print("missing:", guardian.missingRequiredMethods.map(\.selector.name))
do {
  try guardian.implement("page:didLoad:") { (_: Page, _: Float) in }
} catch {
  print(error.message)
}

// Both at once: each gets what it answers, and all must agree to close.
let all = MultiTargetProxy(weak: [log, guardian])
all.setPolicy(.allOf, for: "pageShouldClose:")
let (page, forwarder) = (Page(), PageDelegateForwarder(to: all))
page.delegate = forwarder
page.load()
page.close()
guardian.removeMethod("pageShouldClose:")
page.close()
