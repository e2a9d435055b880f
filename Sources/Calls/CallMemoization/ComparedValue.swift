/// The value of an object among a call's arguments at the time of the call.
///
/// Foundation makes a new object of a Swift value for each call: two such objects are equal if the
/// values are. Values of different types are never equal; the numbers in objects are one type.
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
    case .number: try number(object)
    case .unordered(let type): try of(unordered: object, type)
    case .comparable: try of(value: object)
    case .box(nil), .incomparable: throw refusal(of: Swift.type(of: object))
    case .other: nil
    }
  }

  private static func of(value: Any) throws(Refusal) -> ComparedValue {
    // Equal text with other bytes counts as different, as it does for C strings.
    if let text = value as? String { return ComparedValue(String.self, Array(text.utf8)) }
    if let text = value as? any StringProtocol {
      return ComparedValue(Swift.type(of: text), Array(text.utf8))
    }
    if let character = value as? Character {
      return ComparedValue(Character.self, Array(character.utf8))
    }
    if let list = value as? [Any] {
      var elements: [ComparedValue] = []
      for element in list { elements.append(try of(element: element)) }
      return ComparedValue([Any].self, elements)
    }
    if let value = value as? any Unordered {
      return try of(unordered: value, Swift.type(of: value).form)
    }
    if let number = value as? any BinaryFloatingPoint { return bits(number) }
    guard let value = value as? AnyHashable else { throw refusal(of: Swift.type(of: value)) }
    return ComparedValue(Swift.type(of: value.base), value)
  }

  private static func of(element: Any) throws(Refusal) -> ComparedValue {
    if Swift.type(of: element) == AnyHashable.self, let element = element as? AnyHashable {
      return try of(element: element.base)
    }
    guard Swift.type(of: element) is AnyClass else { return try of(value: element) }
    let object = element as AnyObject
    return try of(object)
      ?? ComparedValue(AnyObject.self, ObjectReference(object: object))
  }

  /// The value of a set or a dictionary: of its elements, without their order.
  ///
  /// The elements are read from the mirror: a cast to Swift's collections asks that all can be
  /// hashed, and the iterator of `NSDictionary` ends the process if a key does not equal itself.
  private static func of(
    unordered value: Any, _ type: Any.Type
  ) throws(Refusal) -> ComparedValue {
    // The number of each element: several elements may be not a number, and so not equal to
    // themselves.
    var members: [[ComparedValue]: Int] = [:]
    for (_, element) in Mirror(reflecting: value).children {
      if let (key, element) = element as? (key: Any, value: Any) {
        members[[try of(element: key), try of(element: element)], default: 0] += 1
      } else {
        members[[try of(element: element)], default: 0] += 1
      }
    }
    return ComparedValue(type, members)
  }

  /// The value of a number in an object of Foundation's: 1 and 1.0 are one value, 0 and -0.0 are
  /// two.
  private static func number(_ object: AnyObject) throws(Refusal) -> ComparedValue {
    let value = object as? Double
    if value?.sign != .minus || value != 0 {
      if let whole = object as? Int64 { return ComparedValue(Int64.self, whole) }
      if let whole = object as? UInt64 { return ComparedValue(UInt64.self, whole) }
    }
    guard let value else { throw refusal(of: Swift.type(of: object)) }
    return bits(value)
  }

  /// The bits of a number: by them, a value that is not a number is found again.
  private static func bits(_ number: some BinaryFloatingPoint) -> ComparedValue {
    ComparedValue(
      Swift.type(of: number),
      [
        number.sign == .minus ? 1 : 0, UInt64(number.exponentBitPattern),
        UInt64(number.significandBitPattern),
      ] as [UInt64])
  }

  private static func refusal(of type: Any.Type) -> Refusal {
    Refusal(reason: "a \(type) does not say whether it is equal to another")
  }
}

/// Swift's collections whose elements have no order.
private protocol Unordered {
  /// The type that stands for all such collections.
  static var form: Any.Type { get }
}

extension Set: Unordered {
  fileprivate static var form: Any.Type { BridgedObject.setForm }
}

extension Dictionary: Unordered {
  fileprivate static var form: Any.Type { BridgedObject.dictionaryForm }
}

/// An object that is not a value; it is retained, and distinguished by its identity.
private struct ObjectReference: Hashable {
  let object: AnyObject

  static func == (left: ObjectReference, right: ObjectReference) -> Bool {
    left.object === right.object
  }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}
