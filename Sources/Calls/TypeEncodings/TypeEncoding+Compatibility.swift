extension TypeEncoding {
  /// Whether values of one type can be passed where the other is expected.
  ///
  /// The comparison ignores qualifiers, class names, field names, the tag if one record is
  /// anonymous, and a block's signature if one side has none. It treats as equal `l` and `i`, an
  /// array in a record and as many equal fields, and `*` and a pointer to characters. `^v` is
  /// compatible with every pointer, and a pointer whose pointee vanished with those to vectors.
  ///
  /// - Parameter other: The type to compare with.
  /// - Returns: Whether they are compatible; the relation is symmetric.
  public func isCompatible(with other: TypeEncoding) -> Bool {
    if kind.isPointer, other.kind.isPointer, isVoidPointer || other.isVoidPointer { return true }
    switch type {
    case .primitive(let primitive): return other.isCompatible(with: primitive)
    case .object: return other.kind == .object
    case .block(let signature): return other.isCompatible(withBlock: signature)
    case .pointer(let pointee): return other.isCompatible(withPointerTo: pointee)
    case .array: return isCompatible(asArrayWith: other)
    case .structure: return isCompatible(asStructureWith: other)
    case .union(let record):
      guard case .union(let theirs) = other.type else { return false }
      return record.isCompatible(with: theirs)
    case .bitField(let bitField):
      guard case .bitField(let theirs) = other.type else { return false }
      return bitField.isCompatible(with: theirs)
    case .complex(let part):
      guard case .complex(let theirs) = other.type else { return false }
      return part.kind == theirs.kind
    case .vector(let count, let element):
      guard case .vector(count, let theirs) = other.type else { return false }
      return element.kind == theirs.kind
    case .unknown, .vanished: return type == other.type
    }
  }

  // One function for each kind of type keeps the frames of the recursion small.

  /// Whether the type is compatible with a primitive type.
  private func isCompatible(with primitive: PrimitiveType) -> Bool {
    switch type {
    case .primitive(let own): own.kind == primitive.kind
    case .pointer(let pointee): primitive == .cString && pointee.isCharacter
    default: false
    }
  }

  /// Whether the type is a block that is compatible with a block of a signature.
  private func isCompatible(withBlock signature: MethodSignature?) -> Bool {
    guard case .block(let own) = type else { return false }
    guard let own, let signature else { return true }
    return own.isCompatible(with: signature)
  }

  /// Whether the type is compatible with a pointer.
  private func isCompatible(withPointerTo pointee: TypeEncoding) -> Bool {
    switch type {
    case .primitive(.cString): pointee.isCharacter
    case .pointer(let own): own.isCompatible(asPointeeWith: pointee)
    default: false
    }
  }

  /// Whether an array is compatible with another, or with an anonymous structure of equal fields.
  private func isCompatible(asArrayWith other: TypeEncoding) -> Bool {
    guard case .array(let count, let element) = type else { return false }
    switch other.type {
    case .array(let theirCount, let theirElement):
      return count == theirCount && element.isCompatible(with: theirElement)
    case .structure(let record):
      guard record.name == nil, record.fields?.count == count else { return false }
      for field in record.fields ?? [] where !field.encoding.isCompatible(with: element) {
        return false
      }
      return true
    default: return false
    }
  }

  /// Whether a structure is compatible with another, or with an array.
  private func isCompatible(asStructureWith other: TypeEncoding) -> Bool {
    switch other.type {
    case .array: return other.isCompatible(asArrayWith: self)
    case .structure(let theirs):
      guard case .structure(let own) = type else { return false }
      return own.isCompatible(with: theirs)
    default: return false
    }
  }

  /// Whether the types are compatible as pointees, where records are compared by name only.
  private func isCompatible(asPointeeWith other: TypeEncoding) -> Bool {
    switch (type, other.type) {
    case (.structure(let own), .structure(let theirs)), (.union(let own), .union(let theirs)):
      own.name == nil || theirs.name == nil || own.name == theirs.name
    // clang writes nothing for a vector.
    case (.vector, .vanished), (.vanished, .vector): true
    default: isCompatible(with: other)
    }
  }

  /// Whether the type is that of a character of a C string.
  private var isCharacter: Bool {
    type == .primitive(.int8) || type == .primitive(.uint8)
  }

  /// Whether the type is `^v`.
  private var isVoidPointer: Bool {
    guard case .pointer(let pointee) = type else { return false }
    return pointee.type == .primitive(.void)
  }
}

extension MethodSignature {
  /// Whether results and arguments are compatible one by one, without regard to frame offsets.
  func isCompatible(with other: MethodSignature) -> Bool {
    guard arguments.count == other.arguments.count, result.isCompatible(with: other.result) else {
      return false
    }
    for (own, theirs) in zip(arguments, other.arguments) {
      let parameter = own.encoding.asParameter
      guard parameter.isCompatible(with: theirs.encoding.asParameter) else { return false }
    }
    return true
  }
}

extension BitFieldEncoding {
  /// Whether the widths agree, and the declared types and positions if both are known.
  fileprivate func isCompatible(with other: BitFieldEncoding) -> Bool {
    guard width == other.width else { return false }
    guard let placement, let theirs = other.placement else { return true }
    return placement.bitOffset == theirs.bitOffset && placement.base.kind == theirs.base.kind
  }
}

extension RecordEncoding {
  /// Whether the records have compatible fields, and not two different names.
  fileprivate func isCompatible(with other: RecordEncoding) -> Bool {
    guard name == nil || other.name == nil || name == other.name else { return false }
    guard let own = fields, let theirs = other.fields else { return true }
    var ownRest = own[...]
    var theirRest = theirs[...]
    while let ownField = ownRest.first?.encoding, let theirField = theirRest.first?.encoding {
      if ownField.isRun(of: theirField) {
        guard Self.take(ownField, asRunOf: &theirRest) else { return false }
        ownRest.removeFirst()
      } else if theirField.isRun(of: ownField) {
        guard Self.take(theirField, asRunOf: &ownRest) else { return false }
        theirRest.removeFirst()
      } else {
        guard ownField.isCompatible(with: theirField) else { return false }
        ownRest.removeFirst()
        theirRest.removeFirst()
      }
    }
    return (ownRest + theirRest).allSatisfy { $0.encoding.isEmptyArray }
  }

  /// Removes as many fields as an array has elements; false if a field is incompatible or missing.
  private static func take(
    _ array: TypeEncoding, asRunOf fields: inout ArraySlice<FieldEncoding>
  ) -> Bool {
    guard case .array(let count, let element) = array.type, count <= fields.count,
      fields.prefix(count).allSatisfy({ $0.encoding.isCompatible(with: element) })
    else { return false }
    fields.removeFirst(count)
    return true
  }
}

extension TypeEncoding {
  /// Whether the type is an array that may match several fields, of which the given one is the
  /// first.
  ///
  /// The array may not if the field is itself an array, or an anonymous structure of as many fields
  /// as the array has elements: these are compared with the array as a whole.
  fileprivate func isRun(of field: TypeEncoding) -> Bool {
    guard case .array(let count, _) = type else { return false }
    switch field.type {
    case .array: return false
    case .structure(let record): return record.name != nil || record.fields?.count != count
    default: return true
    }
  }

  /// Whether the type is a flexible or zero-length array.
  fileprivate var isEmptyArray: Bool {
    guard case .array(0, _) = type else { return false }
    return true
  }
}
