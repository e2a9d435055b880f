// Idioms of Objective-C's libraries: a multicast delegate, a delegate of closures, and an aspect.
import MessageMacros

@Forwarding
protocol ListDelegate: AnyObject {
  func list(_ list: List, didScrollTo offset: Double)
  @Optional(default: true) func listShouldScrollToTop(_ list: List) -> Bool
}

final class ListDelegates: ListDelegateForwarding { let targets = Targets() }

@Messages
final class List {
  @NotSent weak var delegate: (any ListDelegate)?

  func scroll(to offset: Double) { delegate?.list(self, didScrollTo: offset) }
  func scrollToTop() -> Bool {
    guard delegate?.listShouldScrollToTop(self) ?? true else { return false }
    scroll(to: 0)
    return true
  }
}

final class Log: ListDelegate {
  func list(_ list: List, didScrollTo offset: Double) { print("the log saw", offset) }
}

// KIZMultipleDelegate: several delegates at once, which are not retained. All must agree, not the first.
let (list, log) = (List(), Log())
let delegates = ListDelegates(weak: log)
delegates.policies.listShouldScrollToTop = .allOf
list.delegate = delegates

// BlocksKit: a delegate of closures; each has the type of its requirement.
let closures = delegates.add {
  $0.listDidScrollTo = { _, offset in print("the closure saw", offset) }
  $0.listShouldScrollToTop = { _ in false }
}
list.scroll(to: 30)
print("to the top:", list.scrollToTop())
closures.remove()

// Aspects: code around a method, of a class or of one object; here it changes the argument.
let aspect = try list.hook(\.scrollTo) { original, _, offset in try original(max(offset, 0)) }
try list.send(\.scrollTo, -5)
aspect.remove()
