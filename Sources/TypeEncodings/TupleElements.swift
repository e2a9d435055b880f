/// The types that a tuple type is made of, with their places in memory.
package enum TupleElements {
  /// One element.
  package struct Element {
    package let type: Any.Type
    package let offset: Int
  }

  /// Whether a type is a tuple type, the empty one too.
  package static func isTuple(_ type: Any.Type) -> Bool { SwiftTypeMetadata(type).kind == .tuple }

  /// The elements of a tuple type; any other type is its own only element.
  ///
  /// - Returns: Nil where they cannot be read.
  package static func of(_ type: Any.Type) -> [Element]? {
    let metadata = SwiftTypeMetadata(type)
    guard metadata.kind == .tuple else { return [Element(type: type, offset: 0)] }
    return metadata.members?.map { Element(type: $0.type, offset: $0.offset) }
  }
}
