#if Macros
public import Invocations
public import MessageForwarding

extension ForwardingTargets {
  /// Sends a requirement without an answer to every target that responds.
  ///
  /// - Parameters:
  ///   - selector: The requirement as a message.
  ///   - object: Calls an object; nil if it leaves the requirement out.
  ///   - closure: Calls a closure; nil if there is none.
  ///   - message: Sends the message; nil if the requirement is no message.
  ///   - nobody: Is called if no target responds.
  @inlinable
  public func send(
    _ selector: @autoclosure () -> Selector, object: (Requirements.Target) -> Void?,
    closure: (Requirements.Closures) -> Void?,
    message: (any MessageReceiver, Selector) throws -> Void?,
    default nobody: @autoclosure () -> Void = ()
  ) {
    let list = list
    var isDeadSeen = false
    var isDelivered = false
    list.forEach { target in
      if answer(
        of: target, list, selector, object: object, closure: closure, message: message,
        &isDeadSeen) != nil
      {
        isDelivered = true
      }
      return true
    }
    if isDeadSeen { dropRemoved() }
    if !isDelivered { nobody() }
  }

  /// Asks targets for the answer of a requirement.
  ///
  /// - Parameters:
  ///   - selector: The requirement as a message.
  ///   - policy: Finds the requirement's policy.
  ///   - object: Asks an object; nil if it leaves the requirement out.
  ///   - closure: Asks a closure; nil if there is none.
  ///   - message: Sends the message; nil if the requirement is no message.
  ///   - value: The answer if no target responds.
  /// - Returns: The answer.
  @inlinable
  public func ask<Answer>(
    _ selector: @autoclosure () -> Selector,
    policy: (Requirements.Policies) -> AnswerPolicy<Answer>,
    object: (Requirements.Target) -> Answer?, closure: (Requirements.Closures) -> Answer?,
    message: (any MessageReceiver, Selector) throws -> Answer?,
    default value: @autoclosure () -> Answer
  ) -> Answer {
    let list = list
    return collect(
      list, policy(list.policies), selector, object: object, closure: closure, message: message)
      ?? value()
  }

  /// The answer of the targets; nil if none responds.
  @inlinable
  @inline(__always)
  func collect<Answer>(
    _ list: TargetList<Requirements>, _ policy: AnswerPolicy<Answer>, _ selector: () -> Selector,
    object: (Requirements.Target) -> Answer?, closure: (Requirements.Closures) -> Answer?,
    message: (any MessageReceiver, Selector) throws -> Answer?
  ) -> Answer? {
    var isDeadSeen = false
    var fold = AnswerFold(policy)
    list.forEach { target in
      guard
        let answer = answer(
          of: target, list, selector, object: object, closure: closure, message: message,
          &isDeadSeen)
      else { return true }
      return fold.take(answer)
    }
    if isDeadSeen { dropRemoved() }
    return fold.answer
  }

  /// The answer of one target; nil if it does not respond.
  @inlinable
  @inline(__always)
  func answer<Answer>(
    of target: ForwardingTarget<Requirements>, _ list: TargetList<Requirements>,
    _ selector: () -> Selector, object: (Requirements.Target) -> Answer?,
    closure: (Requirements.Closures) -> Answer?,
    message: (any MessageReceiver, Selector) throws -> Answer?,
    _ isDeadSeen: inout Bool
  ) -> Answer? {
    switch target.kind {
    case .object:
      // The target is retained from here on: its last other reference may be released before the
      // call.
      if let target = target.object { return object(target) }
      target.removal.remove()
      isDeadSeen = true
    case .closures: return closure(target.closures)
    case .receiver:
      guard let receiver = target.receiver else {
        target.removal.remove()
        isDeadSeen = true
        return nil
      }
      let selector = selector()
      guard receiver.responds(to: selector) else { return nil }
      do { return try message(receiver, selector) } catch {
        if !receiver.leavesOut(selector, error) { list.onError(receiver, selector, error) }
      }
    }
    return nil
  }
}
#endif
