/// Encodes declared types as clang's `@encode` does, with the names of members and the signatures
/// of blocks.
struct DeclaredTypeEncoder {
  /// Where a type stands, which decides what of it is written.
  enum Position {
    /// An argument, a result or a type by itself: records behind one pointer have their members.
    case outermost
    /// Behind the first pointer: records have their members, but records behind further pointers do
    /// not.
    case pointee
    /// A record's member: a record has its members, but a record behind a pointer does not.
    case member
    /// Behind another pointer: records have no members.
    case opaque
  }

  /// The number of types in an encoding beyond which a declaration is refused: a few short texts
  /// could else name each other to any length.
  static let maximumCount = 65_536

  /// The size of the largest vector that registers pass.
  private let registerBytes: Int

  private var count = 0

  init(registerBytes: Int) { self.registerBytes = registerBytes }

  mutating func encoding(
    of type: DeclaredType, as position: Position
  ) throws(LayoutRefusal) -> TypeEncoding {
    count += 1
    guard count <= Self.maximumCount else {
      throw LayoutRefusal(
        code: .tooLong,
        message:
          "the declaration stands for more than \(Self.maximumCount) types, members included; "
          + "pass records by pointer")
    }
    // As in clang, an atomic type is written as the type of a member is.
    let position = type.isAtomic && position == .outermost ? .member : position
    var qualifiers: [TypeQualifier] = type.isAtomic ? [.atomic] : []
    if position == .outermost, case .pointer(let pointee) = type.shape, pointee.endsInConstant {
      qualifiers.append(.const)
    }
    if position == .outermost || position == .member, case .encoded(let encoding) = type.shape,
      encoding.kind == .vector, case let size = try type.layout().size, size > 16,
      size <= registerBytes
    {
      qualifiers.append(.avx)
    }
    return TypeEncoding(qualifiers: qualifiers, try encodedType(of: type, as: position))
  }

  private mutating func encodedType(
    of type: DeclaredType, as position: Position
  ) throws(LayoutRefusal) -> EncodedType {
    switch type.shape {
    case .primitive(let primitive): return .primitive(primitive)
    case .complex(let part): return .complex(part)
    case .object: return .object(className: nil)
    case .encoded(let encoding): return encoding.type
    case .function: return .unknown
    case .block(let function):
      // As in clang, a member's block has no signature, which could name its record again.
      return .block(position == .outermost ? try signature(of: function, isBlock: true) : nil)
    case .pointer(let pointee):
      if !pointee.isAtomic, case .primitive(.int8) = pointee.shape { return .primitive(.cString) }
      if !pointee.isAtomic, case .primitive(.uint8) = pointee.shape { return .primitive(.cString) }
      return .pointer(
        try encoding(of: pointee, as: position == .outermost ? .pointee : .opaque))
    case .array(let count, let element):
      return .array(
        count: count ?? 0,
        element: try encoding(of: element, as: position == .outermost ? .pointee : position))
    case .record(let record):
      var fields: [FieldEncoding]?
      if position != .opaque, let members = record.members {
        fields = []
        for member in members {
          let encoding =
            if let bits = member.bits { TypeEncoding(.bitField(bits)) } else {
              try encoding(of: member.type, as: .member)
            }
          fields?.append(FieldEncoding(name: member.name, encoding))
        }
      }
      let encoding = RecordEncoding(tag: record.tag ?? "?", fields: fields)
      return record.isUnion ? .union(encoding) : .structure(encoding)
    }
  }

  /// The signature of a function, with a block as argument 0 if it is a block's.
  mutating func signature(
    of function: DeclaredFunction, isBlock: Bool
  ) throws(LayoutRefusal) -> MethodSignature {
    var arguments = isBlock ? [MethodSignature.Argument(TypeEncoding(.block(nil)))] : []
    for parameter in function.parameters {
      arguments.append(.init(try encoding(of: parameter, as: .outermost)))
    }
    return MethodSignature(
      result: try encoding(of: function.result, as: .outermost), arguments: arguments)
  }
}

extension DeclaredType {
  /// Whether what is behind the last pointer is constant; an array is constant if its elements are.
  fileprivate var endsInConstant: Bool {
    if case .pointer(let pointee) = shape { return pointee.endsInConstant }
    var type = self
    while case .array(_, let element) = type.shape { type = element }
    return type.isConstant
  }
}
