internal import Invocations

/// The places of a message's arguments in a tuple, if all of them are numbers.
@safe
struct NumberArguments: Sendable {
  private struct Number {
    let offset: Int
    let kind: ScalarKind
  }

  // SAFETY: the memory is initialised before the property is set, never written again, and never
  // freed. Offsets are those of elements of the tuple type, each of which is a number of the kind;
  // callers pass the memory of such a tuple, and that of a call of the interface.
  nonisolated(unsafe) private let numbers: UnsafePointer<Number>
  private let count: Int

  /// Creates the places; nil if some argument is not a number.
  init?(_ arguments: [ArgumentTypes.Argument]) {
    guard arguments.allSatisfy({ $0.number != .none }) else { return nil }
    count = arguments.count
    let memory = UnsafeMutablePointer<Number>.allocate(capacity: max(count, 1))
    for (index, argument) in arguments.enumerated() {
      unsafe (memory + index).initialize(to: Number(offset: argument.offset, kind: argument.number))
    }
    unsafe numbers = unsafe UnsafePointer(memory)
  }

  /// Copies the arguments of a call, which follow receiver and selector, to a tuple.
  ///
  /// - Returns: False, and the tuple is not initialised, if the call's arguments have other types.
  func read(
    into tuple: UnsafeMutableRawPointer, from memory: CallMemory, _ interface: CallInterface
  ) -> Bool {
    guard interface.argumentCount >= count + 2 else { return false }
    for index in 0..<count {
      let number = unsafe numbers[index]
      let place = interface.number(ofArgument: index + 2)
      guard place.kind == number.kind else { return false }
      let (source, target) = unsafe (memory.address + place.offset, tuple + number.offset)
      switch number.kind {
      case .int64, .uint64, .double, .pointer:
        unsafe target.storeBytes(of: source.load(as: UInt64.self), as: UInt64.self)
      case .int32, .uint32, .float:
        unsafe target.storeBytes(of: source.load(as: UInt32.self), as: UInt32.self)
      case .int16, .uint16:
        unsafe target.storeBytes(of: source.load(as: UInt16.self), as: UInt16.self)
      case .int8, .uint8:
        unsafe target.storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
      case .none: return false
      }
    }
    return true
  }

  /// The greatest number of arguments that `run` takes.
  private static let most = 8

  /// Runs a method's closure in a call whose arguments are of these types.
  ///
  /// - Parameters:
  ///   - closure: The closure, whose result is a number, or nothing.
  ///   - receiver: The receiver.
  ///   - frame: The call.
  ///   - hasResult: Whether there is a result, which becomes the call's.
  /// - Returns: False, and the closure was not run, if the call's arguments have other types.
  /// - Throws: The closure's error.
  func run(
    _ closure: ClosureCode, _ receiver: AnyObject, _ frame: inout CallFrame, hasResult: Bool
  ) throws -> Bool {
    guard count <= Self.most, frame.maySetResult else { return false }
    let memory = unsafe frame.memory
    // SAFETY: each number takes at most eight bytes of the tuple, and so does the result, whose
    // memory follows.
    let outcome = unsafe try withUnsafeTemporaryAllocation(
      byteCount: 8 * (Self.most + 1), alignment: 8
    ) { bytes -> UInt64? in
      let tuple = unsafe bytes.baseAddress.unsafelyUnwrapped
      guard frame.withInterface({ unsafe read(into: tuple, from: memory, $0) }) else { return nil }
      let result = unsafe tuple + 8 * Self.most
      unsafe result.storeBytes(of: 0, as: UInt64.self)
      if let error = unsafe closure.run(receiver, tuple, result) { throw error }
      return unsafe result.load(as: UInt64.self)
    }
    guard let outcome else { return false }
    if hasResult { _ = frame.setResultWord(outcome) }
    return true
  }

  /// Copies a tuple's elements to the arguments of a call, each to a whole word.
  ///
  /// The call itself widens integers of one and two bytes by their sign.
  ///
  /// - Returns: False if the call takes other arguments.
  func write(
    _ tuple: UnsafeRawPointer, to memory: CallMemory, _ interface: CallInterface
  ) -> Bool {
    guard interface.argumentCount == count + 2 else { return false }
    for index in 0..<count {
      let number = unsafe numbers[index]
      let place = interface.number(ofArgument: index + 2)
      guard place.kind == number.kind else { return false }
      let source = unsafe tuple + number.offset
      let word: UInt64 =
        switch number.kind {
        case .int64, .uint64, .double, .pointer: unsafe source.load(as: UInt64.self)
        case .int32, .uint32, .float: UInt64(unsafe source.load(as: UInt32.self))
        case .int16, .uint16: UInt64(unsafe source.load(as: UInt16.self))
        case .int8, .uint8: UInt64(unsafe source.load(as: UInt8.self))
        case .none: 0
        }
      unsafe (memory.address + place.offset).storeBytes(of: word, as: UInt64.self)
    }
    return true
  }
}
