internal import CInvocations.CallMemory

/// Where the values of a signature's calls are in memory, and how a call passes them.
///
/// A plan is plain memory, so that calls read it without counting references.
///
/// The memory of a call, if libffi does not make it, has the registers first, then the stack
/// arguments (see `CBRCallMemory.h`).
/// Memory that Swift allocates has, after them, records that registers do not hold in one piece,
/// and a result that is returned through memory.
@unsafe
@usableFromInline
package struct CallPlan {
  // SAFETY: a plan in memory, its places and its moves live until `free()`, which the interface
  // that made them calls when it is released. Functions that take the memory of a call require that
  // of a call of that interface, in which all offsets of the plan are valid.

  /// Where a value is in the memory, and what kind of number it is.
  @usableFromInline
  package struct Place {
    @usableFromInline var offset: Int32
    @usableFromInline var scalar: ScalarKind
  }

  /// A change of an argument's memory that is necessary before the call.
  struct Move {
    enum Kind: UInt8 {
      case extendInt8, extendUInt8, extendInt16, extendUInt16
      /// The halves of a record are copied from `piece` to `offset` and `upper`.
      case split
      /// The members of a record in `piece` are copied to the floating-point registers from
      /// `offset` on.
      case spreadFloats, spreadDoubles
      /// A record in `piece` is copied to the memory `upper` bytes after it, whose address is
      /// stored at `offset`.
      case reference
    }

    var kind: Kind
    var offset: Int32
    var upper: Int32 = 0
    var piece: Int32 = 0

    /// The number of members of `spread…`, and of bytes of a `reference`.
    var count: Int32 = 0
  }

  /// Makes calls that use registers only, once small integers are widened; nil for other
  /// signatures.
  @usableFromInline var plainCall: PlainCall?

  // SAFETY: the value is only read.
  var isNarrow: Bool { unsafe plainCall.map { unsafe $0.form != .wide } ?? false }

  /// Whether the memory has no registers to call with: libffi makes the calls, or registers are
  /// copied from a tuple.
  var lacksRegisters = false

  /// The tuple that a message's memory has in place of registers; nil for other memory.
  @usableFromInline var tuple: Unmanaged<TuplePlan>?

  /// Whether elements of the tuple are less than a word apart: then calls copy it to registers,
  /// because changes of an argument store whole words.
  var tupleIsNarrow = false

  /// Whether the memory that an entry saves has an argument in two pieces.
  var needsCopy = false

  /// How many bytes of each vector register the memory has in a place of its own; 0 if it has only
  /// the part that passes numbers.
  var vectorBytes = 0

  /// Makes the calls that `plainCall` cannot make.
  var memoryCall = unsafe cbr_memory_call_of(0)

  /// Whether the result is returned through memory, whose address the caller passes.
  @usableFromInline var returnsThroughMemory = false
  @usableFromInline var hasResult = false

  /// Whether the result is an object or a block, which is returned without ownership.
  var returnsReference = false

  /// Whether the result may point to objects that are retained for values that a handler set.
  var mayReturnPointer = false

  /// Whether calls pass more arguments than the plan has places for.
  @usableFromInline var isVariadic = false

  var floats: UInt32 = 0
  var stackBytes: UInt32 = 0

  /// How the result is returned: one of `CBR_RESULT_…`.
  var result: UInt32 = 0
  @usableFromInline var resultOffset = 0
  @usableFromInline var resultScalar = ScalarKind.none

  /// The size of the memory of a call that Swift allocates.
  var memorySize = 0

  /// The offset in such memory of a result that is returned through memory.
  var memoryResultOffset = 0

  @usableFromInline package internal(set) var argumentCount = 0

  /// The interface that owns the plan, unretained; nil for a plan without values.
  var interface: Unmanaged<CallInterface>?

  fileprivate var moves: UnsafeMutableBufferPointer<Move>

  /// Makes a plan with some moves.
  init(moves: [Move] = []) {
    // SAFETY: the buffer has room for all moves; `freeMoves` frees it.
    unsafe self.moves = .allocate(capacity: moves.count)
    _ = unsafe self.moves.initialize(from: moves)
  }

  // SAFETY: the value is only read.
  /// Whether calls of a variadic function enter with the values in their places.
  var takesMore: Bool {
    unsafe !lacksRegisters && !needsCopy && vectorBytes == 0 && result == CBR_RESULT_PLAIN
  }

  /// The least number of places in memory, so that smaller constant indices need no check.
  @usableFromInline static var leastPlaceCount: Int { 8 }

  /// Copies the plan to memory that it allocates, with the places after it.
  consuming func allocated(with places: [Place]) -> UnsafePointer<CallPlan> {
    // SAFETY: the memory has room for the plan and `count` places, all of which are initialised;
    // the plan's stride is a multiple of a place's alignment.
    unsafe argumentCount = places.count
    let count = unsafe max(places.count, Self.leastPlaceCount)
    let memory = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<CallPlan>.stride + count * MemoryLayout<Place>.stride, alignment: 16)
    let plan = unsafe memory.initializeMemory(as: CallPlan.self, to: self)
    let none = Place(offset: 0, scalar: .none)
    for index in 0..<count {
      let place = index < places.count ? places[index] : none
      unsafe UnsafeMutablePointer(mutating: UnsafePointer(plan).place(index)).initialize(to: place)
    }
    return unsafe UnsafePointer(plan)
  }

  // SAFETY: the plans are never written again, and never freed.
  /// The plans without values: of a block's death, and of calls without a frame.
  nonisolated(unsafe) static let (ofDeath, unframed) = unsafe (
    CallPlan().allocated(with: []), CallPlan().allocated(with: [])
  )

  // SAFETY: the plan's owner calls this once, when nothing uses the plan any more.
  func freeMoves() { unsafe moves.deallocate() }

  /// The result's address in a call's memory.
  func resultAddress(_ memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    // SAFETY: a register holds the address of a result in memory.
    if unsafe returnsThroughMemory {
      return unsafe memory.load(
        fromByteOffset: Self.resultAddressOffset, as: UnsafeMutableRawPointer.self)
    }
    return unsafe memory + resultOffset
  }

  /// The offset of the register that has the address of a result in memory.
  static var resultAddressOffset: Int { Int(CBR_MEMORY_RESULT_ADDRESS) }

  /// The size of the argument registers at the start of a call's memory, and the size of the
  /// results after them.
  static var registerBytes: Int { Int(CBR_MEMORY_RESULT) }
  static var resultBytes: Int { Int(CBR_MEMORY_STACK) - Int(CBR_MEMORY_RESULT) - 16 }

  /// The offset of the stack arguments.
  static func stackOffset(vectorBytes: Int) -> Int {
    Int(CBR_MEMORY_STACK) + Int(CBR_FLOAT_REGISTERS) * vectorBytes
  }
}

