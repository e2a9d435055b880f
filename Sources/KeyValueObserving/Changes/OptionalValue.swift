/// A value of any type, without optionals around it.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  var unwrapped: Any? { flatMap(withoutOptionals) }
}

/// What is in a value, however many optionals are around it; nil if one of them is.
func withoutOptionals(_ value: Any) -> Any? {
  (value as? any OptionalValue).map(\.unwrapped) ?? value
}
