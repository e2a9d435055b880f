internal import LoadedClasses
internal import TypeEncodings

/// A type that Swift passes as C does: a number, a pointer or a reference to an object.
enum ValueType: Hashable {
  case number(PrimitiveType)
  case pointer(isOptional: Bool)
  case object(ClassMetadata, isOptional: Bool)

  /// Finds a type by the demangler's text; nil for all other types.
  init?(_ text: Substring) {
    if let number = Self.numbers[String(text)] {
      self = .number(number)
      return
    }
    let wrapped = text.argument(of: "Swift.Optional")
    let (name, isOptional) = (wrapped ?? text, wrapped != nil)
    if Self.isPointer(name) {
      self = .pointer(isOptional: isOptional)
    } else if let found = Self.classNamed(name) {
      self = .object(found, isOptional: isOptional)
    } else {
      return nil
    }
  }

  /// The encoding of the corresponding C type.
  var encoding: TypeEncoding {
    switch self {
    case .number(let type): TypeEncoding(.primitive(type))
    case .pointer: TypeEncoding(.pointer(TypeEncoding(.primitive(.void))))
    case .object: TypeEncoding(.object(className: nil))
    }
  }

  /// Whether the value is passed in a floating-point register.
  var isFloatingPoint: Bool { self == .number(.float) || self == .number(.double) }

  /// The significant bits of its register: a Swift Bool has one.
  var mask: UInt64 { self == .number(.bool) ? 1 : .max }

  /// Whether zero is a valid value, as left by a handler that gives no result.
  var hasZero: Bool {
    switch self {
    case .number, .pointer(isOptional: true), .object(_, isOptional: true): true
    case .pointer, .object: false
    }
  }

  private static let numbers: [String: PrimitiveType] = [
    "Swift.Int": .int64, "Swift.Int64": .int64, "Swift.Int32": .int32, "Swift.Int16": .int16,
    "Swift.Int8": .int8, "Swift.UInt": .uint64, "Swift.UInt64": .uint64, "Swift.UInt32": .uint32,
    "Swift.UInt16": .uint16, "Swift.UInt8": .uint8, "Swift.Bool": .bool, "Swift.Float": .float,
    "Swift.Double": .double,
  ]

  private static func isPointer(_ name: Substring) -> Bool {
    switch name {
    case "Swift.UnsafeRawPointer", "Swift.UnsafeMutableRawPointer", "Swift.OpaquePointer": true
    default:
      ["Swift.UnsafePointer", "Swift.UnsafeMutablePointer"].contains {
        name.argument(of: $0) != nil
      }
    }
  }

  /// A class that is not generic, private or nested.
  private static func classNamed(_ name: Substring) -> ClassMetadata? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      guard let first = part.first, !first.isNumber else { return false }
      return part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
    guard parts.count == 2, isPlain else { return nil }
    let mangled = parts.map { "\($0.utf8.count)\($0)" }.joined() + "C"
    return (_typeByName(mangled) as? AnyClass).map { ClassMetadata($0) }
  }
}

extension Substring {
  /// The text in the brackets of a generic type with one argument; nil for other types, and for
  /// types nested in it, whose names continue after the brackets.
  fileprivate func argument(of type: String) -> Substring? {
    let rest = dropFirst(type.count)
    guard hasPrefix(type), rest.first == "<", rest.endOfBrackets == rest.endIndex else {
      return nil
    }
    return rest.dropFirst().dropLast()
  }
}
