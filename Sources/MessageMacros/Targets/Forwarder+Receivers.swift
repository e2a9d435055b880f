#if Macros
public import MessageForwarding

extension Forwarder {
  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder does not
  /// retain.
  ///
  /// An object may be a receiver and conform to the protocol: the label says how it is called.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. One that is a target already is not added.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(weakReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool {
    add(receiver: receiver, isStrong: false, priority)
  }

  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder retains.
  ///
  /// It suits receivers that nothing else keeps alive, such as a `DynamicDelegate` or a
  /// `MultiTargetProxy`.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. One that is a target already is not added.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(strongReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool {
    add(receiver: receiver, isStrong: true, priority)
  }

  fileprivate func add(receiver: any MessageReceiver, isStrong: Bool, _ priority: Int) -> Bool {
    guard receiver !== self else { return false }
    return targets.add(
      ForwardingTarget(receiver: receiver, isStrong: isStrong, priority: priority))
  }
}

extension Forwarder where Requirements.WeakTarget: Sendable {
  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder does not
  /// retain.
  ///
  /// An object may be a receiver and conform to the protocol: the label says how it is called.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. One that is a target already is not added.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(weakReceiver receiver: any MessageReceiver & Sendable, priority: Int = 0) -> Bool
  {
    add(receiver: receiver, isStrong: false, priority)
  }

  /// Adds a receiver, to which each requirement is sent as a message, and which the forwarder retains.
  ///
  /// It suits receivers that nothing else keeps alive, such as a `DynamicDelegate` or a
  /// `MultiTargetProxy`.
  ///
  /// - Parameters:
  ///   - receiver: The receiver. One that is a target already is not added.
  ///   - priority: Targets of a higher priority are called first.
  /// - Returns: Whether it was added.
  @discardableResult
  public func add(
    strongReceiver receiver: any MessageReceiver & Sendable, priority: Int = 0
  ) -> Bool {
    add(receiver: receiver, isStrong: true, priority)
  }

  /// Refuses a receiver that is not `Sendable`: the forwarder may be used on any thread.
  @available(
    *, unavailable, message: "a forwarder of a Sendable protocol has receivers that are Sendable"
  )
  @discardableResult
  public func add(weakReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool { false }

  /// Refuses a receiver that is not `Sendable`: the forwarder may be used on any thread.
  @available(
    *, unavailable, message: "a forwarder of a Sendable protocol has receivers that are Sendable"
  )
  @discardableResult
  public func add(strongReceiver receiver: any MessageReceiver, priority: Int = 0) -> Bool { false }
}
#endif
