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
