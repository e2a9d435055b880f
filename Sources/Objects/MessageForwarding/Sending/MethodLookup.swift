private import BlockRuntimeSuggestions
internal import CMessageForwarding.Messages
public import Invocations

/// The lookup of the implementation that a message runs.
@usableFromInline
enum MethodLookup {
  /// Finds the implementation of a receiver's method, without `resolveMethod(_:)`.
  static func find(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    // SAFETY: the implementation is protected until `leave`.
    let found = unsafe look(receiver, selector)
    defer { unsafe found.leave() }
    return unsafe found.retained
  }

  /// Finds the implementation of a receiver's method, which `resolveMethod(_:)` may add.
  static func resolve(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    if let found = find(receiver, selector) { return found }
    return receiver._resolve(selector) ? find(receiver, selector) : nil
  }

  /// Finds the implementation of a receiver's method, without `resolveMethod(_:)`, and protects it.
  @usableFromInline
  static func look(_ receiver: any MessageReceiver, _ selector: Selector) -> FoundMethod {
    // SAFETY: slots are never freed; the selector's pointer is only compared.
    let cached = unsafe cbr_method_cached(receiver._messageIdentity.value, selector.pointer)
    let slot =
      unsafe cached.map { unsafe MethodSlot($0) } ?? receiver._messageClass.methods.slot(selector)
    let entered = unsafe EnteredMethod(slot, for: ObjectIdentifier(receiver))
    if let implementation = unsafe entered.implementation,
      unsafe !EnteredMethod.isOfClass(implementation)
    {
      unsafe entered.leave()
      return unsafe FoundMethod(InstanceMethods.method(selector, of: receiver, slot))
    }
    return unsafe FoundMethod(entered)
  }

  /// Follows the forwarding targets to a receiver that has a method for a message.
  ///
  /// - Parameters:
  ///   - receiver: The receiver; replaced by the last forwarding target, if there is any.
  ///   - selector: The message.
  ///   - steps: How many targets the message has come through before.
  /// - Returns: The method, protected until `leave`.
  /// - Throws: `forwardingLoop`.
  @usableFromInline
  static func follow(
    _ receiver: inout any MessageReceiver, _ selector: Selector, after steps: Int = 0
  ) throws(MessageError) -> FoundMethod {
    // SAFETY: an implementation that is found is returned, protected.
    var found: FoundMethod = unsafe resolve(receiver, selector)
    var steps = steps
    while unsafe found.entered.implementation == nil,
      let next = receiver.forwardingTarget(for: selector), next !== receiver
    {
      steps += 1
      if ForwardingDepth.isLoop(steps) { throw ForwardingDepth.loop(selector) }
      receiver = next
      unsafe found = unsafe resolve(next, selector)
    }
    return unsafe found
  }

  private static func resolve(
    _ receiver: any MessageReceiver, _ selector: Selector
  ) -> FoundMethod {
    // SAFETY: a method that is not there needs no protection.
    let found = unsafe look(receiver, selector)
    guard unsafe found.entered.implementation == nil, receiver._resolve(selector) else {
      return unsafe found
    }
    return unsafe look(receiver, selector)
  }

  /// The error of a message without a method.
  ///
  /// Most such errors are caught unread: names are compared, and the class's table is read, only
  /// when the error's message is read.
  static func unrecognized(
    _ selector: Selector?, _ receiver: any MessageReceiver
  ) -> MessageError {
    let itself = ReceiverClass(of: receiver)
    // SAFETY: a metatype is immutable.
    nonisolated(unsafe) let receiverType = type(of: receiver)
    return MessageError(.unrecognizedSelector, subject: selector?.name) {
      let owner: AnyClass = unsafe receiverType.methods.owner
      let table =
        unsafe Implementation.inherits(receiverType, from: owner)
        ? "" : "; its table says that it is \(owner)'s"
      let hint = Suggestion.nearest(to: selector?.name ?? "", in: itself.methodNames)
      return
        "\(selector?.name ?? "a message without a selector") was sent to \(itself.words), which has no "
        + "method for it and forwards it to nobody\(table)\(hint.map { "; did you mean \($0)?" } ?? "")"
    }
  }
}
