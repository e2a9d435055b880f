private import BlockRuntimeSpelling
internal import CMessageForwarding.Messages
public import Invocations

/// The lookup of the implementation that a message runs.
@usableFromInline
enum MethodLookup {
  /// Finds the implementation of a receiver's method, without `resolveMethod(_:)`.
  static func find(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    let slot = slot(receiver, selector)
    let found = slot.current.implementation
    guard found === InstanceDispatch.shared else { return found }
    let ofClass = slot.ofClass.implementation
    return InstanceMethods.method(selector, of: receiver, above: ofClass) ?? ofClass
  }

  /// Finds the implementation of a receiver's method, which `resolveMethod(_:)` may add.
  static func resolve(_ receiver: any MessageReceiver, _ selector: Selector) -> Implementation? {
    if let found = find(receiver, selector) { return found }
    return receiver._resolve(selector) ? find(receiver, selector) : nil
  }

  private static func slot(_ receiver: any MessageReceiver, _ selector: Selector) -> MethodSlot {
    // SAFETY: slots are never freed; the selector's pointer is only compared.
    if let cached = unsafe cbr_method_cached(receiver._messageIdentity.value, selector.pointer) {
      return unsafe MethodSlot(cached)
    }
    return receiver._messageClass.methods.slot(selector)
  }

  /// Follows the forwarding targets to a receiver that has a method for a message.
  ///
  /// - Parameters:
  ///   - receiver: The receiver; replaced by the last forwarding target, if there is any.
  ///   - selector: The message.
  /// - Returns: The method's implementation; nil if the last target has none.
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

  /// The error of a message without a method.
  ///
  /// Most such errors are caught unread: names are compared, and the class's table is read, when
  /// the message is.
  static func unrecognized(
    _ selector: Selector?, _ receiver: any MessageReceiver
  ) -> MessageError {
    let itself = receiver._messageClass
    let (own, isClassItself) = (itself.own.name, itself.isClassItself)
    let known = itself.methods.names
    // SAFETY: a metatype is immutable.
    nonisolated(unsafe) let receiverType = type(of: receiver)
    return MessageError(.unrecognizedSelector, subject: selector?.name) {
      let owner: AnyClass = unsafe receiverType.methods.owner
      let table =
        unsafe Implementation.inherits(receiverType, from: owner)
        ? "" : "; its table says that it is \(owner)'s"
      let name = isClassItself ? "the class \(own)" : "an instance of \(own)"
      let hint = Spelling.nearest(to: selector?.name ?? "", in: known())
      return
        "\(selector?.name ?? "a message without a selector") was sent to \(name), which has no method "
        + "for it and forwards it to nobody\(table)\(hint.map { "; did you mean \($0)?" } ?? "")"
    }
  }
}

// MARK: - Messages whose Swift types are the method's

// SAFETY: slots are never freed; a hazard pointer protects the implementation until `leave`, or the
// implementation is permanent. `leave` must be called once, on the same thread.
/// An implementation that a message is about to enter: it is protected until `leave`.
@unsafe
@usableFromInline
struct EnteredMethod {
  @usableFromInline let implementation: UnsafeRawPointer?

  /// Whether the cache knows that there is no implementation.
  @usableFromInline let isAbsent: Bool

  /// The hazard pointer that protects the implementation; nil if none is needed.
  @usableFromInline let hazard: UnsafeMutableRawPointer?

  /// Finds the implementation, if the cache has its slot.
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

  /// Whether there is an implementation of the class at an address, and not one that each instance
  /// may have.
  @usableFromInline
  static func isOfClass(_ implementation: UnsafeRawPointer) -> Bool {
    unsafe implementation
      != UnsafeRawPointer(
        Unmanaged.passUnretained(InstanceDispatch.shared).toOpaque())
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
