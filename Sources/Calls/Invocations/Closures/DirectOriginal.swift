private import CInvocations.HazardPointers

/// An original in Swift, which handlers proceed to without C code in between.
///
/// The closure takes the call that proceeds, reads the arguments in the call's memory, leaves the
/// result there, and calls `didReturn` or `didThrow`. It returns false, and has run nothing, if the
/// call must enter the original's code.
package typealias DirectOriginal = @Sendable (_ frame: inout CallFrame) -> Bool

extension CallFrame {
  /// Notes that an original in Swift has returned.
  ///
  /// Nothing is retained for its result, which is a number.
  @inlinable
  @inline(__always)
  package mutating func didReturn() { unsafe outcome.setHasResult() }
}

/// The calls of an entry that Swift makes without the entry's code.
@safe
package final class DirectEntry: Sendable {
  // SAFETY: the address is that of memory that the entry owns. The plan, whose owner is that of the
  // original, is not retained: this object may end during its calls.
  nonisolated(unsafe) fileprivate let place: UnsafePointer<UnsafeRawPointer?>
  nonisolated(unsafe) fileprivate let plan: UnsafePointer<CallPlan>
  private let entry: CallEntry

  /// - Parameters:
  ///   - entry: The entry.
  ///   - plan: The plan of the messages, which the original inside of all levels must retain.
  package init(_ entry: CallEntry, _ plan: TuplePlan) {
    unsafe place = unsafe entry.receiverPlace
    unsafe self.plan = unsafe plan.plan
    self.entry = entry
  }
}

extension EnteredCall {
  /// Makes a call of an entry's current receiver, whose memory is that of a message.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - hazard: A hazard pointer of this thread that protects an owner of the entry, and then the
  ///     entry's receiver; it is cleared.
  ///   - message: The message, as `TuplePlan` describes it.
  ///   - errorPlace: A variable of this thread which, during the call, has the call's error.
  /// - Returns: What the variable has at the end of the call, null if there is no error.
  ///
  /// ## Safety
  /// The message's tuple must be one that the entry's plan was made for; the result must be a
  /// number, or nothing. The owner of the entry may be freed during the call.
  @unsafe
  package static func make(
    _ entry: DirectEntry, _ hazard: UnsafeMutableRawPointer, _ message: UnsafeMutableRawPointer,
    _ errorPlace: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> UnsafeMutableRawPointer? {
    // SAFETY: the plan lives as long as the receiver, whose original retains it. The hazard pointer
    // is cleared once.
    let hazard = unsafe hazard.assumingMemoryBound(to: cbr_hazard.self)
    let memory = unsafe CallMemory(message, entry.plan)
    let outer = unsafe errorPlace.pointee
    unsafe errorPlace.pointee = nil
    if unsafe !memory.plan.pointee.tupleIsNarrow {
      unsafe run(entry.place, memory, hazard)
    } else {
      unsafe runInRegisters(entry.place, memory, hazard)
    }
    let error = unsafe errorPlace.pointee
    unsafe errorPlace.pointee = unsafe outer
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return unsafe error
  }

  /// Runs a call whose tuple has no room for changes of its elements, which take whole words.
  @inline(never)
  private static func runInRegisters(
    _ place: UnsafePointer<UnsafeRawPointer?>, _ memory: CallMemory,
    _ hazard: UnsafeMutablePointer<cbr_hazard>
  ) {
    unsafe memory.inRegisters { unsafe run(place, $0, hazard) }
  }
}
