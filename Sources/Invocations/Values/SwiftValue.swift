private import BlockRuntimeThreads
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

  /// The declared types; those of the standard library that a signature's text may have by itself.
  private static let types = Locked<[String: Any.Type]>(
    ["Swift.Any": Any.self, "Swift.Error": (any Error).self])

  /// The name of a type that is declared: values that cast to it may then travel by that name.
  fileprivate static func declare(_ type: Any.Type) -> String {
    let name = name(of: type)
    types.withLock { $0[name] = type }
    return name
  }

  /// The type that was declared by a name; nil where only a signature's text has it.
  fileprivate static func type(named name: String) -> Any.Type? { types.withLock { $0[name] } }
}

extension TypeEncoding {
  /// The encoding of a Swift type that travels as a `SwiftValue`.
  package init(swiftValueOf type: Any.Type) {
    self.init(.object(className: SwiftValue.declare(type)))
  }

  /// The name of the Swift type whose values travel as this type; nil for all others.
  package var swiftValueTypeName: String? {
    guard case .object(let name?) = type, name.contains(".") else { return nil }
    return name
  }
}

extension ValueSlot {
  /// The object that a value travels as where a signature has the name of a Swift type.
  ///
  /// It is an object itself, or a `SwiftValue` with a value of that very type: what a cast makes of
  /// it, or the number that an optional wraps.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  func object<Value>(
    carrying value: Value, named name: String
  ) throws(InvocationError) -> AnyObject {
    let isObject = SwiftType.isObject(Value.self)
    if !isObject, name == SwiftValue.name(of: Value.self) { return SwiftValue(value) }
    guard let type = SwiftValue.type(named: name) else {
      guard isObject else { throw unsafe mismatch(Value.self) }
      return value as AnyObject
    }
    guard let converted = unsafe try converted(value, to: type) else {
      throw unsafe mismatch(Value.self)
    }
    return isObject ? value as AnyObject : converted
  }

  private func converted<Value, Declared>(
    _ value: Value, to type: Declared.Type
  ) throws(InvocationError) -> SwiftValue? {
    if let value = value as? Declared { return SwiftValue(value) }
    guard let optional = Declared.self as? any NumberWrapper.Type else { return nil }
    return unsafe try optional.wrapping(value, of: self)
  }
}

/// An optional of which the wrapped type may be a number.
private protocol NumberWrapper {
  /// A value as the number that is wrapped; nil if that is none.
  static func wrapping<Value>(
    _ value: Value, of slot: ValueSlot
  ) throws(InvocationError) -> SwiftValue?
}

extension Optional: NumberWrapper {
  fileprivate static func wrapping<Value>(
    _ value: Value, of slot: ValueSlot
  ) throws(InvocationError) -> SwiftValue? {
    guard Wrapped.self is any (Numeric & SlotConvertible).Type else { return nil }
    let encoding = try SwiftType.encoding(of: Wrapped.self)
    guard let layout = try? encoding.layout() else { return nil }
    return try unsafe withUnsafeTemporaryAllocation(of: Wrapped.self, capacity: 1) {
      memory throws(InvocationError) in
      // SAFETY: there is room for the number, which is no reference; it is read when it was written.
      let number = unsafe ValueSlot(
        encoding, layout, slot.place,
        at: UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped))
      var kept = KeptValues()
      unsafe try number.store(value, keeping: &kept)
      return SwiftValue(Optional(unsafe try number.load(as: Wrapped.self)) as Any)
    }
  }
}
