import CommandConventions
import Glibc
import Invocations
import TypeEncodings

/// Memory that a pointer argument points to: elements of its pointee, one behind the other.
@safe
struct ValueBuffer {
  /// The memory.
  let address: UnsafeMutableRawPointer

  private let type: TypeEncoding
  private let layout: TypeLayout
  private let count: Int
  private let place: ValueSlot.Place

  /// Allocates zeroed memory that is never freed.
  ///
  /// - Parameters:
  ///   - pointer: The pointer's type.
  ///   - count: How many elements there are.
  ///   - place: Where the pointer is.
  ///   - name: The same for messages.
  /// - Throws: `unsupportedType` where the pointer does not tell what it points to, `noMemory`.
  init(
    pointer: TypeEncoding, count: Int, place: ValueSlot.Place, name: String
  ) throws(Failure) {
    guard let type = Self.element(ofPointer: pointer) else {
      throw Failure(
        code: "unsupportedType",
        message: "\(name): \(pointer) does not tell what it points to; give an address or null")
    }
    let layout: TypeLayout
    do throws(TypeEncodingError) {
      layout = try type.layout()
    } catch {
      throw Failure(code: error.code.rawValue, message: "\(name): \(error.message)")
    }
    // calloc reports sizes that overflow, and touches no page of those that do not.
    guard let memory = unsafe calloc(max(count, 1), max(layout.size, 1)) else {
      throw Failure(
        code: "noMemory", message: "\(name): there is no memory for \(count) of \(type)")
    }
    unsafe address = unsafe memory
    (self.type, self.layout, self.count) = (type, layout, count)
    switch place {
    case .argument(let index), .member(let index?): self.place = .member(argument: index)
    case .result, .member(nil): self.place = .member(argument: nil)
    }
  }

  /// An element, which must exist.
  func element(_ index: Int) -> ValueSlot {
    // SAFETY: the memory has room for `count` elements.
    unsafe ValueSlot(type, layout, place, at: address + index * layout.size)
  }

  /// The contents as they are now.
  ///
  /// - Throws: `unreadableString`, `unsupportedType`.
  func contents(at name: String) throws(Failure) -> JSONValue {
    var values: [JSONValue] = []
    for index in 0..<count {
      unsafe try values.append(ValueReader.value(of: element(index), at: name))
    }
    return .array(values)
  }

  /// The type of what a pointer points to: C strings hold `int8`, untyped memory `uint8`.
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
