private import CInvocations.CallMemory
internal import TypeEncodings

/// Compiles a signature into a plan of register and stack moves.
///
/// The compiler is common to all processors; `Processors` says which registers a value takes.
struct PlanCompiler {
  /// How many registers the arguments have taken so far.
  var integers = 0
  var floats = 0

  /// Whether an argument takes more of a floating-point register than eight bytes.
  var hasQuads = false

  /// The size of the largest vector that an argument or the result is, on processors whose other
  /// calls save less of a vector register; 0 if there is none.
  let vectorBytes: Int

  private var places: [CallPlan.Place] = []
  private var moves: [CallPlan.Move] = []
  private var stackEnd = 0

  /// The arguments whose memory is not where they are passed: their indices, those of their moves,
  /// and their sizes.
  private var pieces: [(argument: Int, move: Int, size: Int)] = []

  /// Compiles a signature.
  ///
  /// - Returns: The plan, whose moves its owner must free; nil if plans do not support the way in
  ///   which a value is passed.
  /// - Throws: `unsupportedType`.
  static func compile(
    _ signature: MethodSignature, _ arguments: [TypeLayout], _ result: TypeLayout?
  ) throws(InvocationError) -> (plan: CallPlan, places: [CallPlan.Place])? {
    guard CallEngine.hasPlans else { return nil }
    guard let resultPlace = try ResultPlace(signature.result, result) else { return nil }
    var vectorBytes = result.map { Self.vectorBytes(signature.result, $0) } ?? 0
    for (argument, layout) in zip(signature.arguments, arguments) {
      vectorBytes = max(vectorBytes, Self.vectorBytes(argument.encoding.asParameter, layout))
    }
    guard cbr_has_vectors(UInt32(vectorBytes)) else {
      throw InvocationError(
        .unsupportedType, "this processor has no vectors of \(vectorBytes) bytes")
    }
    var compiler = PlanCompiler(resultPlace, vectorBytes: vectorBytes)
    for (index, layout) in arguments.enumerated() {
      do throws(InvocationError) {
        let encoding = signature.arguments[index].encoding.asParameter
        try PassingClass.refuseAtomic(encoding)
        guard try compiler.add(encoding, layout) else { return nil }
      } catch {
        throw InvocationError(error.code, "argument \(index): \(error.message)", argument: index)
      }
    }
    // SAFETY: the caller takes over the new plan.
    return unsafe compiler.plan(resultPlace, result?.size ?? 0)
  }

  /// Begins a plan before its result is known.
  init(vectorBytes: Int = 0) { self.vectorBytes = vectorBytes }

  /// Adds an argument that is not passed.
  mutating func addNothing() {
    places.append(CallPlan.Place(offset: 0, scalar: .none))
  }

  /// Adds an argument on the stack.
  mutating func addToStack(_ encoding: TypeEncoding, size: Int, alignment: Int) {
    add(encoding, at: takeStack(size: size, alignment: alignment))
  }

  /// Takes room on the stack.
  ///
  /// - Returns: The offset of the room in a call's memory.
  mutating func takeStack(size: Int, alignment: Int) -> Int {
    let alignment = max(alignment, 8)
    stackEnd = (stackEnd + alignment - 1) / alignment * alignment
    defer { stackEnd += (size + 7) / 8 * 8 }
    // SAFETY: the offset is a constant.
    return unsafe CallPlan.stackOffset(vectorBytes: vectorBytes) + stackEnd
  }

  /// Adds an argument whose memory is where it is passed; small integers are widened before calls.
  mutating func add(_ encoding: TypeEncoding, at offset: Int) {
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

  /// Adds an argument that a move brings from a piece of memory to where it is passed.
  mutating func addPiece(_ encoding: TypeEncoding, size: Int, _ move: CallPlan.Move) {
    pieces.append((places.count, moves.count, size))
    moves.append(move)
    add(encoding, at: 0)
  }

  private func form(_ result: ResultPlace) -> PlainCall.Form {
    guard integers <= CBR_NARROW_INTEGERS, floats <= CBR_NARROW_FLOATS, !hasQuads, result.isNarrow
    else { return .wide }
    return result.offset == CBR_MEMORY_FLOAT_RESULT ? .narrowFloat : .narrow
  }

  private mutating func plan(
    _ result: ResultPlace, _ resultSize: Int
  ) -> (plan: CallPlan, places: [CallPlan.Place]) {
    stackEnd = (stackEnd + 15) / 16 * 16
    // SAFETY: only this function has the new plan.
    var end = unsafe CallPlan.stackOffset(vectorBytes: vectorBytes) + stackEnd
    for (argument, move, size) in pieces {
      places[argument].offset = Int32(end)
      moves[move].piece = Int32(end)
      end += (size + 15) / 16 * 16
    }
    var plan = unsafe CallPlan(moves: moves)
    if pieces.isEmpty, stackEnd == 0, result.kind == CBR_RESULT_PLAIN, vectorBytes == 0 {
      unsafe plan.plainCall = unsafe PlainCall(form(result), floats: UInt32(floats))
    }
    unsafe plan.needsCopy = !pieces.isEmpty
    unsafe plan.vectorBytes = vectorBytes
    unsafe plan.memoryCall = unsafe cbr_memory_call_of(UInt32(vectorBytes))
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
struct ResultPlace {
  /// One of `CBR_RESULT_…`.
  var kind = CBR_RESULT_PLAIN
  var offset = Int(CBR_MEMORY_RESULT)

  /// Whether the result is returned through memory, whose address the caller passes.
  var isMemory = false

  /// Whether the result is returned in one register.
  var isNarrow = false
}
