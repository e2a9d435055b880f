#if Macros
@_exported public import BlockHooks
@_exported public import Invocations
@_exported public import MessageForwarding

/// Makes the types that a protocol's forwarders need: classes that conform to the protocol, and
/// send every requirement on to any number of targets.
///
/// The class itself is one line, written by hand; ``Forwarder`` says what it does.
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
/// For a protocol `PageDelegate` the macro makes the type `PageDelegateRequirements` and three
/// protocols: `PageDelegateForwarding` for its forwarders; `PageDelegateForwarded` for forwarders
/// of protocols that inherit from it; and `PageDelegateMessages` for its proxies, which get the
/// requirements as messages to themselves (``MessageProxy``). All have the protocol's access level,
/// its isolation and its availability. A protocol from which another inherits needs the attribute
/// too.
@attached(
  peer,
  names: suffixed(Requirements), suffixed(Forwarded), suffixed(Forwarding), suffixed(Messages))
@attached(extension, names: arbitrary)
public macro Forwarding() =
  #externalMacro(module: "MessageMacrosPlugin", type: "ForwardingMacro")

/// Marks a requirement without an answer that a type may leave out.
@attached(peer)
public macro Optional() = #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// Marks a requirement that a type may leave out, and gives the answer for that case.
///
/// A forwarder then asks its next target, and gives this answer only if no target has the
/// requirement.
///
/// - Parameter value: The answer of a type that leaves the requirement out; evaluated anew for each
///   call.
@attached(peer)
public macro Optional<Answer>(default value: Answer) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// Marks a requirement that a type may leave out, and that then answers nil.
///
/// - Parameter value: Nil.
@attached(peer)
public macro Optional(default value: NilAnswer) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// The type of the literal `nil` as an argument of a macro.
public struct NilAnswer: ExpressibleByNilLiteral {
  /// Creates nil.
  public init(nilLiteral: ()) {}
}

/// Names the closure and the policy of a requirement, if the name that the macro would make is
/// taken.
///
/// - Parameter name: The name.
@attached(peer)
public macro Named(_ name: StaticString) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")

/// Names the message of a requirement, in place of the name that `@objc` would give it.
///
/// - Parameter name: The selector, with a colon for each argument.
@attached(peer)
public macro SentAs(_ name: StaticString) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")
#endif
