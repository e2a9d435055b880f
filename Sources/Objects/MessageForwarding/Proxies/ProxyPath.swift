internal import Invocations
internal import TypeEncodings

// SAFETY: a path is a variable of a call of `enter` that has not returned, and so are its outer
// paths: pointers to them are valid during the closure to which they are passed.
/// The proxies that are forwarding a message, innermost first.
@unsafe
struct ProxyPath {
  typealias Pointer = UnsafePointer<ProxyPath>

  private let proxy: ObjectIdentifier
  private let outer: Pointer?

  /// Calls `body` with the path that a proxy extends.
  ///
  /// - Parameters:
  ///   - proxy: The proxy.
  ///   - outer: The path to the proxy.
  ///   - selector: The message.
  ///   - body: Receives the path to the proxy's targets.
  /// - Returns: What `body` returns.
  /// - Throws: `forwardingLoop` if the outer path contains the proxy; the errors of `body`.
  static func enter<Result>(
    _ proxy: MultiTargetProxy, _ outer: Pointer?, _ selector: Selector,
    _ body: (Pointer) throws(MessageError) -> Result
  ) throws(MessageError) -> Result {
    let identity = ObjectIdentifier(proxy)
    var next = unsafe outer
    while let current = unsafe next {
      guard unsafe current.pointee.proxy != identity else {
        throw MessageError(
          .forwardingLoop,
          "\(selector) was sent to a proxy that is its own target, directly or through others; "
            + "remove it from its targets", selector: selector)
      }
      unsafe next = current.pointee.outer
    }
    let path = unsafe ProxyPath(proxy: identity, outer: outer)
    return try unsafe withUnsafePointer(to: path) { path throws(MessageError) in
      try unsafe body(path)
    }
  }
}

/// A proxy that forwards messages along a path.
protocol ProxyOnPath: MessageReceiver {
  /// Sends a message to the targets.
  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome

  /// Sends an invocation to the targets.
  func forward(_ invocation: Invocation, _ path: ProxyPath.Pointer?) throws(MessageError)

  /// Whether any target responds.
  func responds(_ selector: Selector, _ path: ProxyPath.Pointer?) throws(MessageError) -> Bool

  /// The signature of the first target that responds.
  func signature(
    _ selector: Selector, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> MethodSignature?
}