extension CallPlan.Move {
  /// The size of a member of `spread…`, in bytes.
  fileprivate var memberSize: Int { kind == .spreadFloats ? 4 : 8 }
}

extension UnsafePointer<CallPlan> {
  // SAFETY: the plan is in memory that `allocated(with:)` made: its places follow it.

  /// The place of an argument.
  ///
  /// The index must be less than the plan's argument count or the least place count.
  @inlinable
  @inline(__always)
  func place(_ index: Int) -> UnsafePointer<CallPlan.Place> {
    unsafe (UnsafeRawPointer(self) + MemoryLayout<CallPlan>.stride).assumingMemoryBound(
      to: CallPlan.Place.self) + index
  }

  /// The offset of an argument in a call's memory.
  func offset(of index: Int) -> Int { unsafe Int(place(index).pointee.offset) }

  /// The offset of an argument if it is a number of this kind, else nil.
  @inlinable
  @inline(__always)
  func offset(of index: Int, ifOf kind: ScalarKind) -> Int? {
    guard
      unsafe UInt(bitPattern: index) < UInt(CallPlan.leastPlaceCount)
        || UInt(bitPattern: index) < UInt(pointee.argumentCount)
    else { return nil }
    let place = unsafe place(index)
    return unsafe place.pointee.scalar == kind ? Int(place.pointee.offset) : nil
  }

