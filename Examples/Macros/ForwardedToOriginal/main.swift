// The commonest NSProxy: it stands in front of a delegate, sees what it wants to see, and forwards everything.
import MessageMacros

@Forwarding
protocol ListDelegate: AnyObject {
  func list(_ list: List, didScrollTo offset: Double)
  @Optional(default: true) func listShouldScrollToTop(_ list: List) -> Bool
}

final class List {
  weak var delegate: (any ListDelegate)?

  func scroll(to offset: Double) { delegate?.list(self, didScrollTo: offset) }
  func mayScrollToTop() -> Bool { delegate?.listShouldScrollToTop(self) ?? true }
}

/// An ordinary delegate, which knows nothing of messages.
final class Controller: ListDelegate {
  func list(_ list: List, didScrollTo offset: Double) { print("the controller saw", offset) }
}

/// A proxy: the requirements are messages to it.
final class Spy: ListDelegateMessages {
  let original: any MessageReceiver

  init(_ original: any ListDelegate) {
    self.original = ListDelegateRequirements.receiver(for: original)
  }

  // forwardingTargetForSelector: other messages go to the delegate, without an invocation.
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? {
    selector == "list:didScrollTo:" ? nil : original
  }

  // forwardInvocation: the spy sees this message, changes it, and forwards it.
  func forwardInvocation(_ invocation: Invocation) throws {
    let offset = try invocation.argument(3, as: Double.self)
    print("the spy saw", offset)
    try invocation.setArgument(3, max(offset, 0))
    try invocation.send(to: original)
  }
}

let (list, controller) = (List(), Controller())
let spy = Spy(controller)
list.delegate = spy
list.scroll(to: 30)
list.scroll(to: -5)
// The controller leaves this out: the answer is the requirement's default.
print("to the top:", list.mayScrollToTop())
