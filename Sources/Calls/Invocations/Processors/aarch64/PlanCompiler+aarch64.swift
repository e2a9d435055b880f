#if arch(arm64)
private import CInvocations.CallMemory
internal import TypeEncodings

// Specification: AAPCS64, 6.8.2 (parameter passing; rules C.1 to C.17) and 6.9 (results).

extension PlanCompiler {
  /// Begins a plan; the address of a result in memory has a register of its own.
  init(_ result: ResultPlace, vectorBytes: Int) { self.init() }

  /// All calls save whole vector registers.
  static func vectorBytes(_ encoding: TypeEncoding, _ layout: TypeLayout) -> Int { 0 }

  /// Determines the place of an argument; plans support all ways in which arguments are passed.
  mutating func add(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> Bool {
    switch try PassingClass(encoding, layout) {
    case .ignored: addNothing()
    case .floats(let count, let member): add(encoding, layout, count, member)
    case .integers(let count, let isEven):
      if isEven { integers += integers % 2 }
      if let offset = takeIntegers(count) {
        add(encoding, at: offset)
      } else {
        addToStack(encoding, size: layout.size, alignment: isEven ? 16 : 8)
      }
    case .reference:
      let offset = takeIntegers(1) ?? takeStack(size: 8, alignment: 8)
      // The callee owns the copy that it gets, which is therefore made for each call.
      let room = (layout.size + 15) / 16 * 16
      addPiece(
        encoding, size: 2 * room,
        CallPlan.Move(
          kind: .reference, offset: Int32(offset), upper: Int32(room), count: Int32(layout.size)))
    }
    return true
  }

  private mutating func add(
    _ encoding: TypeEncoding, _ layout: TypeLayout, _ count: Int, _ member: FloatMember
  ) {
    guard floats + count <= CBR_FLOAT_REGISTERS else {
      // No later argument takes the registers that are left.
      floats = Int(CBR_FLOAT_REGISTERS)
      return addToStack(encoding, size: layout.size, alignment: member.size == 16 ? 16 : 8)
    }
    let offset = Int(CBR_MEMORY_FLOATS) + Int(CBR_MEMORY_FLOAT_SIZE) * floats
    floats += count
    if member.size == 16 { hasQuads = true }
    // The members of an aggregate are in the low parts of their registers, which quads fill.
    guard count > 1, member.size < 16 else { return add(encoding, at: offset) }
    addPiece(
      encoding, size: layout.size,
      CallPlan.Move(
        kind: member == .float ? .spreadFloats : .spreadDoubles, offset: Int32(offset),
        count: Int32(count)))
  }

  /// Takes general registers; nil, and all that are left, if they do not suffice.
  private mutating func takeIntegers(_ count: Int) -> Int? {
    guard integers + count <= CBR_INTEGER_REGISTERS else {
      integers = Int(CBR_INTEGER_REGISTERS)
      return nil
    }
    defer { integers += count }
    return Int(CBR_MEMORY_INTEGERS) + 8 * integers
  }
}

extension ResultPlace {
  /// Plans support all ways in which results are returned.
  init?(_ encoding: TypeEncoding, _ layout: TypeLayout?) throws(InvocationError) {
    self.init()
    guard let layout else {
      isNarrow = true
      return
    }
    switch try PassingClass(encoding, layout) {
    case .ignored: isNarrow = true
    case .reference: isMemory = true
    case .integers(let count, _): isNarrow = count == 1
    case .floats(let count, let member):
      offset = Int(CBR_MEMORY_FLOAT_RESULT)
      isNarrow = count == 1 && member.size < 16
      guard count > 1 else { return }
      kind =
        switch member {
        case .float: CBR_RESULT_FLOATS
        case .double, .halfVector: CBR_RESULT_DOUBLES
        case .quad, .vector: CBR_RESULT_QUADS
        }
    }
  }
}
#endif
