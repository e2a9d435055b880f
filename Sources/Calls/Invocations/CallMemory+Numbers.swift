extension CallMemory {
  // SAFETY: the plan says which offsets of the memory hold which numbers, each in a whole word.

  /// Stores a number described at run time as an argument that has its type.
  ///
  /// - Returns: False, and nothing is stored, if the argument is not a number of that type, or the
  ///   number needs a conversion or does not fit.
  func storeNumber(_ value: CValue, at index: Int) -> Bool {
    let place = unsafe plan.place(index).pointee
    let target = unsafe address + Int(place.offset)
    switch (place.scalar, value) {
    case (.double, .double(let number)): unsafe ScalarKind.store(number, at: target)
    case (.float, .float(let number)): unsafe ScalarKind.store(number, at: target)
    case (_, .integer(let number)): return unsafe Self.store(number, place.scalar, at: target)
    default: return false
    }
    return true
  }

  private static func store(
    _ number: Int128, _ kind: ScalarKind, at target: UnsafeMutableRawPointer
  ) -> Bool {
    switch kind {
    case .int8: unsafe store(Int8(exactly: number), at: target)
    case .uint8: unsafe store(UInt8(exactly: number), at: target)
    case .int16: unsafe store(Int16(exactly: number), at: target)
    case .uint16: unsafe store(UInt16(exactly: number), at: target)
    case .int32: unsafe store(Int32(exactly: number), at: target)
    case .uint32: unsafe store(UInt32(exactly: number), at: target)
    case .int64: unsafe store(Int64(exactly: number), at: target)
    case .uint64: unsafe store(UInt64(exactly: number), at: target)
    case .none, .float, .double, .pointer: false
    }
  }

  @inline(__always)
  private static func store<Number>(
    _ number: Number?, at target: UnsafeMutableRawPointer
  ) -> Bool {
    guard let number else { return false }
    unsafe ScalarKind.store(number, at: target)
    return true
  }

  /// The result as a value described at run time, if it is a number of at most eight bytes; nil for
  /// all other results.
  var numberResult: CValue? {
    switch unsafe plan.pointee.resultScalar {
    case .int8: .integer(Int128(unsafe resultAddress.load(as: Int8.self)))
    case .uint8: .integer(Int128(unsafe resultAddress.load(as: UInt8.self)))
    case .int16: .integer(Int128(unsafe resultAddress.load(as: Int16.self)))
    case .uint16: .integer(Int128(unsafe resultAddress.load(as: UInt16.self)))
    case .int32: .integer(Int128(unsafe resultAddress.load(as: Int32.self)))
    case .uint32: .integer(Int128(unsafe resultAddress.load(as: UInt32.self)))
    case .int64: .integer(Int128(unsafe resultAddress.load(as: Int64.self)))
    case .uint64: .integer(Int128(unsafe resultAddress.load(as: UInt64.self)))
    case .float: .float(unsafe resultAddress.load(as: Float.self))
    case .double: .double(unsafe resultAddress.load(as: Double.self))
    case .none, .pointer: nil
    }
  }
}

extension ScalarCall {
  /// Makes the call with numbers described at run time, in memory on the stack.
  ///
  /// - Parameters:
  ///   - values: The arguments, without the block itself.
  ///   - owner: The owner of the plan and the code.
  /// - Returns: The result, `.void` if there is none; nil, and nothing is called, if the call takes
  ///   more than numbers that need no conversion.
  func make<Owner>(values: [CValue], keeping owner: Owner) -> CValue? {
    let hidden = unsafe receiver == nil ? 0 : 1
    guard unsafe isPlain(values.count + hidden),
      unsafe !plan.pointee.hasResult || plan.pointee.resultScalar.isNumber
    else { return nil }
    return unsafe withMemory({ unsafe $0 }) { address in
      let memory = unsafe CallMemory(address, plan)
      for index in values.indices {
        guard unsafe memory.storeNumber(values[index], at: index + hidden) else { return nil }
      }
      unsafe call(address, keeping: owner)
      return unsafe memory.numberResult ?? .void
    }
  }
}

extension CallInterface {
  /// Whether the result is a number of a Swift type.
  package func hasNumberResult(_ type: Any.Type) -> Bool {
    switch resultNumber {
    case .int32: type == Int32.self
    case .double: type == Double.self
    case .int64: type == Int.self || type == Int64.self
    case .uint64: type == UInt.self || type == UInt64.self
    case .uint32: type == UInt32.self
    case .float: type == Float.self
    case .int8: type == Int8.self
    case .uint8: type == UInt8.self
    case .int16: type == Int16.self
    case .uint16: type == UInt16.self
    case .none, .pointer: false
    }
  }

  /// Calls a closure with the memory of a call on the stack, if calls use registers only.
  ///
  /// - Parameter body: Sets all arguments, and makes the call.
  /// - Returns: Whether the closure was called.
  @discardableResult
  package func withRegisterMemory(_ body: (CallMemory) -> Void) -> Bool {
    // SAFETY: nothing is called; the memory is that of a plain call, and is valid during the
    // closure.
    let call = unsafe ScalarCall(plan, UnsafeRawPointer(plan))
    guard unsafe call.isPlain(argumentCount) else { return false }
    unsafe call.withMemory({ unsafe $0 }) { address in unsafe body(CallMemory(address, plan)) }
    return true
  }
}

extension ScalarKind {
  fileprivate var isNumber: Bool { self != .none && self != .pointer }
}
