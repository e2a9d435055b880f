internal import CInvocations.CallImage

// SAFETY, for the whole file: a plan and what it points to live as long as the interface that made
// them; its places lie in the image of a call of that interface.

/// Where the values of a signature's calls lie, and what a call has to do: plain memory, so that a
/// call reads it without counting references.
///
/// A call's values lie in an image: the registers, the stack arguments behind them (see
/// `CBRCallImage.h`), and, in the images that Swift allocates, what registers cannot hold in one
/// piece, and a result that travels through memory.
@unsafe
@usableFromInline
package struct CallPlan {
  /// One value in the image, without conversion or check.
  @usableFromInline
  package struct Place {
    @usableFromInline var offset: Int32
    @usableFromInline var scalar: ScalarKind
  }

  /// What has to be done to an argument before the call.
  struct Move {
    enum Kind: UInt8 {
      case extendInt8, extendUInt8, extendInt16, extendUInt16
      /// The halves of a record go from `piece` to `offset` and `upper`.
      case split
    }

    var kind: Kind
    var offset: Int32
    var upper: Int32 = 0
    var piece: Int32 = 0
  }

  /// How calls are made that need registers only, once small integers are widened; nil for others.
  @usableFromInline var plainCall: PlainCall?

  var isNarrow: Bool { unsafe plainCall.map { unsafe $0.form != .wide } ?? false }

  /// Whether calls go through libffi.
  var isForeign = false

  /// Whether the image that an entry saves does not hold every argument in one piece.
  var needsCopy = false

  /// Whether the result's address is in the first integer register.
  var returnsThroughMemory = false
  @usableFromInline var hasResult = false

  /// Whether the result is an object or a block, returned unowned.
  var returnsReference = false

  /// Whether the result may point to what a handler's values keep.
  var mayReturnPointer = false

  var floats: UInt32 = 0
  var stackBytes: UInt32 = 0

  /// How the result travels: one of `CBR_RESULT_…`.
  var result: UInt32 = 0
  @usableFromInline var resultOffset = 0
  @usableFromInline var resultScalar = ScalarKind.none

  /// The size of an image that Swift allocates.
  var imageSize = 0

  /// Where in such an image a result lies that travels through memory.
  var memoryResultOffset = 0

  @usableFromInline package internal(set) var argumentCount = 0
  private var moves: UnsafeMutableBufferPointer<Move>

  /// Makes a plan for arguments at the given places.
  init(moves: [Move] = []) {
    unsafe self.moves = .allocate(capacity: moves.count)
    _ = unsafe self.moves.initialize(from: moves)
  }

  /// How many places are there at least, so that a constant index needs no check.
  @usableFromInline static var leastPlaceCount: Int { 8 }

  /// Puts the plan into memory, with the places behind it.
  consuming func allocated(with places: [Place]) -> UnsafePointer<CallPlan> {
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

  /// The plan of a call that has no values: a block's death.
  // SAFETY: it is never written again.
  nonisolated(unsafe) static let noValues = unsafe CallPlan().allocated(with: [])

  fileprivate func freeMoves() { unsafe moves.deallocate() }

  /// The result's address in an image.
  func resultAddress(_ image: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    if unsafe returnsThroughMemory {
      return unsafe image.load(as: UnsafeMutableRawPointer.self)
    }
    return unsafe image + resultOffset
  }

  /// Brings the arguments of an image into the registers' form: after other than whole words have been
  /// written.
  package func makeMoves(_ image: UnsafeMutableRawPointer) {
    for index in unsafe moves.indices {
      let move = unsafe moves[index]
      let place = unsafe image + Int(move.offset)
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
        let piece = unsafe image + Int(move.piece)
        unsafe place.copyMemory(from: piece, byteCount: 8)
        unsafe (image + Int(move.upper)).copyMemory(from: piece + 8, byteCount: 8)
      }
    }
  }

  /// Brings the halves of split records together.
  func gather(_ image: UnsafeMutableRawPointer) {
    for index in unsafe moves.indices where unsafe moves[index].kind == .split {
      let move = unsafe moves[index]
      let piece = unsafe image + Int(move.piece)
      unsafe piece.copyMemory(from: image + Int(move.offset), byteCount: 8)
      unsafe (piece + 8).copyMemory(from: image + Int(move.upper), byteCount: 8)
    }
  }

  /// Calls a function with the image's registers and stack; its result is then in the image.
  func call(_ function: UnsafeRawPointer, _ image: UnsafeMutableRawPointer) {
    unsafe makeMoves(image)
    unsafe cbr_call_image(image, function, floats, stackBytes, result)
  }

  /// How many bytes at an image's start hold argument registers, how many behind them results, and
  /// where the stack arguments begin.
  static var registerBytes: Int { Int(CBR_IMAGE_RESULT) }
  static var resultBytes: Int { Int(CBR_IMAGE_STACK) - Int(CBR_IMAGE_RESULT) - 16 }
  static var stackOffset: Int { Int(CBR_IMAGE_STACK) }
}

extension UnsafePointer<CallPlan> {
  /// An argument's place, which must be below the plan's argument count or the least place count.
  @inlinable
  @inline(__always)
  func place(_ index: Int) -> UnsafePointer<CallPlan.Place> {
    unsafe (UnsafeRawPointer(self) + MemoryLayout<CallPlan>.stride).assumingMemoryBound(
      to: CallPlan.Place.self) + index
  }

  /// The offset of an argument in an image.
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

  /// Frees the plan and its places.
  func free() {
    unsafe pointee.freeMoves()
    unsafe UnsafeMutableRawPointer(mutating: self).deallocate()
  }
}
