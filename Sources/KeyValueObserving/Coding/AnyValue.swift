/// The value of a string key path: nil, or something of a type that is not known before.
///
/// Values are equal if they are of one type that can compare them, or the same object.
struct AnyValue: Equatable {
  let value: Any?

  init(_ value: Any?) { self.value = withoutOptionals(value) }

  static func == (first: AnyValue, second: AnyValue) -> Bool {
    guard let one = first.value, let other = second.value else {
      return first.value == nil && second.value == nil
    }
    if let one = one as? any Equatable { return isEqual(one, other) }
    guard type(of: one) is AnyClass, type(of: other) is AnyClass else { return false }
    return one as AnyObject === other as AnyObject
  }

  private static func isEqual<Value: Equatable>(_ one: Value, _ other: Any) -> Bool {
    one == other as? Value
  }
}

extension AnyValue: OptionalValue {
  static var wrappedType: Any.Type { Any.self }
  static var nothing: AnyValue { AnyValue(nil) }
  var wrapped: Any? { value }
}

/// A value as one of a type.
///
/// - Returns: The value; nil if it is of another type, or nil where the type has no nil.
func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
  guard let value = withoutOptionals(value) else {
    return (type as? any OptionalValue.Type)?.nothing as? Value
  }
  if let value = value as? Value { return value }
  let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
  guard let number = number(value, as: wrapped) else { return nil }
  return number as? Value
}

/// A number as one of another type, if that holds it exactly.
private func number(_ value: Any, as type: Any.Type) -> Any? {
  func integer<Target: BinaryInteger>(_ type: Target.Type) -> Any? {
    if let value = value as? any BinaryInteger { return Target(exactly: value) }
    return (value as? any BinaryFloatingPoint).flatMap { Target(exactly: Double($0)) }
  }
  func floating<Target: BinaryFloatingPoint>(_ type: Target.Type) -> Any? {
    if let value = value as? any BinaryInteger { return Target(exactly: value) }
    return (value as? any BinaryFloatingPoint).flatMap { Target(exactly: $0) }
  }
  if let type = type as? any BinaryInteger.Type { return integer(type) }
  return (type as? any BinaryFloatingPoint.Type).flatMap { floating($0) }
}

/// A value as an object that has keys; other values are not put into objects to find out.
func objectWithKeys(_ value: Any) -> (any KeyValueCoding)? {
  type(of: value) is AnyClass ? value as? any KeyValueCoding : nil
}

/// A dictionary as a link of a path.
protocol KeyedValues {
  static var valueType: Any.Type { get }
  var allValues: any Collection { get }

  /// The value of a key; no result if the keys are no strings.
  func value(forName name: String) -> Any??

  /// The dictionary with a key set, or, with nil, removed; nil if it is of the wrong type.
  func setting(_ value: Any?, forName name: String) -> (any KeyedValues)?
}

extension Dictionary: KeyedValues {
  static var valueType: Any.Type { Value.self }
  var allValues: any Collection { values }

  func value(forName name: String) -> Any?? {
    guard let key = name as? Key else { return .none }
    return .some(withoutOptionals(self[key]))
  }

  func setting(_ value: Any?, forName name: String) -> (any KeyedValues)? {
    guard let key = name as? Key else { return nil }
    var copy = self
    guard let value = withoutOptionals(value) else {
      copy[key] = nil
      return copy
    }
    guard let value = value as? Value else { return nil }
    copy[key] = value
    return copy
  }
}

/// The members of a collection, of a dictionary its values; nil if a value is neither.
func members(of value: Any) -> (any Collection)? {
  if let dictionary = value as? any KeyedValues { return dictionary.allValues }
  return value is any StringProtocol ? nil : value as? any Collection
}
