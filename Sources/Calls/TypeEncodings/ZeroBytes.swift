/// Finds the types for which C allows all zero bytes as a value.
package enum ZeroBytes {
  /// Whether all zero bytes are a value of a Swift type that has a C counterpart.
  ///
  /// - Parameter type: The type; no value is accessed.
  /// - Returns: False if the type contains a pointer or reference that is not optional, and for
  ///   Swift's enumerations.
  package static func areValue(of type: Any.Type) -> Bool {
    guard let encoding = try? TypeEncoding(of: type) else { return false }
    let metadata = SwiftTypeMetadata(type)
    switch metadata.kind {
    case .optional: return true
    case .structure where type is any TypeEncodable.Type:
      return !encoding.kind.isPointer && encoding.kind != .unknown && isTrivial(type)
    case .structure, .tuple:
      return metadata.members?.allSatisfy { areValue(of: $0.type) } ?? false
    default: return false
    }
  }

  private static func isTrivial(_ type: Any.Type) -> Bool {
    func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: isTrivial)
  }
}
