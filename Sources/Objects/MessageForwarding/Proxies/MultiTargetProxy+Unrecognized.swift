private import BlockRuntimeSuggestions
internal import Invocations

extension MultiTargetProxy {
  /// The error of a message to which no target responds.
  func unrecognized(_ selector: Selector, _ list: TargetList) -> MessageError {
    let receivers = list.targets.compactMap(\.receiver)
    let (count, dead) = (list.targets.count, list.targets.count - receivers.count)
    let classes = receivers.flatMap { Self.classes(behind: $0, depth: 0) }
    // Most such errors are caught unread.
    return MessageError(.unrecognizedSelector, subject: selector.name) {
      let targets =
        switch (count, dead) {
        case (0, _): "that has no targets"
        case (1, 0):
          "whose only target\(classes.first.map { ", \($0.words)," } ?? "") does not respond to it"
        case (1, _): "whose only target died, because a proxy does not retain weak targets"
        case (_, 0): "none of whose \(count) targets responds to it"
        default:
          "none of whose \(count) targets responds to it; \(dead) of them died, because a proxy does not "
            + "retain weak targets"
        }
      let hint = Suggestion.nearest(to: selector.name, in: classes.flatMap(\.methodNames))
      return "\(selector) was sent to a proxy \(targets); "
        + (hint.map { "did you mean \($0)? Otherwise add" } ?? "add")
        + " a target that responds, or set ignoresUnrecognized"
    }
  }

  /// The classes of the receivers to which a proxy that is a target forwards messages; of another
  /// target, its own class.
  private static func classes(behind target: any MessageReceiver, depth: Int) -> [ReceiverClass] {
    // Proxies that are targets of each other would go on for ever.
    guard depth < 8 else { return [] }
    let next: [any MessageReceiver]
    switch target {
    case let proxy as MultiTargetProxy: next = proxy.targets
    case let proxy as WeakProxy: next = proxy.target.map { [$0] } ?? []
    default: return [ReceiverClass(of: target)]
    }
    return next.flatMap { classes(behind: $0, depth: depth + 1) }
  }
}
