/// One parsed Objective-C type encoding: the type of an argument, result or field in a signature.
///
/// The corresponding Objective-C construct is `@encode(type)`. Printing a parsed encoding gives
/// back the text it was parsed from.
public struct TypeEncoding: Hashable, Sendable {
  /// The qualifiers before the type, in the order written.
  public var qualifiers: [TypeQualifier]

  /// The type itself.
  public var type: EncodedType

  /// Creates an encoding from its parts.
  public init(qualifiers: [TypeQualifier] = [], _ type: EncodedType) {
    self.qualifiers = qualifiers
    self.type = type
  }
}

/// A type qualifier, by the character that encodes it.
public enum TypeQualifier: UInt8, Hashable, Sendable, CaseIterable {
  /// `const`, written `r`.
  case const = 0x72
  /// Distributed objects' `in`, written `n`.
  case `in` = 0x6E
  /// Distributed objects' `inout`, written `N`.
  case `inout` = 0x4E
  /// Distributed objects' `out`, written `o`.
  case out = 0x6F
  /// Distributed objects' `bycopy`, written `O`.
  case bycopy = 0x4F
  /// Distributed objects' `byref`, written `R`.
  case byref = 0x52
  /// Distributed objects' `oneway`, written `V`.
  case oneway = 0x56
  /// C11's `_Atomic`, written `A`.
  case atomic = 0x41
  /// A mark of vectors of 32 or 64 bytes, this library's own, written `x`: the function was
  /// compiled for AVX or AVX-512, and so takes and returns the vector in registers.
  case avx = 0x78
}

/// The shape of an encoded type, without its qualifiers.
public enum EncodedType: Hashable, Sendable {
  /// A type written as one character, such as `i` or `*`.
  case primitive(PrimitiveType)
  /// An object `@`, with the quoted class or protocol text if there is one.
  indirect case object(className: String?)
  /// A block `@?`, with its own signature if the encoding is extended: `@?<v@?i>`.
  indirect case block(MethodSignature?)
  /// A pointer `^` to another type; `^?` is a function pointer.
  indirect case pointer(TypeEncoding)
  /// An array `[12f]`.
  indirect case array(count: Int, element: TypeEncoding)
  /// A structure `{name=fields}`.
  indirect case structure(RecordEncoding)
  /// A union `(name=fields)`.
  indirect case union(RecordEncoding)
  /// A bit-field `b3`, or in GNU's notation `b8i3`.
  indirect case bitField(BitFieldEncoding)
  /// A complex number `jf`, `jd`, `jD`, or GNU's complex integers, such as `ji`.
  case complex(PrimitiveType)
  /// A vector of the processor, `![16,16f]` for C's `float __attribute__((vector_size(16)))`.
  indirect case vector(count: Int, element: PrimitiveType)
  /// A type that the compiler could not express, written `?`.
  case unknown
  /// A type for which the compiler wrote nothing at all: clang does so for vectors.
  case vanished
}

/// The types encoded by one character, with that character as raw value.
public enum PrimitiveType: UInt8, Hashable, Sendable, CaseIterable {
  /// `void`, written `v`.
  case void = 0x76
  /// `bool`, written `B`.
  case bool = 0x42
  /// `signed char`, written `c`.
  case int8 = 0x63
  /// `unsigned char`, written `C`.
  case uint8 = 0x43
  /// `short`, written `s`.
  case int16 = 0x73
  /// `unsigned short`, written `S`.
  case uint16 = 0x53
  /// `int`, written `i`.
  case int32 = 0x69
  /// `unsigned int`, written `I`.
  case uint32 = 0x49
  /// A 32-bit `long`, written `l`.
  case long32 = 0x6C
  /// A 32-bit `unsigned long`, written `L`.
  case unsignedLong32 = 0x4C
  /// `long long` (and `long` where it has 64 bits), written `q`.
  case int64 = 0x71
  /// `unsigned long long` (and `unsigned long` where it has 64 bits), written `Q`.
  case uint64 = 0x51
  /// `__int128`, written `t`.
  case int128 = 0x74
  /// `unsigned __int128`, written `T`.
  case uint128 = 0x54
  /// `float`, written `f`.
  case float = 0x66
  /// `double`, written `d`.
  case double = 0x64
  /// `long double`, written `D`.
  case longDouble = 0x44
  /// A C string, `char *`, written `*`.
  case cString = 0x2A
  /// A class, written `#`.
  case classObject = 0x23
  /// A selector, written `:`.
  case selector = 0x3A
  /// A type for which the compiler has no code, such as `_Float16`, written as a space.
  case blank = 0x20

  /// Whether the type is an integer, a character or a truth value.
  public var isInteger: Bool {
    switch self {
    case .bool, .int8, .uint8, .int16, .uint16, .int32, .uint32, .long32, .unsignedLong32, .int64,
      .uint64, .int128, .uint128:
      true
    case .void, .float, .double, .longDouble, .cString, .classObject, .selector, .blank: false
    }
  }
}

/// The tag and fields of a structure or union.
public struct RecordEncoding: Hashable, Sendable {
  /// The tag as written: a name, or `?` or `??` for an anonymous record.
  public var tag: String

  /// The fields, or nil if the encoding lists none (`{name}`, as after a second pointer).
  public var fields: [FieldEncoding]?

  /// The record's name, nil if it is anonymous.
  public var name: String? { tag == "?" || tag == "??" || tag.isEmpty ? nil : tag }

  /// Creates a record from its tag and fields.
  public init(tag: String, fields: [FieldEncoding]?) {
    self.tag = tag
    self.fields = fields
  }
}

/// One member of a structure or union.
public struct FieldEncoding: Hashable, Sendable {
  /// The member's name, if the encoding quotes it.
  public var name: String?

  /// The member's type.
  public var encoding: TypeEncoding

  /// Creates a member.
  public init(name: String? = nil, _ encoding: TypeEncoding) {
    self.name = name
    self.encoding = encoding
  }
}

/// A bit-field's width and, in GNU's notation, its position and declared type.
public struct BitFieldEncoding: Hashable, Sendable {
  /// The width in bits; 0 ends the current storage unit.
  public var width: Int

  /// The position from the start of the record in bits and the declared type, in GNU's notation.
  public var placement: Placement?

  /// The parts that GNU's notation adds to the width.
  public struct Placement: Hashable, Sendable {
    /// The first bit, counted from the start of the record.
    public var bitOffset: Int

    /// The declared type.
    public var base: PrimitiveType

    /// Creates a placement.
    public init(bitOffset: Int, base: PrimitiveType) {
      self.bitOffset = bitOffset
      self.base = base
    }
  }

  /// Creates a bit-field.
  public init(width: Int, placement: Placement? = nil) {
    self.width = width
    self.placement = placement
  }
}
