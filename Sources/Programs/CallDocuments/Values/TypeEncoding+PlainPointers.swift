import TypeEncodings

extension TypeEncoding {
  /// The type with a plain pointer in place of each pointer to text, objects or code.
  var withPlainPointers: TypeEncoding {
    switch type {
    case .structure(let record):
      TypeEncoding(qualifiers: qualifiers, .structure(record.withPlainPointers))
    case .array(let count, let element):
      TypeEncoding(qualifiers: qualifiers, .array(count: count, element: element.withPlainPointers))
    case .pointer where kind == .pointer: self
    default: kind.isPointer ? TypeEncoding(.pointer(TypeEncoding(.primitive(.void)))) : self
    }
  }
}

extension RecordEncoding {
  fileprivate var withPlainPointers: RecordEncoding {
    RecordEncoding(
      tag: tag,
      fields: fields?.map { FieldEncoding(name: $0.name, $0.encoding.withPlainPointers) })
  }
}
