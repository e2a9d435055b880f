extension TypeEncoding {
  /// Derives the encoding of the C type that has a Swift type's representation.
  ///
  /// Supported are integers, floats, `Bool`, pointers and optionals of them, objects, classes, C
  /// function pointers, blocks (with their signature), imported C enums and structures, and Swift
  /// structures and tuples with the layout that C would give them.
  ///
  /// The corresponding Objective-C construct is `@encode(type)`.
  ///
  /// - Parameter type: The Swift type; only the type is inspected, never a value.
  /// - Throws: `unsupportedSwiftType` if C has no such type, and `layoutMismatch` if C would place
  ///   a member elsewhere; the message says what to use instead.
  public init(of type: Any.Type) throws(TypeEncodingError) {
    self = try SwiftTypeEncoder().encoding(of: type)
  }
}

/// Derives encodings of Swift types, expanding records behind pointers as far as clang does.
struct SwiftTypeEncoder {
  /// Whether a record's fields are listed.
  var expandsRecords = true

  /// Whether the fields of a record behind the next pointer are listed.
  var expandsPointees = true

  /// The encoding of any supported type.
  func encoding(of type: Any.Type) throws(TypeEncodingError) -> TypeEncoding {
    let metadata = SwiftTypeMetadata(type)
    switch metadata.kind {
    case .function: return try function(type, metadata)
    case .tuple: return try tuple(type)
    case .existential:
      guard type == AnyObject.self else {
        throw refusal(type, "a protocol's existential has no counterpart in C; use AnyObject")
      }
      return TypeEncoding(.object(className: nil))
    case .existentialMetatype where type == AnyObject.Type.self:
      return TypeEncoding(.primitive(.classObject))
    case .classType, .structure, .enumeration, .optional:
      return try nominal(type, metadata)
    case .existentialMetatype, .other:
      throw refusal(type, "the type has no counterpart in C")
    }
  }

  /// The encoding of a pointer, which is a void pointer if the pointee has no encoding.
  func pointer(to pointee: Any.Type, isConstant: Bool) -> TypeEncoding {
    let qualifiers: [TypeQualifier] = isConstant ? [.const] : []
    guard pointee != Int8.self else {
      return TypeEncoding(qualifiers: qualifiers, .primitive(.cString))
    }
    let encoder = SwiftTypeEncoder(expandsRecords: expandsPointees, expandsPointees: false)
    guard var encoding = try? encoder.encoding(of: pointee) else {
      return TypeEncoding(qualifiers: qualifiers, TypeEncoding.voidPointer.type)
    }
    encoding.qualifiers.removeAll { $0 == .const }
    return TypeEncoding(qualifiers: qualifiers, .pointer(encoding))
  }

  /// The error that refuses a type, with its name.
  func refusal(
    _ type: Any.Type, _ message: String, code: ErrorCode = .unsupportedSwiftType
  ) -> TypeEncodingError {
    let name = _typeName(type, qualified: true)
    return TypeEncodingError(code: code, message: "\(name): \(message)", input: name)
  }

  /// The encoding of a block or C function.
  private func function(
    _ type: Any.Type, _ metadata: SwiftTypeMetadata
  ) throws(TypeEncodingError) -> TypeEncoding {
    guard let function = metadata.function else {
      throw refusal(type, "async and throwing functions have no counterpart in C")
    }
    switch function.convention {
    case .c: return TypeEncoding(.pointer(TypeEncoding(.unknown)))
    case .block: return TypeEncoding(.block(try MethodSignature(ofFunction: type)))
    case .swift, .thin:
      throw refusal(type, "a Swift closure is not a C type; declare it @convention(block) or (c)")
    }
  }

  /// The encoding of a class, structure, enumeration or optional.
  private func nominal(
    _ type: Any.Type, _ metadata: SwiftTypeMetadata
  ) throws(TypeEncodingError) -> TypeEncoding {
    if let pointer = type as? any PointerToType.Type {
      return self.pointer(to: pointer.pointeeType, isConstant: pointer.isConstant)
    }
    if let encodable = type as? any TypeEncodable.Type {
      let encoding = encodable.typeEncoding
      guard encoding.type != .unknown || !(type is any SIMD.Type) else {
        throw refusal(type, "C has no such vector; pass a pointer")
      }
      return withoutFieldsUnlessExpanded(encoding)
    }
    if let optional = type as? any OptionalType.Type {
      return try wrapped(by: type, optional.wrappedType)
    }
    if metadata.kind == .classType { return TypeEncoding(.object(className: nil)) }
    if metadata.isImportedFromC, let rawType = rawType(of: type, metadata) {
      return try encoding(of: rawType)
    }
    guard metadata.kind == .structure else {
      throw refusal(type, "a Swift enum is not stored as its raw value; pass the raw value")
    }
    guard !metadata.isFromStandardLibrary else {
      throw refusal(
        type, "the type has no counterpart in C; pass a pointer, a C string or an object")
    }
    return try structure(type, metadata)
  }

  /// The encoding of an optional's wrapped type, if nil is represented by the null address.
  private func wrapped(
    by optional: Any.Type, _ wrapped: Any.Type
  ) throws(TypeEncodingError) -> TypeEncoding {
    let encoding = try encoding(of: wrapped)
    switch encoding.type {
    case .pointer, .object, .block, .primitive(.cString), .primitive(.classObject):
      return encoding
    default:
      throw refusal(optional, "only optional pointers, objects and blocks exist in C; unwrap it")
    }
  }

  /// Removes a record's fields if clang would not list them.
  private func withoutFieldsUnlessExpanded(_ encoding: TypeEncoding) -> TypeEncoding {
    guard !expandsRecords, let record = encoding.record else { return encoding }
    let opaque = RecordEncoding(tag: record.tag, fields: nil)
    return TypeEncoding(encoding.kind == .union ? .union(opaque) : .structure(opaque))
  }

  /// The type of an imported enumeration's raw values, nil for other types.
  ///
  /// The compiler omits the conformance to `RawRepresentable` if the program does not use it; then
  /// the enumeration's only member has the type.
  private func rawType(of type: Any.Type, _ metadata: SwiftTypeMetadata) -> Any.Type? {
    func rawType<Enumeration: RawRepresentable>(_: Enumeration.Type) -> Any.Type {
      Enumeration.RawValue.self
    }
    if let enumeration = type as? any RawRepresentable.Type { return rawType(enumeration) }
    guard let members = metadata.members, members.count == 1, let member = members.first,
      member.name == "rawValue", member.type is any FixedWidthInteger.Type
    else { return nil }
    return member.type
  }
}

extension MethodSignature {
  /// Derives the signature of a `@convention(block)` or `@convention(c)` function type.
  ///
  /// - Parameter type: The function type; only the type is inspected, never a value.
  /// - Throws: `unsupportedSwiftType` for any other type, and if a parameter or the result has no
  ///   counterpart in C; `layoutMismatch` as `TypeEncoding.init(of:)`.
  public init(ofFunction type: Any.Type) throws(TypeEncodingError) {
    let encoder = SwiftTypeEncoder()
    guard let function = SwiftTypeMetadata(type).function else {
      throw encoder.refusal(type, "only functions that neither throw nor suspend are known to C")
    }
    switch function.convention {
    case .block: arguments = [Argument(TypeEncoding(.block(nil)))]
    case .c: arguments = []
    case .swift, .thin:
      throw encoder.refusal(
        type, "a Swift closure is not a C type; declare it @convention(block) or (c)")
    }
    result = try encoder.encoding(of: function.result)
    for parameter in function.parameters {
      arguments.append(Argument(try encoder.encoding(of: parameter)))
    }
  }
}
