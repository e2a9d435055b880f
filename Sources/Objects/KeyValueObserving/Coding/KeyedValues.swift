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

/// Casts a value to an object with keys; nil for values that are not objects, which are not boxed
/// to find out.
func objectWithKeys(_ value: Any) -> (any KeyValueCoding)? {
  type(of: value) is AnyClass ? value as? any KeyValueCoding : nil
}

/// The members of a collection, or the values of a dictionary; nil if the value is neither.
func members(of value: Any) -> (any Collection)? {
  if let dictionary = value as? any KeyedValues { return dictionary.allValues }
  return value is any StringProtocol ? nil : value as? any Collection
}
