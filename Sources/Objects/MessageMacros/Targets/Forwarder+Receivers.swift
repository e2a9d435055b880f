#if Macros
public import MessageForwarding

extension Forwarder {
  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder does
  /// not retain.
  ///
  /// An object may be a receiver and conform to the protocol: the label says how it is called.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. A receiver that is a target already is not added, nor is the
  ///     forwarder itself, which is reported on standard error.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(weakReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool {
    add(receiver: receiver, isStrong: false, priority)
  }

  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder
  /// retains.
  ///
  /// It suits receivers that nothing else keeps alive, such as a `DynamicDelegate` or a
  /// `MultiTargetProxy`.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. A receiver that is a target already is not added, nor is the
  ///     forwarder itself, which is reported on standard error.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(strongReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool {
    add(receiver: receiver, isStrong: true, priority)
  }

  fileprivate func add(receiver: any MessageReceiver, isStrong: Bool, _ priority: Int) -> Bool {
    guard receiver !== self else {
      targets.reportRefusal(
        "a forwarder is no receiver of what it forwards: it is not added to itself; add a WeakProxy of it "
          + "if its forwardInvocation(_:) answers")
      return false
    }
    return targets.add(
      ForwardingTarget(receiver: receiver, isStrong: isStrong, priority: priority)) ?? false
  }
}

extension Forwarder where Requirements.WeakTarget: Sendable {
  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder does
  /// not retain.
  ///
  /// An object may be a receiver and conform to the protocol: the label says how it is called.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. A receiver that is a target already is not added, nor is the
  ///     forwarder itself, which is reported on standard error.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(weakReceiver receiver: any MessageReceiver & Sendable, priority: Int = 0) -> Bool
  {
    add(receiver: receiver, isStrong: false, priority)
  }

  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder
  /// retains.
  ///
  /// It suits receivers that nothing else keeps alive, such as a `DynamicDelegate` or a
  /// `MultiTargetProxy`.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. A receiver that is a target already is not added, nor is the
  ///     forwarder itself, which is reported on standard error.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(
    strongReceiver receiver: any MessageReceiver & Sendable, priority: Int = 0
  ) -> Bool {
    add(receiver: receiver, isStrong: true, priority)
  }

  /// Refused by the compiler: the forwarder may be used on any thread.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - priority: The priority.
  /// - Returns: False.
  @ReceiverMustBeSendable @available(*, noasync, message: "the receiver must be Sendable")
  @discardableResult
  public func add(weakReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool { false }

  /// Refused by the compiler: the forwarder may be used on any thread.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - priority: The priority.
  /// - Returns: False.
  @ReceiverMustBeSendable @available(*, noasync, message: "the receiver must be Sendable")
  @discardableResult
  public func add(strongReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool { false }
}

/// The isolation of functions that the compiler refuses, because a forwarder of a `Sendable`
/// protocol has receivers that are `Sendable`.
///
/// If the functions were unavailable instead, the compiler would choose those for other forwarders.
@globalActor public actor ReceiverMustBeSendable {
  /// An actor on which nothing runs.
  public static let shared = ReceiverMustBeSendable()
}
#endif
