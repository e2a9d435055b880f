public import BlockRuntime

/// What messages are compared with: a requirement that is called directly.
public protocol Listener: AnyObject {
  /// Gets a number.
  func receive(_ number: Int32)
}

/// A class whose methods are called, and sent as messages.
open class Receiver: Listener, MessageReceiver {
  /// The sum of the numbers received.
  public final var sum = 0

  /// Makes an object.
  public init() {}

  /// Adds as the other rows' functions do.
  open func add(_ first: Int32, _ second: Double) -> Int32 { first + Int32(second) }

  /// Gets a number.
  open func receive(_ number: Int32) { sum += Int(number) }

  /// The methods that messages run.
  open class var methods: MethodTable {
    MethodTable(Receiver.self) {
      // A method reference would cost a reference counted at each call.
      Method("add:to:") { (self: Receiver, first: Int32, second: Double) in
        self.add(first, second)
      }
      Method("receive:") { (self: Receiver, number: Int32) in self.receive(number) }
    }
  }
}

/// A receiver that names another one for every message.
public final class Forwarder: MessageReceiver {
  private let target: any MessageReceiver

  /// Makes an object.
  public init(_ target: any MessageReceiver) { self.target = target }

  /// None.
  public static var methods: MethodTable { MethodTable(Forwarder.self) }

  /// The target.
  public func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { target }
}

/// A receiver that sends every message on as an invocation.
public final class InvocationForwarder: MessageReceiver {
  private let target: any MessageReceiver

  /// Makes an object.
  public init(_ target: any MessageReceiver) { self.target = target }

  /// None.
  public static var methods: MethodTable { MethodTable(InvocationForwarder.self) }

  /// The target's.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    target.methodSignature(for: selector)
  }

  /// Sends it to the target.
  public func forwardInvocation(_ invocation: Invocation) throws {
    try invocation.send(to: target)
  }
}
