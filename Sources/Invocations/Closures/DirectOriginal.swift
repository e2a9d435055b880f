private import CInvocations.HazardPointers

/// An original in Swift, which handlers proceed to without C code in between.
package protocol DirectOriginal: AnyObject, Sendable {
  /// Runs the original with the arguments in a call's memory, where it leaves its result.
  ///
  /// - Parameter memory: The memory of the call that proceeds.
  /// - Returns: False, and nothing has run, if the call must enter the original's code.
  /// - Throws: The original's error; there is no result then.
  func run(_ memory: CallMemory) throws -> Bool
}

/// The numbers of a tuple, as the arguments of calls that use registers only.
@safe
package final class TupleInRegisters: Sendable {
  private struct Number {
    let tuple: Int32
    let memory: Int32
    let byteCount: Int32
  }

  // SAFETY: initialised in `init`, never written again, and freed in `deinit`. The offsets are those
  // of elements of the tuple, and of the memory of the interface's calls; callers pass such ones.
  nonisolated(unsafe) private let numbers: UnsafeMutablePointer<Number>
  private let count: Int

  /// Finds the places of a tuple's elements.
  ///
  /// - Parameters:
  ///   - elements: The offset and the kind of each element.
  ///   - interface: The signature of the calls, whose first two arguments are not in the tuple.
  /// - Returns: Nil if the calls take other arguments than these numbers, or more than registers.
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
    count = elements.count
    unsafe numbers = .allocate(capacity: max(count, 1))
    for (index, element) in elements.enumerated() {
      let place = interface.number(ofArgument: index + 2)
      unsafe (numbers + index).initialize(
        to: Number(
          tuple: Int32(element.offset), memory: Int32(place.offset),
          byteCount: Int32(place.kind.byteCount)))
    }
  }

  deinit { unsafe numbers.deallocate() }

  /// Copies the elements to the memory of a call, each to a whole word.
  ///
  /// The call itself widens integers of one and two bytes by their sign.
  @inline(__always)
  fileprivate func write(_ tuple: UnsafeRawPointer, to memory: UnsafeMutableRawPointer) {
    for index in 0..<count {
      let number = unsafe numbers[index]
      let source = unsafe tuple + Int(number.tuple)
      let word: UInt64 =
        switch number.byteCount {
        case 8: unsafe source.load(as: UInt64.self)
        case 4: UInt64(unsafe source.load(as: UInt32.self))
        case 2: UInt64(unsafe source.load(as: UInt16.self))
        default: UInt64(unsafe source.load(as: UInt8.self))
        }
      unsafe (memory + Int(number.memory)).storeBytes(of: word, as: UInt64.self)
    }
  }

  /// Copies the arguments of a call to a tuple.
  package func read(into tuple: UnsafeMutableRawPointer, from memory: CallMemory) {
    for index in 0..<count {
      let number = unsafe numbers[index]
      let source = unsafe memory.address + Int(number.memory)
      let target = unsafe tuple + Int(number.tuple)
      switch number.byteCount {
      case 8: unsafe target.storeBytes(of: source.load(as: UInt64.self), as: UInt64.self)
      case 4: unsafe target.storeBytes(of: source.load(as: UInt32.self), as: UInt32.self)
      case 2: unsafe target.storeBytes(of: source.load(as: UInt16.self), as: UInt16.self)
      default: unsafe target.storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
      }
    }
  }
}

extension CallMemory {
  /// Stores a result that is a number; the call must have one of at most eight bytes.
  package func setResultWord(_ word: UInt64) {
    unsafe (address + plan.pointee.resultOffset).storeBytes(of: word, as: UInt64.self)
  }
}

extension CallEntry {
  /// Makes a call of the current receiver without the entry's code, with its memory on the stack.
  ///
  /// - Parameters:
  ///   - receiver: Argument 0.
  ///   - selector: Argument 1.
  ///   - tuple: The other arguments.
  ///   - numbers: Their places.
  ///   - hazard: A hazard pointer of this thread that protects an owner of the entry, and then the
  ///     entry's receiver, until the caller clears it.
  /// - Returns: The result, if it is a number.
  ///
  /// ## Safety
  /// The tuple must be one that `numbers` was made for, with the entry's interface, and the result
  /// must be a number, or nothing. The owner of the entry may be freed during the call.
  @unsafe
  package func call(
    _ receiver: AnyObject, _ selector: Selector, _ tuple: UnsafeRawPointer,
    _ numbers: TupleInRegisters, by hazard: UnsafeMutableRawPointer
  ) -> UInt64 {
    // SAFETY: the memory has room for the registers, and is valid during the closure; the plan lives
    // as long as the receiver, whose interface it is.
    let plan = unsafe interface.plan
    let place = unsafe receiverPlace
    return unsafe withUnsafeTemporaryAllocation(
      byteCount: ScalarCall.registerBytes, alignment: 16
    ) { bytes in
      let address = unsafe bytes.baseAddress.unsafelyUnwrapped
      unsafe address.initializeMemory(
        as: UInt64.self, repeating: 0, count: ScalarCall.registerBytes / 8)
      let memory = unsafe CallMemory(address, plan)
      unsafe memory.setMessage(receiver, selector)
      unsafe numbers.write(tuple, to: address)
      unsafe EnteredCall.run(place, address, hazard.assumingMemoryBound(to: cbr_hazard.self))
      return unsafe (address + plan.pointee.resultOffset).load(as: UInt64.self)
    }
  }
}
