/// The value of a string key path: nil, or a value of a type that is not statically known.
///
/// Values are equal if they have the same `Equatable` type and are equal, or are the same object.
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

/// Converts a value to a type; numbers are converted if the type represents them exactly.
///
/// - Returns: The value; nil if it cannot be converted, or if it is nil and the type is not
///   optional.
func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
  guard let value = withoutOptionals(value) else {
    return (type as? any OptionalValue.Type)?.nothing as? Value
  }
  if let value = value as? Value { return value }
  let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
  guard let number = number(value, as: wrapped) else { return nil }
  return number as? Value
}

/// Converts a number to another type, if that represents it exactly.
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

/// A value as an object with keys; nil for values that are not objects, which are not boxed for it.
func objectWithKeys(_ value: Any) -> (any KeyValueCoding)? {
  type(of: value) is AnyClass ? value as? any KeyValueCoding : nil
}

/// A dictionary as a part of a path.
protocol KeyedValues {
  static var valueType: Any.Type { get }
  var allValues: any Collection { get }

  /// The value of a key; the outer optional is nil if the dictionary's keys are not strings.
  func value(forName name: String) -> Any??

  /// A copy with a key set, or, if the value is nil, removed; nil if the types do not match.
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

/// The members of a collection, or the values of a dictionary; nil if the value is neither.
func members(of value: Any) -> (any Collection)? {
  if let dictionary = value as? any KeyedValues { return dictionary.allValues }
  return value is any StringProtocol ? nil : value as? any Collection
}

/// An optional value of a type that is not statically known.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  static var nothing: Self { get }
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  static var nothing: Wrapped? { nil }
  var wrapped: Any? { map { $0 } }
}

/// A value without its layers of optionals; nil if one of them is nil.
func withoutOptionals(_ value: Any?) -> Any? {
  var value = value
  while let present = value, let optional = present as? any OptionalValue {
    value = optional.wrapped
  }
  return value
}