  /// Converts the arguments in a call's memory to the form that registers have.
  ///
  /// This is necessary after arguments were written other than by `ScalarKind.store`.
  @inline(__always)
  package func makeMoves(_ memory: UnsafeMutableRawPointer) {
    if unsafe !pointee.moves.isEmpty { unsafe makeAllMoves(memory) }
  }

  @inline(never)
  private func makeAllMoves(_ memory: UnsafeMutableRawPointer) {
    // SAFETY: each argument has a whole word in the memory, and a record of two halves has 16
    // bytes.
    for index in unsafe pointee.moves.indices {
      let move = unsafe pointee.moves[index]
      let place = unsafe memory + Int(move.offset)
      switch move.kind {
      // Compiled code relies on its caller to have widened small integers to 32 bits.
      case .extendInt8:
        unsafe place.storeBytes(of: Int64(place.load(as: Int8.self)), as: Int64.self)
      case .extendUInt8:
        unsafe place.storeBytes(of: UInt64(place.load(as: UInt8.self)), as: UInt64.self)
      case .extendInt16:
        unsafe place.storeBytes(of: Int64(place.load(as: Int16.self)), as: Int64.self)
      case .extendUInt16:
        unsafe place.storeBytes(of: UInt64(place.load(as: UInt16.self)), as: UInt64.self)
      case .split:
        let piece = unsafe memory + Int(move.piece)
        unsafe place.copyMemory(from: piece, byteCount: 8)
        unsafe (memory + Int(move.upper)).copyMemory(from: piece + 8, byteCount: 8)
      case .spreadFloats, .spreadDoubles:
        let size = move.memberSize
        for member in 0..<Int(move.count) {
          unsafe (place + member * Int(CBR_MEMORY_FLOAT_SIZE)).copyMemory(
            from: memory + Int(move.piece) + member * size, byteCount: size)
        }
      case .reference:
        let piece = unsafe memory + Int(move.piece)
        let copy = unsafe piece + Int(move.upper)
        unsafe copy.copyMemory(from: piece, byteCount: Int(move.count))
        unsafe place.storeBytes(of: copy, as: UnsafeMutableRawPointer.self)
      }
    }
  }

  /// Copies records that registers do not hold in one piece, or that are passed by their address,
  /// to their memory in one piece.
  func gather(_ memory: UnsafeMutableRawPointer) {
    // SAFETY: as in `makeMoves`; the address of a record is that of the caller's copy.
    for index in unsafe pointee.moves.indices {
      let move = unsafe pointee.moves[index]
      let place = unsafe memory + Int(move.offset)
      let piece = unsafe memory + Int(move.piece)
      switch move.kind {
      case .extendInt8, .extendUInt8, .extendInt16, .extendUInt16: break
      case .split:
        unsafe piece.copyMemory(from: place, byteCount: 8)
        unsafe (piece + 8).copyMemory(from: memory + Int(move.upper), byteCount: 8)
      case .spreadFloats, .spreadDoubles:
        let size = move.memberSize
        for member in 0..<Int(move.count) {
          unsafe (piece + member * size).copyMemory(
            from: place + member * Int(CBR_MEMORY_FLOAT_SIZE), byteCount: size)
        }
      case .reference:
        unsafe piece.copyMemory(
          from: place.load(as: UnsafeMutableRawPointer.self), byteCount: Int(move.count))
      }
    }
  }

  /// Calls a function with the registers and the stack in memory, and stores the result there.
  func call(_ function: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer) {
    // SAFETY: the caller vouches for the function; the plan has the counts for the memory.
    unsafe makeMoves(memory)
    if let plainCall = unsafe pointee.plainCall { return unsafe plainCall(function, memory) }
    unsafe pointee.memoryCall(
      memory, function, pointee.floats, pointee.stackBytes, pointee.result)
  }

  /// Frees the plan and its places.
  func free() {
    // SAFETY: the interface calls this once, when nothing uses the plan any more.
    unsafe pointee.freeMoves()
    unsafe UnsafeMutableRawPointer(mutating: self).deallocate()
  }
}
