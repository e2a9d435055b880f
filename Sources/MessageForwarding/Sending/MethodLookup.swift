private import BlockRuntimeSpelling
internal import CMessageForwarding.Messages
public import Invocations

// SAFETY, for the whole file: slots are never freed; an implementation is protected while it is used.

/// Finding what a message runs.
@usableFromInline
enum MethodLookup {
  /// The implementation of a receiver's method, without asking its class to make one.
  static func find(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    let slot = slot(receiver, selector)
    let found = slot.current
    guard found === InstanceDispatch.shared else { return found }
    let ofClass = slot.ofClass
    return InstanceMethods.method(selector, of: receiver, above: ofClass) ?? ofClass
  }

  /// The same; where there is none the class may add one.
  static func resolve(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    if let found = find(receiver, selector) { return found }
    return receiver._resolve(selector) ? find(receiver, selector) : nil
  }

  private static func slot(_ receiver: any MessageReceiver, _ selector: Selector) -> MethodSlot {
    if let cached = unsafe cbr_method_cached(receiver._messageIdentity.value, selector.pointer) {
      return unsafe MethodSlot(cached)
    }
    return receiver._messageClass.methods.slot(selector)
  }

  /// Who gets a message that a receiver has no method for.
  ///
  /// - Parameters:
  ///   - receiver: Becomes the last receiver asked, who names nobody else.
  ///   - selector: The message.
  /// - Returns: Its implementation; nil where it has none either.
  /// - Throws: `forwardingLoop`.
  @usableFromInline
  static func follow(
    _ receiver: inout any MessageReceiver, _ selector: Selector
  ) throws(MessageError) -> Implementation? {
    var steps = 0
    while true {
      if let found = resolve(receiver, selector) { return found }
      guard let next = receiver.forwardingTarget(for: selector), next !== receiver else {
        return nil
      }
      steps += 1
      if ForwardingDepth.isLoop(steps) { throw ForwardingDepth.loop(selector) }
      receiver = next
    }
  }

  /// The error of a message that nobody answers.
  static func unrecognized(
    _ selector: Selector?, _ receiver: any MessageReceiver
  ) -> MessageError {
    let itself = receiver._messageClass
    let name = itself.receiverName
    let owner: AnyClass = type(of: receiver).methods.owner
    let table =
      Implementation.inherits(type(of: receiver), from: owner)
      ? "" : "; its table says that it is \(owner)'s"
    return MessageError(.unrecognizedSelector, subject: selector?.name) {
      let hint = Spelling.nearest(
        to: selector?.name ?? "", in: itself.methods.allSelectors.map(\.name))
      return
        "\(selector?.name ?? "a message without a selector") was sent to \(name), which has no method "
        + "for it and forwards it to nobody\(table)\(hint.map { "; did you mean \($0)?" } ?? "")"
    }
  }
}

// MARK: - The way of messages whose Swift types are the method's

/// An implementation that a message is about to enter: it is protected until `leave`.
@unsafe
@usableFromInline
struct EnteredMethod {
  @usableFromInline let implementation: UnsafeRawPointer?

  /// Whether it is known that there is none.
  @usableFromInline let isAbsent: Bool

  /// Where it is protected, if it is.
  @usableFromInline let hazard: UnsafeMutableRawPointer?

  /// Finds the implementation, if it was looked up lately.
  @usableFromInline
  init(_ identity: UInt, _ selector: Selector) {
    guard let slot = unsafe cbr_method_cached(identity, selector.pointer) else {
      unsafe (hazard, implementation, isAbsent) = (nil, nil, false)
      return
    }
    let entered = unsafe cbr_method_enter(cbr_method_current(slot))
    unsafe hazard = unsafe UnsafeMutableRawPointer(entered.hazard)
    unsafe implementation = unsafe entered.what
    unsafe isAbsent = unsafe entered.what == nil
  }

  /// Ends the call.
  @inlinable
  @inline(__always)
  func leave() {
    if let hazard = unsafe hazard { unsafe Self.leave(hazard) }
  }

  @usableFromInline
  static func leave(_ hazard: UnsafeMutableRawPointer) {
    if unsafe cbr_hazard_clear(hazard.assumingMemoryBound(to: cbr_hazard.self)) {
      unsafe HazardPointers.cleared(hazard)
    }
  }
}
