#if arch(arm64)
internal import TypeEncodings

// Specification: Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), 5.9.5, 6.8.2,
// 6.9.

/// How a type is passed and returned by value.
enum PassingClass: Hashable {
  /// The type is empty, and its values are not passed.
  case ignored
  /// In so many general registers, of which the first is an even one if `isEven`.
  case integers(_ count: Int, isEven: Bool)
  /// In so many floating-point registers, one for each member of a homogeneous aggregate; a number
  /// is one member.
  case floats(_ count: Int, of: FloatMember)
  /// By the address of a copy; a result through memory whose address the caller passes.
  case reference

  /// Whether a result is returned through memory, whose address the caller passes.
  var isReturnedInMemory: Bool { self == .reference }
}

/// The type of the members of a homogeneous aggregate.
enum FloatMember {
  case float, double, quad
  /// Vectors of 8 and of 16 bytes, whatever their elements are.
  case halfVector, vector

  /// The size in bytes.
  var size: Int {
    switch self {
    case .float: 4
    case .double, .halfVector: 8
    case .quad, .vector: 16
    }
  }

  init?(_ type: PrimitiveType) {
    switch type {
    case .float: self = .float
    case .double: self = .double
    case .longDouble: self = .quad
    default: return nil
    }
  }
}

extension PassingClass {
  /// Classifies a type.
  ///
  /// - Throws: `unsupportedType` if the encoding does not determine how the type is passed.
  init(_ encoding: TypeEncoding, _ layout: TypeLayout) throws(InvocationError) {
    if case .complex = encoding.type { try Self.refuseAtomic(encoding) }
    try Self.refuseOtherVectors(in: encoding)
    guard layout.size > 0 else {
      self = .ignored
      return
    }
    if let aggregate = try HomogeneousAggregate(encoding, layout), aggregate.count <= 4 {
      self = .floats(aggregate.count, of: aggregate.member)
    } else if layout.size > 16 {
      self = .reference
      return
    } else {
      self = .integers((layout.size + 7) / 8, isEven: layout.alignment == 16)
    }
    try Self.checkMembers(of: encoding)
  }

  /// Refuses records with parts of unknown type, or that compilers pass differently.
  private static func checkMembers(of encoding: TypeEncoding) throws(InvocationError) {
    switch encoding.type {
    case .structure(let record), .union(let record):
      for field in record.fields ?? [] {
        if case .bitField = field.encoding.type { continue }
        try refuseAtomic(field.encoding)
        try checkMembers(of: field.encoding)
      }
    case .array(let count, let element):
      guard count > 0 else {
        throw InvocationError(
          .unsupportedType,
          "[0\(element)] is a flexible or a zero-length array, which are passed differently; "
            + "pass a pointer to the record instead")
      }
      try refuseAtomic(element)
      try checkMembers(of: element)
    case .bitField, .unknown, .vanished:
      throw InvocationError(
        .unsupportedType, "\(encoding) says too little of the type to pass it by value")
    default: break
    }
  }
}

/// The floating-point members of a type that has only members of one such type, and no padding.
private struct HomogeneousAggregate {
  let member: FloatMember
  let count: Int

  /// - Returns: Nil if the type is no such aggregate.
  init?(_ encoding: TypeEncoding, _ layout: TypeLayout) throws(InvocationError) {
    switch encoding.type {
    case .primitive(let type):
      guard let member = FloatMember(type) else { return nil }
      (self.member, count) = (member, 1)
    case .complex(let type):
      guard let member = FloatMember(type) else { return nil }
      (self.member, count) = (member, 2)
    case .vector:
      (member, count) = (layout.size == 8 ? .halfVector : .vector, 1)
    case .array(let length, let element):
      guard length > 0,
        let inner = try HomogeneousAggregate(
          element, InvocationError.passing(element.layout()))
      else { return nil }
      (member, count) = (inner.member, inner.count * length)
    case .structure(let record), .union(let record):
      var members: (type: FloatMember, count: Int)?
      for (field, place) in zip(record.fields ?? [], layout.fields) {
        // Neither empty records nor bit-fields without width are members. Others are, with or
        // without a name, so that the encoding need not say that.
        if case .bitField(let bits) = field.encoding.type, bits.width == 0 { continue }
        guard let inside = place.layout else { return nil }
        if inside.size == 0 { continue }
        guard let inner = try HomogeneousAggregate(field.encoding, inside),
          members?.type ?? inner.member == inner.member
        else { return nil }
        let before = members?.count ?? 0
        if case .union = encoding.type {
          members = (inner.member, max(before, inner.count))
        } else {
          members = (inner.member, before + inner.count)
        }
      }
      guard let members, members.type.size * members.count == layout.size else { return nil }
      (member, count) = (members.type, members.count)
    case .object, .block, .pointer, .bitField, .unknown, .vanished: return nil
    }
  }
}
#endif
