private import CMessageForwarding.Messages
internal import Invocations

/// What a run of hooks encloses: the class's own or inherited method, with the hooks of the other
/// kind that are inside of the run.
@safe
final class InnerMethod: Sendable {
  private let selector: Selector
  private let interface: CallInterface
  private let place: MethodSlot.Place

  /// The owner of `place`; nil if that is a slot's.
  private let ownPlace: InnerPlace?

  /// The types that the method had when it was hooked, if they are numbers.
  let numbers: MethodNumbers?

  /// The plan of messages whose types are numbers; nil if the types are others, or calls use more
  /// than registers.
  let plan: TuplePlan?

  // SAFETY: addresses of classes are only compared; this object retains the places.
  /// What `runDirectly` compares, as addresses, so that calls count no references; nil if calls
  /// cannot take that way.
  nonisolated(unsafe) private let direct: Direct?

  @unsafe
  private struct Direct {
    /// The class of implementations with the types that the method had.
    let implementationClass: UnsafeRawPointer

    /// The class of the receivers.
    let receiverClass: UnsafeRawPointer

    /// The plan of messages.
    let plan: UnsafePointer<CallPlan>
  }

  init(
    _ selector: Selector, _ interface: CallInterface, _ numbers: MethodNumbers?,
    _ place: MethodSlot.Place?, _ receiverClass: AnyClass
  ) {
    self.selector = selector
    self.interface = interface
    self.numbers = numbers
    let ownPlace = InnerPlace()
    self.ownPlace = place == nil ? ownPlace : nil
    self.place = place ?? ownPlace.place
    plan = Self.plan(numbers, interface)
    // Only for a slot's place: an own place may hold a typed hook that was removed, which
    // `Implementation.run` checks and this way does not.
    unsafe direct =
      if place != nil, let numbers, let plan {
        unsafe Direct(
          implementationClass: unsafeBitCast(numbers.implementation, to: UnsafeRawPointer.self),
          receiverClass: unsafeBitCast(receiverClass, to: UnsafeRawPointer.self), plan: plan.plan)
      } else {
        nil
      }
  }

  private static func plan(_ numbers: MethodNumbers?, _ interface: CallInterface) -> TuplePlan? {
    guard let numbers else { return TuplePlan(TuplePlan.elements(of: interface), interface) }
    return numbers.result == interface.resultNumber ? TuplePlan(numbers.elements, interface) : nil
  }

  /// Sets the implementation in an own place; in a slot, the class sets it.
  func set(_ implementation: Implementation, _ replaced: inout ReplacedMethods) {
    if let last = ownPlace?.place.set(implementation) { replaced.implementations.append(last) }
  }

  /// Runs the method in a call that has entered its code.
  ///
  /// - Throws: `typeMismatch`, `unrecognizedSelector`, and what the method throws.
  func run(_ frame: inout CallFrame) throws {
    let found: Void? = try place.withImplementation { implementation in
      // Only what an own place holds can have a typed hook's gate around it.
      if ownPlace != nil { HookGate.close(before: implementation) }
      // The implementation may have been replaced since the hooks were installed.
      guard try implementation.withInterface({ $0.isCalled(as: interface) }) else {
        let replacedInterface = try implementation.interface
        throw MessageError(
          .typeMismatch,
          "\(selector) was replaced while it was sent, by a method of another signature "
            + "(\(replacedInterface.signature)) than the hooked one (\(interface.signature)); send it again",
          selector: selector)
      }
      try implementation.run(&frame)
    }
    guard found != nil else {
      throw MessageError(.unrecognizedSelector, of: selector, "the hooked method was removed")
    }
  }

  /// Runs the method in a call that proceeds to it, if it is a closure of the same numbers.
  @Sendable
  func runDirectly(_ frame: inout CallFrame) -> Bool {
    // SAFETY: the plan's address tells the memory of messages from that of calls by code.
    guard let direct = unsafe direct else { return false }
    let memory = unsafe frame.memory
    if unsafe memory.plan == direct.plan { return unsafe run(memory.address, direct, &frame) }
    return unsafe plan?.withMessage(from: memory) { unsafe run($0, direct, &frame) } ?? false
  }

  /// Runs the method with a message of its plan.
  @inline(__always)
  private func run(
    _ message: UnsafeMutableRawPointer, _ direct: Direct, _ frame: inout CallFrame
  ) -> Bool {
    // SAFETY: the implementation is protected until `leave`. Argument 0 of a method is an object or
    // null, which the sender or the handler that set it keeps alive; an object begins with the
    // address of its class.
    let entered = unsafe place.enter()
    defer { unsafe entered.leave() }
    guard let implementation = unsafe entered.what,
      unsafe implementation.load(as: UnsafeRawPointer.self) == direct.implementationClass,
      let receiver = unsafe message.load(as: UnsafeRawPointer?.self),
      unsafe receiver.load(as: UnsafeRawPointer.self) == direct.receiverClass
        || Self.isReceiver(receiver, of: implementation)
    else { return false }
    let error = unsafe ClosureImplementation.run(
      implementation, receiver, message + TuplePlan.tupleOffset, message + TuplePlan.answerOffset)
    if let error { frame.didThrow(error) } else { frame.didReturn() }
    return true
  }

  /// Whether an implementation takes an object as receiver; most receivers are of the hooked class
  /// itself.
  @inline(never)
  private static func isReceiver(
    _ address: UnsafeRawPointer, of implementation: UnsafeRawPointer
  ) -> Bool {
    // SAFETY: the addresses are those of objects that the caller keeps alive.
    let receiver = unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    return unsafe Unmanaged<Implementation>.fromOpaque(implementation)._withUnsafeGuaranteedRef {
      $0.refusal(of: type(of: receiver)) == nil
    }
  }
}
