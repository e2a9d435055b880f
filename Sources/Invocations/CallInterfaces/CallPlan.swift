private import CBlockRuntime.CallImage

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

  /// Whether registers are all that a call needs, and its result is plain.
  var isPlain = false

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
  var resultOffset = 0
  @usableFromInline var resultScalar = ScalarKind.none

  /// The size of an image that Swift allocates.
  var imageSize = 0

  /// Where in such an image a result lies that travels through memory.
  var memoryResultOffset = 0

  @usableFromInline package var argumentCount = 0
  @usableFromInline var places: UnsafeMutablePointer<Place>
  private var moves: UnsafeMutableBufferPointer<Move>

  init(places: [Place], moves: [Move] = []) {
    unsafe argumentCount = places.count
    unsafe self.places = .allocate(capacity: max(places.count, 1))
    unsafe self.places.initialize(from: places, count: places.count)
    unsafe self.moves = .allocate(capacity: moves.count)
    _ = unsafe self.moves.initialize(from: moves)
  }

  func deallocate() {
    unsafe places.deallocate()
    unsafe moves.deallocate()
  }

  /// The result's address in an image.
  func resultAddress(_ image: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    if unsafe returnsThroughMemory {
      return unsafe image.load(as: UnsafeMutableRawPointer.self)
    }
    return unsafe image + resultOffset
  }

  /// Brings the arguments of an image into the registers' form.
  func makeMoves(_ image: UnsafeMutableRawPointer) {
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

  /// The same for a plain call.
  @inline(__always)
  func callPlainly(_ function: UnsafeRawPointer, _ image: UnsafeMutableRawPointer) {
    unsafe cbr_call_registers(image, function, floats)
  }

  /// How much of an entry's image, from its start, is the image without the stack arguments; the
  /// results lie behind the registers.
  static var registerBytes: Int { Int(CBR_IMAGE_RESULT) }
  static var resultBytes: Int { Int(CBR_IMAGE_STACK) - Int(CBR_IMAGE_RESULT) - 16 }
  static var stackOffset: Int { Int(CBR_IMAGE_STACK) }
}
