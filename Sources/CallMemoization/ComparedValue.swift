/// The value of an object among a call's arguments at the time of the call.
///
/// Foundation makes a new object of a Swift value for each call: two are equal if the values are.
/// Values of different types are never equal.
struct ComparedValue: Hashable, @unchecked Sendable {
  // SAFETY: immutable; sharing the objects that a value refers to is the caller's responsibility,
  // as documented.

  /// Why a value cannot be compared.
  struct Refusal: Error {
    let reason: String
  }

  private let type: ObjectIdentifier
  private let value: AnyHashable

  /// Reads the value of an object.
  ///
  /// - Returns: The value; nil for an object that is distinguished by its identity.
  /// - Throws: `Refusal` for a value that cannot be compared, and that the next call may hold in
  ///   another object.
  init?(_ object: AnyObject) throws(Refusal) {
    guard let value = try Self.of(object) else { return nil }
    self = value
  }

  private init(_ type: Any.Type, _ value: AnyHashable) {
    self.type = ObjectIdentifier(type)
    self.value = value
  }

  private static func of(_ object: AnyObject) throws(Refusal) -> ComparedValue? {
    switch BridgedObject(object) {
    case .box(let contents?): try of(value: contents)
    case .comparable: try of(value: object)
    case .box(nil), .incomparable: throw refusal(of: Swift.type(of: object))
    case .other: nil
    }
  }

  private static func of(value: Any) throws(Refusal) -> ComparedValue {
    if let text = value as? String {
      // Equal text with other bytes counts as different, as it does for C strings.
      return ComparedValue(String.self, Array(text.utf8))
    }
    if let list = value as? [Any] {
      var elements: [ComparedValue] = []
      for element in list { elements.append(try of(element: element)) }
      return ComparedValue([Any].self, elements)
    }
    if let dictionary = value as? [AnyHashable: Any] {
      var elements: [AnyHashable: ComparedValue] = [:]
      for (key, element) in dictionary {
        elements[key] = try of(element: element)
      }
      return ComparedValue([AnyHashable: Any].self, elements)
    }
    guard let value = value as? AnyHashable else { throw refusal(of: Swift.type(of: value)) }
    return ComparedValue(Swift.type(of: value.base), value)
  }

  private static func of(element: Any) throws(Refusal) -> ComparedValue {
    guard Swift.type(of: element) is AnyClass else { return try of(value: element) }
    let object = element as AnyObject
    return try of(object)
      ?? ComparedValue(AnyObject.self, ObjectReference(object: object))
  }

  private static func refusal(of type: Any.Type) -> Refusal {
    Refusal(reason: "a \(type) does not say whether it is equal to another")
  }
}

/// An object that is not a value; it is retained, and distinguished by its identity.
private struct ObjectReference: Hashable {
  let object: AnyObject

  static func == (left: ObjectReference, right: ObjectReference) -> Bool {
    left.object === right.object
  }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}
