/// The types that a tuple type is made of, with their places in memory.
package enum TupleElements {
  /// One element.
  package struct Element {
    package let type: Any.Type
    package let offset: Int
  }

  /// The elements of a tuple type; any other type is its own only element.
  ///
  /// - Returns: Nil where they cannot be read.
  package static func of(_ type: Any.Type) -> [Element]? {
    let metadata = SwiftTypeMetadata(type)
    guard metadata.kind == .tuple else { return [Element(type: type, offset: 0)] }
    return metadata.members?.map { Element(type: $0.type, offset: $0.offset) }
  }
}
