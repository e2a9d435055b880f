import CommandOptionsAndResults
import Glibc
import Invocations
import TypeEncodings

/// The memory that a pointer argument points to: consecutive elements of the pointee type.
///
/// SAFETY: `memory` has room for `count` elements of `size` bytes, and is never freed.
@safe
struct ValueBuffer {
  /// The elements' type.
  let type: TypeEncoding

  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private let count: Int

  /// Allocates zeroed memory that is never freed.
  ///
  /// - Parameters:
  ///   - pointer: The pointer's type.
  ///   - count: The number of elements.
  ///   - place: The argument or member that is the pointer, for messages.
  /// - Throws: `unsupportedType` if the pointee's type is unknown, `noMemory`.
  init(pointer: TypeEncoding, count: Int, at place: String) throws(Failure) {
    guard let type = Self.element(ofPointer: pointer) else {
      throw Failure(
        code: "unsupportedType",
        message: "\(place): \(pointer) does not tell what it points to; give an address or null")
    }
    let size = try type.layout(at: place).size
    // calloc refuses sizes that overflow, and touches no page of large ones.
    // SAFETY: the memory is at least `count` elements long, zeroed, and belongs to this buffer.
    guard let memory = unsafe calloc(max(count, 1), max(size, 1)) else {
      throw Failure(
        code: "noMemory", message: "\(place): there is no memory for \(count) of \(type)")
    }
    unsafe self.memory = unsafe memory
    (self.type, self.size, self.count) = (type, size, count)
  }

  /// The pointer to the memory.
  var address: CValue { unsafe .pointer(UInt(bitPattern: memory)) }

  /// Writes an element, which must exist.
  func store(_ value: CValue, in index: Int, at place: String) throws(Failure) {
    try Failure.catching(at: place) {
      // SAFETY: callers pass an index below `count`. The value refers to nothing that must be
      // retained, because the writer makes addresses of all pointers.
      unsafe try value.store(at: memory + index * size, as: type)
    }
  }

  /// The contents as they are now.
  ///
  /// - Throws: `unreadableString`, `unsupportedType`.
  func contents(at place: String) throws(Failure) -> JSONValue {
    let plain = type.withPlainPointers
    var values: [JSONValue] = []
    for index in 0..<count {
      let value = try Failure.catching(at: place) {
        // SAFETY: the index is below `count`; with plain pointers, every bit pattern is a value.
        unsafe try CValue(at: memory + index * size, as: plain)
      }
      values.append(try ValueReader.json(value, of: type, at: place))
    }
    return .array(values)
  }

  /// The type of a pointer's elements: `int8` for C strings, `uint8` for untyped memory.
  static func element(ofPointer encoding: TypeEncoding) -> TypeEncoding? {
    switch encoding.type {
    case .primitive(.cString): TypeEncoding(.primitive(.int8))
    case .pointer(let pointee) where pointee.type == .primitive(.void):
      TypeEncoding(.primitive(.uint8))
    case .pointer(let pointee) where pointee.type != .unknown: pointee
    case .array(_, let element): element
    default: nil
    }
  }
}
