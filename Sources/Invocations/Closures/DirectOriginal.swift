private import CInvocations.HazardPointers

/// An original in Swift, which handlers proceed to without C code in between.
package protocol DirectOriginal: AnyObject, Sendable {
  /// Runs the original with the arguments in a call's memory, where it leaves its result.
  ///
  /// - Parameter memory: The memory of the call that proceeds.
  /// - Returns: What came of it.
  func run(_ memory: CallMemory) -> DirectOutcome
}

/// How an original in Swift has run.
package enum DirectOutcome {
  /// The result is in the call's memory.
  case returned

  /// The original threw an error; there is no result.
  case threw(any Error)

  /// Nothing has run: the call must enter the original's code.
  case refused
}

/// The numbers of a tuple, as the arguments of calls that use registers only.
///
/// Numbers of all sizes are copied as whole words, without branches: the words at the greater
/// offsets are copied last. So the memory of a tuple has another word after it.
@safe
@usableFromInline
package final class TupleInRegisters: Sendable {
  @usableFromInline
  struct Number {
    @usableFromInline let tuple: Int32
    @usableFromInline let memory: Int32
  }

  // SAFETY: initialised in `init`, never written again, and freed in `deinit`. The offsets are those
  // of elements of the tuple, and of the memory of the interface's calls; callers pass such ones.
  @usableFromInline nonisolated(unsafe) let numbers: UnsafePointer<Number>
  @usableFromInline nonisolated(unsafe) let end: UnsafePointer<Number>

  /// Finds the places of a tuple's elements; nil if the calls take other arguments than these
  /// numbers, or more than registers.
  ///
  /// - Parameters:
  ///   - elements: The offset and the kind of each element, in the order of the offsets.
  ///   - interface: The signature of the calls, whose first two arguments are not in the tuple.
  package init?(_ elements: [(offset: Int, kind: ScalarKind)], _ interface: CallInterface) {
    // SAFETY: nothing is called.
    let call = unsafe ScalarCall(interface.plan, UnsafeRawPointer(interface.plan))
    guard interface.argumentCount == elements.count + 2,
      unsafe call.isPlain(interface.argumentCount)
    else { return nil }
    for (index, element) in elements.enumerated() {
      guard element.kind != .none, interface.number(ofArgument: index + 2).kind == element.kind
      else { return nil }
    }
    let numbers = UnsafeMutablePointer<Number>.allocate(capacity: max(elements.count, 1))
    for (index, element) in elements.enumerated() {
      let place = interface.number(ofArgument: index + 2)
      unsafe (numbers + index).initialize(
        to: Number(tuple: Int32(element.offset), memory: Int32(place.offset)))
    }
    unsafe self.numbers = unsafe UnsafePointer(numbers)
    unsafe end = unsafe UnsafePointer(numbers + elements.count)
  }

  deinit { unsafe numbers.deallocate() }

  /// Copies the elements to the memory of a call, each to a whole word.
  ///
  /// The other bytes of the word are any: readers of the memory do not read them, and the call
  /// itself widens integers of one and two bytes by their sign.
  @inline(__always)
  fileprivate func write(_ tuple: UnsafeRawPointer, to memory: UnsafeMutableRawPointer) {
    var number = unsafe numbers
    while unsafe number < end {
      let word = unsafe tuple.loadUnaligned(
        fromByteOffset: Int(number.pointee.tuple), as: UInt64.self)
      unsafe memory.storeBytes(
        of: word, toByteOffset: Int(number.pointee.memory), as: UInt64.self)
      unsafe number += 1
    }
  }

  /// Copies the arguments of a call to a tuple.
  @inlinable
  @inline(__always)
  package func read(into tuple: UnsafeMutableRawPointer, from memory: CallMemory) {
    var number = unsafe numbers
    while unsafe number < end {
      let word = unsafe memory.address.load(
        fromByteOffset: Int(number.pointee.memory), as: UInt64.self)
      unsafe tuple.storeBytes(
        of: word, toByteOffset: Int(number.pointee.tuple), as: UInt64.self)
      unsafe number += 1
    }
  }
}

