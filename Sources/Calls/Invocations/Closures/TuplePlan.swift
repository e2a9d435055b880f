/// The plan of a message's memory, which has a tuple of numbers in place of registers: the sender's
/// tuple, that a method's closure takes as it is.
///
/// The memory begins with the receiver, the selector, and a word for the answer. The tuple follows,
/// and after it another word, because numbers of all sizes are copied as whole words.
@safe
@usableFromInline
package final class TuplePlan: Sendable {
  /// The offsets of the answer and of the tuple, and the greatest number of arguments.
  @inlinable package static var answerOffset: Int { 16 }
  @inlinable package static var tupleOffset: Int { 24 }
  @inlinable package static var most: Int { 8 }

  private struct Number {
    let tuple: Int
    let registers: Int
  }

  // SAFETY: initialised in `init`, never written again, and freed in `deinit`. The offsets are
  // those of elements of the tuple, and of the memory of the interface's calls.
  nonisolated(unsafe) private let numbers: UnsafeMutableBufferPointer<Number>

  /// The plan by which frames find the numbers in the tuple.
  nonisolated(unsafe) package let plan: UnsafePointer<CallPlan>

  /// The signature of the calls.
  private let interface: CallInterface

  /// Finds the places of a tuple's elements; nil if the calls take other arguments than these
  /// numbers, or more than registers.
  ///
  /// - Parameters:
  ///   - elements: The offset and the kind of each element, in the order of the offsets.
  ///   - interface: The signature of the calls, whose first two arguments are not in the tuple.
  package init?(_ elements: [(offset: Int, kind: ScalarKind)], _ interface: CallInterface) {
    // SAFETY: nothing is called; the interface owns its plan.
    let call = unsafe ScalarCall(interface.plan, UnsafeRawPointer(interface.plan))
    guard elements.count <= Self.most, interface.argumentCount == elements.count + 2,
      interface.resultNumber != .none || interface.resultLayout == nil,
      unsafe call.isPlain(interface.argumentCount)
    else { return nil }
    for (index, element) in elements.enumerated() {
      guard element.kind != .none, interface.number(ofArgument: index + 2).kind == element.kind
      else { return nil }
    }
    let offsets = [0, 8] + elements.map { Self.tupleOffset + $0.offset }
    unsafe numbers = .allocate(capacity: offsets.count)
    var places: [CallPlan.Place] = []
    for (index, offset) in offsets.enumerated() {
      let registers = interface.number(ofArgument: index)
      unsafe numbers.initializeElement(
        at: index, to: Number(tuple: offset, registers: registers.offset))
      places.append(CallPlan.Place(offset: Int32(offset), scalar: registers.kind))
    }
    var plan = unsafe CallPlan()
    unsafe plan.interface = .passUnretained(interface)
    unsafe plan.hasResult = interface.plan.pointee.hasResult
    unsafe plan.resultScalar = interface.resultNumber
    unsafe plan.mayReturnPointer = interface.plan.pointee.mayReturnPointer
    unsafe plan.resultOffset = Self.answerOffset
    unsafe plan.lacksRegisters = true
    unsafe plan.tupleIsNarrow = zip(offsets, offsets.dropFirst()).contains { $1 - $0 < 8 }
    unsafe self.plan = plan.allocated(with: places)
    self.interface = interface
    unsafe UnsafeMutablePointer(mutating: self.plan).pointee.tuple = .passUnretained(self)
  }

  /// The elements of the tuple of numbers that the calls of an interface take.
  package static func elements(
    of interface: CallInterface
  ) -> [(offset: Int, kind: ScalarKind)] {
    var end = 0
    return (0..<interface.argumentCount).dropFirst(2).map { index in
      let kind = interface.number(ofArgument: index).kind
      let size = max(kind.byteCount, 1)
      let offset = (end + size - 1) / size * size
      end = offset + size
      return (offset, kind)
    }
  }

  /// The kind of the answer; `.none` if there is none.
  package var result: ScalarKind { interface.resultNumber }

  /// Whether the elements of a tuple are those that the plan is for.
  package func isOf(_ elements: [(offset: Int, kind: ScalarKind)]) -> Bool {
    unsafe elements.count + 2 == plan.pointee.argumentCount
      && elements.enumerated().allSatisfy { index, element in
        let place = unsafe plan.place(index + 2).pointee
        return place.scalar == element.kind
          && Int(place.offset) == Self.tupleOffset + element.offset
      }
  }

  deinit {
    unsafe numbers.deallocate()
    unsafe plan.free()
  }

  /// Calls a closure with a copy of a message in memory that has registers, and copies the result
  /// back.
  ///
  /// The unused bytes of a word are any: readers of the memory do not read them, and calls
  /// themselves widen integers of one and two bytes by their sign.
  ///
  /// ## Safety
  /// The message must be one of this plan, which must live until the closure has returned.
  @unsafe
  @usableFromInline
  func withRegisters<Result>(of message: CallMemory, _ body: (CallMemory) -> Result) -> Result {
    // SAFETY: the memory has room for the registers, and is valid during the closure.
    unsafe withUnsafeTemporaryAllocation(
      byteCount: ScalarCall.registerBytes, alignment: 16
    ) { bytes in
      let registers = unsafe CallMemory(bytes.baseAddress.unsafelyUnwrapped, interface.plan)
      for index in unsafe numbers.indices {
        let number = unsafe numbers[index]
        let word = unsafe message.address.loadUnaligned(
          fromByteOffset: number.tuple, as: UInt64.self)
        unsafe registers.address.storeBytes(
          of: word, toByteOffset: number.registers, as: UInt64.self)
      }
      let (answer, result) = unsafe (message.resultWord, registers.resultWord)
      unsafe result.storeBytes(of: answer.load(as: UInt64.self), as: UInt64.self)
      let outcome = unsafe body(registers)
      unsafe answer.storeBytes(of: result.load(as: UInt64.self), as: UInt64.self)
      return outcome
    }
  }

  /// Calls a closure with a message of this plan, copied from the memory of a call that has
  /// registers, and copies the answer back, if there is one.
  ///
  /// ## Safety
  /// The memory must be that of a call of the interface.
  @unsafe
  @inline(never)
  package func withMessage<Result>(
    from registers: CallMemory, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result {
    // SAFETY: each number takes at most eight bytes of the tuple, and another word follows. The
    // words at the greater offsets are copied last.
    unsafe withUnsafeTemporaryAllocation(
      byteCount: Self.tupleOffset + 8 * (Self.most + 1), alignment: 8
    ) { bytes in
      let message = unsafe bytes.baseAddress.unsafelyUnwrapped
      unsafe message.storeBytes(of: 0, toByteOffset: Self.answerOffset, as: UInt64.self)
      for index in unsafe numbers.indices {
        let number = unsafe numbers[index]
        let word = unsafe registers.address.load(fromByteOffset: number.registers, as: UInt64.self)
        unsafe message.storeBytes(of: word, toByteOffset: number.tuple, as: UInt64.self)
      }
      let outcome = unsafe body(message)
      if unsafe plan.pointee.hasResult {
        let word = unsafe message.load(fromByteOffset: Self.answerOffset, as: UInt64.self)
        unsafe registers.resultWord.storeBytes(of: word, as: UInt64.self)
      }
      return outcome
    }
  }
}

extension CallMemory {
  // SAFETY: throughout, the plan says where the values are.

  /// The word of a result that is a number; the call must have one of at most eight bytes.
  var resultWord: UnsafeMutableRawPointer { unsafe address + plan.pointee.resultOffset }

  /// Calls a closure with this memory, or, if that is a message's, with a copy that has registers,
  /// whose result is copied back.
  @inlinable
  @inline(__always)
  package func inRegisters<Result>(_ body: (CallMemory) -> Result) -> Result {
    guard let tuple = unsafe plan.pointee.tuple else { return unsafe body(self) }
    return unsafe tuple._withUnsafeGuaranteedRef { unsafe $0.withRegisters(of: self, body) }
  }
}
