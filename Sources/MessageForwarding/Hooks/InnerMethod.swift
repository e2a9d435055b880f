private import CMessageForwarding.Messages
internal import Invocations

/// The method inside of a chain of hooks: what the class has, or inherits, when a call comes to it.
@safe
final class InnerMethod: DirectOriginal {
  private let selector: Selector
  private let interface: CallInterface
  private let place: MethodSlot.Place

  /// The types that the method had when it was hooked, if they are numbers.
  let numbers: MethodNumbers?

  /// The places of these numbers in calls that use registers only; nil for other calls.
  let registers: TupleInRegisters?

  /// The greatest number of arguments that are passed directly.
  private static var most: Int { 8 }

  // SAFETY: addresses of classes are only compared; this object retains the places.
  /// What calls read, without counting references.
  nonisolated(unsafe) private let direct: Direct?

  @unsafe
  private struct Direct {
    /// The class of implementations with the types that the method had.
    let implementationClass: UnsafeRawPointer

    /// The class of the receivers.
    let receiverClass: UnsafeRawPointer
    let registers: Unmanaged<TupleInRegisters>
    let hasResult: Bool
  }

  init(
    _ selector: Selector, _ interface: CallInterface, _ numbers: MethodNumbers?,
    _ place: MethodSlot.Place, _ receiverClass: AnyClass
  ) {
    self.selector = selector
    self.interface = interface
    self.numbers = numbers
    self.place = place
    registers = numbers.flatMap {
      guard $0.result == interface.resultNumber, $0.elements.count <= Self.most else { return nil }
      return TupleInRegisters($0.elements, interface)
    }
    unsafe direct =
      if let numbers, let registers {
        unsafe Direct(
          implementationClass: unsafeBitCast(numbers.implementation, to: UnsafeRawPointer.self),
          receiverClass: unsafeBitCast(receiverClass, to: UnsafeRawPointer.self),
          registers: .passUnretained(registers), hasResult: numbers.result != .none)
      } else {
        nil
      }
  }

  /// Runs the method in a call that has entered its code.
  ///
  /// - Throws: `typeMismatch`, `unrecognizedSelector`, and what the method throws.
  func run(_ frame: inout CallFrame) throws {
    let found: Void? = try place.withImplementation { implementation in
      // The implementation may have been replaced since the hooks were installed.
      guard try implementation.withInterface({ $0.isCalled(as: interface) }) else {
        let own = try implementation.interface
        throw MessageError(
          .typeMismatch,
          "\(selector) was replaced while it was sent, by a method of another signature "
            + "(\(own.signature)) than the hooked one (\(interface.signature)); send it again",
          selector: selector)
      }
      try implementation.run(&frame)
    }
    guard found != nil else {
      throw MessageError(
        .unrecognizedSelector, "`\(selector)`: the hooked method was removed",
        selector: selector)
    }
  }

  /// Runs the method in a call that proceeds to it, if it is a closure of the same numbers.
  func run(_ memory: CallMemory) -> DirectOutcome {
    // SAFETY: the implementation is protected until `leave`. Argument 0 of a method is an object or
    // null, which the sender or the handler that set it keeps alive; an object begins with the
    // address of its class. Each number takes at most eight bytes of the tuple.
    guard let direct = unsafe direct else { return .refused }
    let entered = unsafe place.enter()
    defer { unsafe entered.leave() }
    guard let implementation = unsafe entered.what,
      unsafe implementation.load(as: UnsafeRawPointer.self) == direct.implementationClass,
      let receiver = unsafe memory.receiver,
      unsafe receiver.load(as: UnsafeRawPointer.self) == direct.receiverClass
        || Self.isReceiver(receiver, of: implementation)
    else { return .refused }
    // Only the bytes of the result's type are written, and only if there is a result.
    let result = unsafe memory.resultWord
    if unsafe direct.hasResult { unsafe result.storeBytes(of: 0, as: UInt64.self) }
    let error = unsafe withUnsafeTemporaryAllocation(
      byteCount: 8 * (Self.most + 1), alignment: 8
    ) { bytes in
      let tuple = unsafe bytes.baseAddress.unsafelyUnwrapped
      unsafe direct.registers._withUnsafeGuaranteedRef { unsafe $0.read(into: tuple, from: memory) }
      return ThrownErrors.collect {
        unsafe ClosureImplementation.run(implementation, receiver, tuple, result)
      }
    }
    return error.map { .threw($0) } ?? .returned
  }

  /// Whether an implementation takes an object as receiver; the class of most is the hooked one.
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
