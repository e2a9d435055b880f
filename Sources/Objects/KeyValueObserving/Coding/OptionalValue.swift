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
