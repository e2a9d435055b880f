import Invocations
import MessageForwarding
import TypeEncodings

/// Names another receiver: the fast way.
final class NamingProxy: MessageReceiver {
  private let target: any MessageReceiver

  init(_ target: any MessageReceiver) { self.target = target }

  static var methods: MethodTable { MethodTable(NamingProxy.self) }

  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { target }
}

/// Sends invocations on.
final class InvocationProxy: MessageReceiver {
  private let target: any MessageReceiver

  init(_ target: any MessageReceiver) { self.target = target }

  static var methods: MethodTable { MethodTable(InvocationProxy.self) }

  func methodSignature(for selector: Selector) -> MethodSignature? {
    target.methodSignature(for: selector)
  }

  func forwardInvocation(_ invocation: Invocation) throws { try invocation.send(to: target) }
}

/// Sends messages on as they are, and invocations.
final class TypedProxy: MessageReceiver {
  private let target: any MessageReceiver

  init(_ target: any MessageReceiver) { self.target = target }

  static var methods: MethodTable { MethodTable(TypedProxy.self) }

  func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    try message.send(to: target)
  }

  func methodSignature(for selector: Selector) -> MethodSignature? {
    target.methodSignature(for: selector)
  }

  func forwardInvocation(_ invocation: Invocation) throws { try invocation.send(to: target) }
}
