package import TypeEncodings

extension TypeEncoding {
  /// Whether a value holds a pointer that says nothing of what it points to.
  ///
  /// C strings, objects, blocks, classes and selectors are no such pointers; a union that may hold
  /// any pointer counts as one.
  ///
  /// - Parameter isArgument: Whether the type is that of an argument: an array is then a pointer.
  /// - Returns: Whether a value holds such a pointer.
  package func holdsRawPointer(isArgument: Bool = false) -> Bool {
    switch type {
    case .pointer: true
    case .array(_, let element): isArgument || element.holdsRawPointer()
    case .structure(let record): (record.fields ?? []).contains { $0.encoding.holdsRawPointer() }
    case .union(let record): (record.fields ?? []).contains { $0.encoding.holds(\.kind.isPointer) }
    default: false
    }
  }
}
