extension TypeEncoding {
  /// The kind of type that an encoding describes, with stable names.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No value.
    case void
    /// A truth value.
    case bool
    /// An integer of the width and sign in its name.
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64, int128, uint128
    /// A floating-point number.
    case float, double, longDouble
    /// A complex number of two floating-point parts.
    case complexFloat, complexDouble, complexLongDouble
    /// A pointer to characters.
    case cString
    /// A pointer to anything else.
    case pointer
    /// An object reference.
    case object
    /// A class.
    case `class`
    /// A selector.
    case selector
    /// A block.
    case block
    /// A pointer to a function.
    case functionPointer
    /// An array of a fixed number of elements.
    case array
    /// A vector of the processor.
    case vector
    /// A structure.
    case `struct`
    /// A union.
    case union
    /// Some bits of a record's storage unit.
    case bitField
    /// A type that the encoding cannot express.
    case unknown

    /// Whether a value is one pointer, of whatever kind.
    @inlinable package var isPointer: Bool {
      switch self {
      case .cString, .pointer, .object, .class, .selector, .block, .functionPointer: true
      default: false
      }
    }
  }

  /// The kind of type, without regard to qualifiers.
  public var kind: Kind {
    switch type {
    case .primitive(let primitive): primitive.kind
    case .object: .object
    case .block: .block
    case .pointer(let pointee): pointee.type == .unknown ? .functionPointer : .pointer
    case .array: .array
    case .structure: .struct
    case .union: .union
    case .bitField: .bitField
    case .complex(.float): .complexFloat
    case .complex(.double): .complexDouble
    case .complex(.longDouble): .complexLongDouble
    case .vector: .vector
    case .complex, .unknown, .vanished: .unknown
    }
  }
}

extension PrimitiveType {
  /// The kind of an encoding that consists of this type.
  var kind: TypeEncoding.Kind {
    switch self {
    case .void: .void
    case .bool: .bool
    case .int8: .int8
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .int32, .long32: .int32
    case .uint32, .unsignedLong32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .int128: .int128
    case .uint128: .uint128
    case .float: .float
    case .double: .double
    case .longDouble: .longDouble
    case .cString: .cString
    case .classObject: .class
    case .selector: .selector
    case .blank: .unknown
    }
  }
}
