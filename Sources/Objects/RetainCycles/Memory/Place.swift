private import CLoadedImages.ReadableMemory
internal import LoadedClasses

/// A place in memory that a search reads: that of a value, or of an object on the heap.
@safe
struct Place: Hashable {
  // SAFETY: by the contract of the functions that begin a search, nothing changes what is read
  // meanwhile; the layout of what is there comes from metadata, and an object is read only if the
  // kernel says that its header can be.

  private let bits: UInt

  init(_ pointer: UnsafeRawPointer) { bits = UInt(bitPattern: pointer) }

  var pointer: UnsafeRawPointer { unsafe UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped }

  static func + (place: Place, offset: Int) -> Place { unsafe Place(place.pointer + offset) }

  /// Reads a value of a few bytes.
  func load<Value: BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int = 0) -> Value {
    unsafe pointer.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  /// The place whose address is stored at an offset; nil for the small numbers that stand for no
  /// object.
  func place(at offset: Int = 0) -> Place? {
    guard let stored = unsafe load(UnsafeRawPointer?.self, at: offset) else { return nil }
    let isNumber = UInt(bitPattern: stored) < 4096
    return isNumber ? nil : unsafe Place(stored)
  }

  /// The place as the address of something that lives as long as the program.
  var address: RuntimeAddress { unsafe RuntimeAddress(pointer) }

  /// Whether the word here can be read.
  var isReadable: Bool { unsafe cbr_is_readable(pointer) }

  /// Whether there can be an object: its header is aligned, and can be read.
  var isReadableHeader: Bool { bits % 4 == 0 && isReadable && (self + 8).isReadable }

  /// The next offset that suits an alignment: the same, or a larger one.
  static func aligned(_ offset: Int, to alignment: Int) -> Int {
    (offset + alignment - 1) & ~(alignment - 1)
  }
}
