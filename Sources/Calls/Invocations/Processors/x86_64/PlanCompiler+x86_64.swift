#if arch(x86_64)
private import CInvocations.CallMemory
internal import TypeEncodings

// Specification: System V ABI, AMD64 supplement, 3.2.3.

extension PlanCompiler {
  /// Begins a plan; the address of a result in memory takes the first integer register.
  init(_ result: ResultPlace, vectorBytes: Int) {
    self.init(vectorBytes: vectorBytes)
    if result.isMemory { integers = 1 }
  }

  /// Determines the place of an argument.
  ///
  /// - Returns: False if plans do not support the way in which the argument is passed.
  mutating func add(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> Bool {
    switch try PassingClass(encoding, layout) {
    case .ignored:
      addNothing()
    case .memory:
      addToStack(encoding, size: layout.size, alignment: layout.alignment)
    case .registers(let classes):
      guard !classes.contains(.none), !classes.contains(.memory) else { return false }
      let wanted = (classes.count { $0 == .integer }, classes.count { $0 == .sse })
      guard !classes.contains(.x87), integers + wanted.0 <= CBR_INTEGER_REGISTERS,
        floats + wanted.1 <= CBR_FLOAT_REGISTERS
      else {
        addToStack(encoding, size: layout.size, alignment: layout.alignment)
        return true
      }
      addToRegisters(encoding, classes)
    }
    return true
  }

  private mutating func addToRegisters(_ encoding: TypeEncoding, _ classes: [EightbyteClass]) {
    let hasVectors = vectorBytes > 0
    let floatSize = hasVectors ? vectorBytes : Int(CBR_MEMORY_FLOAT_SIZE)
    let integer = Int(CBR_MEMORY_INTEGERS) + 8 * integers
    let float = Int(hasVectors ? CBR_MEMORY_VECTORS : CBR_MEMORY_FLOATS) + floatSize * floats
    integers += classes.count { $0 == .integer }
    floats += classes.count { $0 == .sse }
    let places = classes[0] == .integer ? [integer, float] : [float, integer]
    if classes == [.sse, .sse], hasVectors {
      addPiece(encoding, [float, float + floatSize])
    } else if classes == [.sse, .integer] || classes == [.integer, .sse] {
      addPiece(encoding, places)
    } else {
      add(encoding, at: places[0])
    }
  }

  /// Adds a record whose halves are at two places.
  private mutating func addPiece(_ encoding: TypeEncoding, _ places: [Int]) {
    addPiece(
      encoding, size: 16,
      CallPlan.Move(kind: .split, offset: Int32(places[0]), upper: Int32(places[1])))
  }

  /// The size of a value that is passed in a whole vector register; 0 for other values.
  static func vectorBytes(_ encoding: TypeEncoding, _ layout: TypeLayout) -> Int {
    guard layout.alignment >= 16,
      case .registers(let classes)? = try? PassingClass(encoding, layout),
      classes.contains(.sseUp)
    else { return 0 }
    return layout.size
  }
}

extension ResultPlace {
  /// - Returns: Nil if plans do not support the way in which the result is returned.
  init?(_ encoding: TypeEncoding, _ layout: TypeLayout?) throws(InvocationError) {
    self.init()
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
    case .registers(let classes):
      guard classes.contains(.sseUp) else { return nil }
      kind = CBR_RESULT_VECTOR
    }
  }
}
#endif