extension CallMemory {
  // SAFETY: throughout, the plan says where the values are.

  /// Argument 0 of a message, an object or nil.
  @inlinable
  @inline(__always)
  package var receiver: UnsafeRawPointer? {
    unsafe address.load(
      fromByteOffset: Int(plan.place(0).pointee.offset), as: UnsafeRawPointer?.self)
  }

  /// The word of a result that is a number; the call must have one of at most eight bytes.
  @inlinable
  @inline(__always)
  package var resultWord: UnsafeMutableRawPointer {
    unsafe address + plan.pointee.resultOffset
  }
}

/// The calls of an entry that Swift makes without the entry's code.
@safe
package final class DirectEntry: Sendable {
  // SAFETY: the addresses are those of memory that the entry, and the interface that it retains,
  // own.
  nonisolated(unsafe) fileprivate let place: UnsafePointer<UnsafeRawPointer?>
  nonisolated(unsafe) fileprivate let plan: UnsafePointer<CallPlan>
  fileprivate let numbers: TupleInRegisters
  private let entry: CallEntry

  /// - Parameters:
  ///   - entry: The entry.
  ///   - numbers: The places of the arguments, in calls of the entry's interface.
  package init(_ entry: CallEntry, _ numbers: TupleInRegisters) {
    unsafe place = unsafe entry.receiverPlace
    unsafe plan = unsafe entry.interface.plan
    self.numbers = numbers
    self.entry = entry
  }
}

extension EnteredCall {
  /// Makes a call of an entry's current receiver, with its memory on the stack.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - hazard: A hazard pointer of this thread that protects an owner of the entry, and then the
  ///     entry's receiver, until the caller clears it.
  ///   - receiver: Argument 0.
  ///   - selector: Argument 1.
  ///   - tuple: The other arguments.
  ///   - errorPlace: A variable of this thread which, during the call, has the address of a variable
  ///     for the call's error.
  /// - Returns: The error, if there is one, and the result, if it is a number.
  ///
  /// ## Safety
  /// The tuple must be one that the entry's numbers were made for, and have another word after it;
  /// the result must be a number, or nothing. The owner of the entry may be freed during the call.
  @unsafe
  package static func make(
    _ entry: DirectEntry, _ hazard: UnsafeMutableRawPointer, _ receiver: AnyObject,
    _ selector: Selector, _ tuple: UnsafeRawPointer,
    _ errorPlace: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> (error: (any Error)?, answer: UInt64) {
    // SAFETY: the memory has room for the registers, and is valid during the closure; the plan lives
    // as long as the receiver, whose interface it is. The place of the error is replaced by the
    // outer one before the variable ends.
    let plan = unsafe entry.plan
    let outer = unsafe errorPlace.pointee
    var error: (any Error)?
    let word = unsafe withUnsafeMutablePointer(to: &error) { error in
      unsafe withUnsafeTemporaryAllocation(
        byteCount: ScalarCall.registerBytes, alignment: 16
      ) { bytes in
        let address = unsafe bytes.baseAddress.unsafelyUnwrapped
        let memory = unsafe CallMemory(address, plan)
        // Without a result, a call returns zero.
        unsafe memory.resultWord.storeBytes(of: 0, as: UInt64.self)
        unsafe entry.numbers.write(tuple, to: address)
        unsafe memory.setMessage(receiver, selector)
        unsafe errorPlace.pointee = UnsafeMutableRawPointer(error)
        unsafe run(entry.place, address, hazard.assumingMemoryBound(to: cbr_hazard.self))
        unsafe errorPlace.pointee = unsafe outer
        return unsafe memory.resultWord.load(as: UInt64.self)
      }
    }
    return (error, word)
  }
}
