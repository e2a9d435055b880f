private import CInvocations.CallMemory
internal import TypeEncodings

/// Compiles a signature into a plan of register and stack moves.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
struct PlanCompiler {
  private var places: [CallPlan.Place] = []
  private var moves: [CallPlan.Move] = []
  private var integers = 0
  private var floats = 0
  private var stackEnd = 0

  /// The indices of arguments that registers hold in two pieces, with the indices of their moves.
  private var splits: [(argument: Int, move: Int)] = []

  private static let integerLimit = 6
  private static let floatLimit = 8

  /// Compiles a signature.
  ///
  /// - Returns: The plan, whose moves its owner must free; nil if plans do not support the way in
  ///   which a value is passed.
  /// - Throws: `unsupportedType`.
  static func compile(
    _ signature: MethodSignature, _ arguments: [TypeLayout], _ result: TypeLayout?
  ) throws(InvocationError) -> (plan: CallPlan, places: [CallPlan.Place])? {
    guard CallEngine.hasPlans else { return nil }
    var compiler = PlanCompiler()
    guard let resultPlace = try ResultPlace(signature.result, result) else { return nil }
    if resultPlace.isMemory { compiler.integers = 1 }
    for (argument, layout) in zip(signature.arguments, arguments) {
      guard try compiler.add(argument.encoding.asArgument, layout) else { return nil }
    }
    // SAFETY: the caller takes over the new plan.
    return unsafe compiler.plan(resultPlace, result?.size ?? 0)
  }

  /// Determines the place of an argument.
  ///
  /// - Returns: False if plans do not support the way in which it is passed.
  private mutating func add(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> Bool {
    switch try PassingClass(encoding, layout) {
    case .ignored:
      places.append(CallPlan.Place(offset: 0, scalar: .none))
    case .memory:
      addToStack(encoding, layout)
    case .registers(let classes):
      guard !classes.contains(.none), !classes.contains(.memory) else { return false }
      let wanted = (classes.count { $0 == .integer }, classes.count { $0 == .sse })
      guard !classes.contains(.x87), integers + wanted.0 <= Self.integerLimit,
        floats + wanted.1 <= Self.floatLimit
      else {
        addToStack(encoding, layout)
        return true
      }
      addToRegisters(encoding, classes)
    }
    return true
  }

  private mutating func addToStack(_ encoding: TypeEncoding, _ layout: TypeLayout) {
    let alignment = max(layout.alignment, 8)
    stackEnd = (stackEnd + alignment - 1) / alignment * alignment
    // SAFETY: the offset is a constant.
    unsafe add(encoding, at: CallPlan.stackOffset + stackEnd)
    stackEnd += (layout.size + 7) / 8 * 8
  }

  private mutating func addToRegisters(_ encoding: TypeEncoding, _ classes: [EightbyteClass]) {
    let integer = Int(CBR_MEMORY_INTEGERS) + 8 * integers
    let float = Int(CBR_MEMORY_FLOATS) + 8 * floats
    integers += classes.count { $0 == .integer }
    floats += classes.count { $0 == .sse }
    let isIntegerFirst = classes[0] == .integer
    guard classes.count == 2, classes[0] != classes[1] else {
      return add(encoding, at: isIntegerFirst ? integer : float)
    }
    splits.append((places.count, moves.count))
    moves.append(
      CallPlan.Move(
        kind: .split, offset: Int32(isIntegerFirst ? integer : float),
        upper: Int32(isIntegerFirst ? float : integer)))
    add(encoding, at: 0)
  }

  private mutating func add(_ encoding: TypeEncoding, at offset: Int) {
    places.append(CallPlan.Place(offset: Int32(offset), scalar: ScalarKind(encoding)))
    let kind: CallPlan.Move.Kind
    switch encoding.kind {
    case .int8: kind = .extendInt8
    case .uint8, .bool: kind = .extendUInt8
    case .int16: kind = .extendInt16
    case .uint16: kind = .extendUInt16
    default: return
    }
    moves.append(CallPlan.Move(kind: kind, offset: Int32(offset)))
  }

  private func form(_ result: ResultPlace) -> PlainCall.Form {
    guard integers <= CBR_NARROW_INTEGERS, floats <= CBR_NARROW_FLOATS, result.isNarrow
    else { return .wide }
    return result.offset == CBR_MEMORY_FLOAT_RESULT ? .narrowFloat : .narrow
  }

  private mutating func plan(
    _ result: ResultPlace, _ resultSize: Int
  ) -> (plan: CallPlan, places: [CallPlan.Place]) {
    stackEnd = (stackEnd + 15) / 16 * 16
    // SAFETY: only this function has the new plan.
    var end = unsafe CallPlan.stackOffset + stackEnd
    for (argument, move) in splits {
      places[argument].offset = Int32(end)
      moves[move].piece = Int32(end)
      end += 16
    }
    var plan = unsafe CallPlan(moves: moves)
    if splits.isEmpty, stackEnd == 0, result.kind == CBR_RESULT_PLAIN {
      unsafe plan.plainCall = unsafe PlainCall(form(result), floats: UInt32(floats))
    }
    unsafe plan.needsCopy = !splits.isEmpty
    unsafe plan.returnsThroughMemory = result.isMemory
    unsafe plan.floats = UInt32(floats)
    unsafe plan.stackBytes = UInt32(stackEnd)
    unsafe plan.result = UInt32(result.kind)
    unsafe plan.resultOffset = result.offset
    unsafe plan.memoryResultOffset = end
    unsafe plan.memorySize = result.isMemory ? end + (resultSize + 15) / 16 * 16 : end
    return unsafe (plan, places)
  }
}

/// How a result is returned, and where it is in a call's memory.
private struct ResultPlace {
  private(set) var kind: Int32
  private(set) var offset: Int
  private(set) var isMemory = false

  /// Whether it is returned in one register.
  private(set) var isNarrow = false

  /// - Returns: Nil if plans do not support the way in which the result is returned.
  init?(_ encoding: TypeEncoding, _ layout: TypeLayout?) throws(InvocationError) {
    (kind, offset) = (CBR_RESULT_PLAIN, Int(CBR_MEMORY_RESULT))
    isNarrow = (layout?.size ?? 0) <= 8
    guard let layout else { return }
    if encoding.kind == .complexLongDouble {
      (kind, offset) = (CBR_RESULT_COMPLEX_X87, Int(CBR_MEMORY_X87_RESULT))
      return
    }
    switch try PassingClass(encoding, layout) {
    case .ignored: break
    case .memory: isMemory = true
    case .registers([.integer]), .registers([.integer, .integer]): break
    case .registers([.sse]), .registers([.sse, .sse]): offset = Int(CBR_MEMORY_FLOAT_RESULT)
    case .registers([.integer, .sse]): kind = CBR_RESULT_INTEGER_FLOAT
    case .registers([.sse, .integer]): kind = CBR_RESULT_FLOAT_INTEGER
    case .registers([.x87, .x87Up]):
      (kind, offset) = (CBR_RESULT_X87, Int(CBR_MEMORY_X87_RESULT))
    case .registers: return nil
    }
  }
}
