internal import Invocations
internal import TypeEncodings

/// A target of a proxy, with the method that it has for a message, looked up once.
struct PathTarget {
  // SAFETY: throughout, paths are valid during the call, as `ProxyPath` requires.

  let receiver: any MessageReceiver
  private let selector: Selector

  /// The target's method; nil if it has none.
  private let method: Implementation?

  /// The target as a proxy that forwards the message, if it is one.
  private let proxy: (any ProxyOnPath)?

  /// Looks the message's method up.
  init(_ receiver: any MessageReceiver, _ selector: Selector) {
    self.receiver = receiver
    self.selector = selector
    method = MethodLookup.find(receiver, selector)
    guard method == nil else {
      proxy = nil
      return
    }
    if let receiver = receiver as? MultiTargetProxy {
      proxy = receiver
    } else {
      proxy = receiver as? WeakProxy
    }
  }

  /// Whether the target responds: whether it has a method, or says so.
  func responds(_ path: ProxyPath.Pointer?) throws(MessageError) -> Bool {
    if method != nil { return true }
    guard let proxy else { return receiver.responds(to: selector) }
    return try unsafe proxy.responds(selector, path)
  }

  /// The signature that the target has for the message.
  func signature(_ path: ProxyPath.Pointer?) throws(MessageError) -> MethodSignature? {
    if let method { return try? method.interface.signature }
    guard let proxy else { return receiver.methodSignature(for: selector) }
    return try unsafe proxy.signature(selector, path)
  }

  /// Sends the message to the target.
  func send<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>, _ path: ProxyPath.Pointer?
  ) throws(MessageError) -> Outcome {
    if let method {
      return try method.running { method throws(MessageError) in
        try message.call(method, receiver)
      }
    }
    guard let proxy else { return try message.send(to: receiver) }
    return try unsafe proxy.forward(message, path)
  }

  /// Sends an invocation of the message to the target.
  func send(_ invocation: Invocation, _ path: ProxyPath.Pointer?) throws(MessageError) {
    if let method { return try invocation.send(to: receiver, by: method) }
    guard let proxy else { return try invocation.send(to: receiver) }
    try unsafe proxy.forward(invocation, path)
  }
}
