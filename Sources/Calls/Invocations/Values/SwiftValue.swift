private import BlockRuntimeThreads
internal import TypeEncodings

/// A Swift value that is passed as an object, because C has no type for it.
///
/// If a signature has a class name with a dot, as in `@"Swift.String"`, an object of this class is
/// passed, which contains a value of the Swift type of that name.
package final class SwiftValue {
  package let value: Any

  package init(_ value: Any) { self.value = value }

  /// The name of a type in signatures, which has a dot: `Any` and `() -> ()` get the prefix
  /// `Swift.`.
  package static func name(of type: Any.Type) -> String {
    let name = _typeName(type, qualified: true)
    return name.contains(".") ? name : "Swift." + name
  }

  /// The declared types by their names; first, types that a signature may name without a
  /// declaration.
  private static let types = GatedLock<[String: Any.Type]>(
    ["Swift.Any": Any.self, "Swift.Error": (any Error).self])

  /// Declares a type, and returns its name: values that cast to the type may then be passed by it.
  fileprivate static func declare(_ type: Any.Type) -> String {
    let name = name(of: type)
    types.withLock { $0[name] = type }
    return name
  }

  /// The type that was declared by a name; nil if none was.
  fileprivate static func type(named name: String) -> Any.Type? { types.withLock { $0[name] } }
}

extension TypeEncoding {
  /// The encoding of a Swift type whose values are passed as a `SwiftValue`.
  package init(swiftValueOf type: Any.Type) {
    self.init(.object(className: SwiftValue.declare(type)))
  }

  /// The name of the Swift type whose values are passed as this type; nil for all other types.
  package var swiftValueTypeName: String? {
    guard case .object(let name?) = type, name.contains(".") else { return nil }
    return name
  }

  /// The Swift type whose values are passed as this type; nil for all other types.
  package var swiftValueType: Any.Type? { swiftValueTypeName.flatMap(SwiftValue.type(named:)) }
}

extension ValueSlot {
  /// The object that is passed for a value if a signature has the name of a Swift type.
  ///
  /// It is the value itself if that is an object, otherwise a `SwiftValue` with a value of the
  /// named type: the value after a cast, or after a conversion to the number that an optional
  /// wraps.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  func object<Value>(
    carrying value: Value, named name: String
  ) throws(InvocationError) -> AnyObject {
    // SAFETY: the slot's memory is not accessed.
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
    // SAFETY: the slot's memory is not accessed.
    return unsafe try optional.wrapping(value, of: self)
  }
}

/// An optional whose wrapped type may be a number.
private protocol NumberWrapper {
  /// A value as a number of the wrapped type; nil if that is not a number.
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
    return try unsafe withUnsafeTemporaryAllocation(of: Wrapped.self, capacity: 1) { memory in
      Result { () throws(InvocationError) in
        // SAFETY: the memory has room for the number, which is written before it is read, and needs
        // no deinitialisation.
        let number = unsafe ValueSlot(
          encoding, layout, slot.place,
          at: UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped))
        var kept = KeptValues()
        unsafe try number.store(value, keeping: &kept)
        return SwiftValue(Optional(unsafe try number.load(as: Wrapped.self)) as Any)
      }
    }.get()
  }
}
