internal import TypeEncodings

/// A Swift value that travels as an object, since C has no type for it.
///
/// Where a signature says `@"Swift.String"`, with a dot in the class name, an object of this class
/// is passed, and values of the Swift type are put into it and taken out.
package final class SwiftValue {
  package let value: Any

  package init(_ value: Any) { self.value = value }

  /// The name of a type in signatures, which has a dot: `Any` and `() -> ()` get one.
  package static func name(of type: Any.Type) -> String {
    let name = _typeName(type, qualified: true)
    return name.contains(".") ? name : "Swift." + name
  }
}

extension TypeEncoding {
  /// The encoding of a Swift type that travels as a `SwiftValue`.
  package init(swiftValueOf type: Any.Type) {
    self.init(.object(className: SwiftValue.name(of: type)))
  }

  /// The name of the Swift type whose values travel as this type; nil for all others.
  package var swiftValueTypeName: String? {
    guard case .object(let name?) = type, name.contains(".") else { return nil }
    return name
  }
}
