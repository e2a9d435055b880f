@_spi(Reflection) import Swift

/// Properties of a Swift type that are read from its metadata, without a value of it.
///
/// On Linux the value witness table of a block type is null, so that even `MemoryLayout` crashes
/// for it. Swift's `docs/ABI/TypeMetadata.rst` describes the layout of metadata.
struct SwiftTypeMetadata {
  /// The kinds of types that are distinguished here.
  enum Kind {
    case classType, structure, enumeration, optional, tuple, function, existential
    case existentialMetatype, other
  }

  /// A stored member of a structure or tuple.
  struct Member {
    let name: String
    let offset: Int
    let type: Any.Type
  }

  /// A function type's result, parameters and convention.
  struct Function {
    let convention: FunctionConvention
    let result: Any.Type
    let parameters: [Any.Type]
  }

  private let type: Any.Type

  /// Inspects a type.
  init(_ type: Any.Type) { self.type = type }

  /// The first word of the metadata, which for a class may be its isa pointer.
  private var kindWord: UInt { unsafe address.load(as: UInt.self) }

  /// The kind of type.
  var kind: Kind {
    switch kindWord {
    case 0x200: .structure
    case 0x201: .enumeration
    case 0x202: .optional
    case 0x301: .tuple
    case 0x302: .function
    case 0x303: .existential
    case 0x306: .existentialMetatype
    case 0, 0x203, 0x800...: .classType
    default: .other
    }
  }

  /// Whether the type was imported from a C header.
  var isImportedFromC: Bool { _typeName(type, qualified: true).hasPrefix("__C.") }

  /// Whether the type belongs to Swift's standard library.
  var isFromStandardLibrary: Bool { _typeName(type, qualified: true).hasPrefix("Swift.") }

  /// The type's size, stride and alignment; must not be called for functions.
  var size: (size: Int, stride: Int, alignment: Int) {
    func measure<Value>(_ type: Value.Type) -> (size: Int, stride: Int, alignment: Int) {
      (MemoryLayout<Value>.size, MemoryLayout<Value>.stride, MemoryLayout<Value>.alignment)
    }
    return _openExistential(type, do: measure)
  }

  /// A function type's parts; nil for other types and for async and throwing functions.
  var function: Function? {
    guard kind == .function else { return nil }
    // SAFETY: function metadata consists of the kind, a word of flags, the result's type and the
    // parameters' types, whose number is in the low 16 bits of the flags.
    let flags = unsafe address.load(fromByteOffset: 8, as: UInt.self)
    let isThrowing = flags & 0x0100_0000 != 0
    let isAsync = flags & 0x2000_0000 != 0
    guard !isThrowing, !isAsync,
      let convention = FunctionConvention(of: type)
    else { return nil }
    let parameters = (0..<Int(flags & 0xFFFF)).map { index in
      unsafe address.load(fromByteOffset: 24 + 8 * index, as: Any.Type.self)
    }
    let result = unsafe address.load(fromByteOffset: 16, as: Any.Type.self)
    return Function(convention: convention, result: result, parameters: parameters)
  }

  /// A structure's or tuple's stored members; nil if reading them would crash.
  var members: [Member]? {
    guard kind == .tuple || kind == .structure && !hasGenericBlockMember else { return nil }
    var members: [Member] = []
    // SAFETY: the names passed to the closure are C strings that live as long as the type.
    let isComplete = unsafe _forEachField(of: type, options: []) { name, offset, type, _ in
      unsafe members.append(Member(name: String(cString: name), offset: offset, type: type))
      return true
    }
    return isComplete ? members : nil
  }

  /// The address of the metadata's first documented byte.
  private var address: UnsafeRawPointer {
    // SAFETY: the value of a metatype is the address of the type's metadata, which is never freed.
    unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
  }

  /// Whether a structure has a member that is generic over a block, such as an optional block.
  ///
  /// The creation of such a type's metadata reads the block type's missing value witness table.
  private var hasGenericBlockMember: Bool {
    // SAFETY: word 1 of a structure's metadata is its descriptor, whose fifth 32-bit word is the
    // relative address of the field descriptor, 0 if there is none. That begins with 16 bytes, the
    // last four of which are the number of records. Each record is three 32-bit words, of which the
    // second is the relative address of the member's mangled type name.
    let descriptor = unsafe address.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
    let distance = unsafe descriptor.load(fromByteOffset: 16, as: Int32.self)
    guard distance != 0 else { return false }
    let fields = unsafe descriptor + 16 + Int(distance)
    let count = unsafe fields.load(fromByteOffset: 12, as: UInt32.self)
    return (0..<Int(count)).contains { index in
      let reference = unsafe fields + 16 + 12 * index + 4
      let nameDistance = unsafe reference.load(as: Int32.self)
      guard nameDistance != 0 else { return false }
      return unsafe Self.namesGenericBlock(reference + Int(nameDistance))
    }
  }

  /// Whether a mangled type name contains a block type (`XB`) with something around it.
  ///
  /// An identifier may look the same, in which case the type is refused needlessly.
  private static func namesGenericBlock(_ name: UnsafeRawPointer) -> Bool {
    var offset = 0
    var previous: UInt8 = 0
    while true {
      // SAFETY: a mangled name ends with a zero byte. The bytes 1 to 31 are followed by symbolic
      // references of 4 bytes, or 8 from byte 24 on, which are skipped as they may contain zeros.
      let byte = unsafe name.load(fromByteOffset: offset, as: UInt8.self)
      switch byte {
      case 0: return false
      case 0x01...0x17: offset += 5
      case 0x18...0x1F: offset += 9
      default:
        offset += 1
        let following = unsafe name.load(fromByteOffset: offset, as: UInt8.self)
        if previous == UInt8(ascii: "X"), byte == UInt8(ascii: "B"), following != 0 { return true }
      }
      previous = byte
    }
  }
}

/// The elements of a tuple type, with their offsets.
package enum TupleElements {
  /// One element.
  package struct Element {
    package let type: Any.Type
    package let offset: Int
  }

  /// Whether a type is a tuple type, including the empty one.
  package static func isTuple(_ type: Any.Type) -> Bool { SwiftTypeMetadata(type).kind == .tuple }

  /// The elements of a tuple type; any other type is its own only element.
  ///
  /// - Returns: The elements; nil if they cannot be read.
  package static func of(_ type: Any.Type) -> [Element]? {
    let metadata = SwiftTypeMetadata(type)
    guard metadata.kind == .tuple else { return [Element(type: type, offset: 0)] }
    return metadata.members?.map { Element(type: $0.type, offset: $0.offset) }
  }
}
