#if Macros
public import Invocations
public import MessageForwarding
private import ObjectLifetimes

/// The targets of the proxies of a protocol: each proxy has itself as its only target, to which the
/// requirements are sent as messages.
public struct ProxyTargets<Requirements: ForwardedRequirements>: Sendable {
  // SAFETY: `@unchecked`: only code that may use the proxy reads the targets.
  private final class Kept: @unchecked Sendable {
    let targets = ForwardingTargets<Requirements>()

    init(_ proxy: any MessageProxy) {
      targets.add(ForwardingTarget(receiver: proxy, isStrong: false, priority: 0))
    }
  }

  private let key = AssociationKey<Kept>("targets of a proxy")

  /// Creates the key by which proxies keep their targets.
  public init() {}

  /// The targets of a proxy; none if its deinit has begun.
  ///
  /// - Parameter proxy: The proxy.
  /// - Returns: The targets.
  public func targets(of proxy: any MessageProxy) -> ForwardingTargets<Requirements> {
    let kept = try? key.value(of: proxy, default: Kept(proxy))
    return kept?.targets ?? ForwardingTargets()
  }
}

extension MessageReceiver {
  /// Whether an error says that the receiver, a proxy, does not answer an optional requirement.
  @usableFromInline
  func leavesOut(_ selector: Selector, _ error: any Error) -> Bool {
    guard let error = error as? MessageError, error.code == .unrecognizedSelector,
      error.selector == selector
    else { return false }
    return answered(selector)?.isRequired == false
  }
}
#endif
