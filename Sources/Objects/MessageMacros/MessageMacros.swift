#if Macros
@_exported public import BlockHooks
@_exported public import Invocations
@_exported public import MessageForwarding

/// Makes what the forwarders of a protocol need: classes that conform to it, and send every
/// requirement on to any number of targets.
///
/// The class's head is written by hand; ``Forwarder`` says what it does.
///
/// ```swift
/// @Forwarding
/// protocol PageDelegate: AnyObject {
///   func page(_ page: Page, didLoad count: Int)
///   @Optional(default: true) func pageShouldClose(_ page: Page) -> Bool
/// }
///
/// final class PageDelegates: PageDelegateForwarding { let targets = Targets() }
///
/// let delegates = PageDelegates(weak: log, guardian)
/// delegates.policies.pageShouldClose = .allOf
/// delegates.add { $0.pageDidLoad = { page, count in print("loaded", count) } }
/// page.delegate = delegates
/// ```
///
/// For a protocol `PageDelegate` it makes the type `PageDelegateRequirements`, the protocol
/// `PageDelegateForwarding` of its forwarders, and `PageDelegateForwarded` of those that are forwarders
/// also of a protocol that inherits from it; and `PageDelegateMessages` of its proxies, which get the
/// requirements as messages to themselves (``MessageProxy``). They have the protocol's access level, its isolation and
/// its availability. A protocol from which another inherits needs the attribute too.
@attached(
  peer,
  names: suffixed(Requirements), suffixed(Forwarded), suffixed(Forwarding), suffixed(Messages))
@attached(extension, names: arbitrary)
public macro Forwarding() =
  #externalMacro(module: "MessageMacrosPlugin", type: "ForwardingMacro")

/// Marks a requirement without an answer that a type may leave out.
@attached(peer)
public macro Optional() = #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// Marks a requirement that a type may leave out, and says what it answers then.
///
/// A forwarder asks its next target instead, and answers the value only if no target has the
/// requirement.
///
/// - Parameter value: The answer of who leaves the requirement out; evaluated anew for each.
@attached(peer)
public macro Optional<Answer>(default value: Answer) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// Marks a requirement that a type may leave out, and that then answers nil.
///
/// - Parameter value: Nil.
@attached(peer)
public macro Optional(default value: NilAnswer) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// The type of nil where it stands for itself.
public struct NilAnswer: ExpressibleByNilLiteral {
  /// Creates nil.
  public init(nilLiteral: ()) {}
}

/// Names the closure and the policy of a requirement, where the name that the macro makes is taken.
///
/// - Parameter name: The name.
@attached(peer)
public macro Named(_ name: StaticString) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// Names the message as which a requirement is sent, instead of the name that `@objc` would give it.
///
/// - Parameter name: The selector, with a colon for each argument.
@attached(peer)
public macro SentAs(_ name: StaticString) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")
#endif
