private import CKeyValueObserving.Observing

/// The getters of the observed properties of which a path consists, from its root to its value.
///
/// The standard library reads each component of a key path with generic code, which looks up the
/// component's types at run time. This type calls the getters in the key path without that code.
package struct PathGetters {
  private let getters: [UInt]

  /// Whether the path's value is optional only because a property on the way is: then the last
  /// getter reads the wrapped value.
  package let wrapsValue: Bool

  /// Finds the getters of a path; nil unless its key path consists of the properties that it reads,
  /// of which all but the last are references, or optional ones.
  ///
  /// Each word of the key path that is neither a getter nor a setter is compared with what is known
  /// of the properties.
  ///
  /// - Parameters:
  ///   - keyPath: The path.
  ///   - properties: The properties that were read when it was evaluated, in order.
  package init?(of keyPath: AnyKeyPath, through properties: [AnyKeyPath]) {
    defer { withExtendedLifetime(keyPath) {} }
    let buffer = KeyPathBuffer(keyPath)
    var getters: [UInt] = []
    var offset = KeyPathBuffer.first
    var last: AnyKeyPath?
    for key in properties {
      if let previous = last {
        guard let next = Self.reference(to: previous, in: buffer, at: offset) else { return nil }
        offset = next
      }
      guard let identity = PropertyIdentity(key),
        let property = buffer.computedProperty(at: offset), !property.hasArguments,
        property.word == identity.word
      else { return nil }
      getters.append(property.getter)
      offset = property.end
      last = key
    }
    guard let last else { return nil }
    self.getters = getters
    let type = Swift.type(of: last).valueType
    wrapsValue = offset != buffer.end
    if wrapsValue {
      guard Self.isType(type, in: buffer, at: offset),
        buffer.isOptionalWrap(at: offset + MemoryLayout<UInt>.size),
        let whole = Swift.type(of: keyPath).valueType as? any OptionalValue.Type,
        whole.wrappedType == type
      else { return nil }
    } else if type != Swift.type(of: keyPath).valueType {
      return nil
    }
  }

  /// The offset of the component that reads a property of a property's value.
  ///
  /// - Returns: Nil unless the value is a reference, or an optional one.
  private static func reference(
    to key: AnyKeyPath, in buffer: KeyPathBuffer, at offset: Int
  ) -> Int? {
    let type = type(of: key).valueType
    let next = offset + MemoryLayout<UInt>.size
    guard isType(type, in: buffer, at: offset) else { return nil }
    if type is AnyClass { return next }
    guard let wrapped = (type as? any OptionalValue.Type)?.wrappedType, wrapped is AnyClass,
      buffer.isOptionalChain(at: next),
      isType(wrapped, in: buffer, at: next + MemoryLayout<UInt>.size)
    else { return nil }
    return next + 2 * MemoryLayout<UInt>.size
  }

  private static func isType(_ type: Any.Type, in buffer: KeyPathBuffer, at offset: Int) -> Bool {
    buffer.word(at: offset) == UInt(bitPattern: ObjectIdentifier(type))
  }

  /// Reads the path's value.
  ///
  /// - Parameters:
  ///   - root: The object where the path begins.
  ///   - value: The memory to initialise with the value that the last getter returns.
  /// - Returns: Whether it was initialised: not if a reference on the way is nil.
  ///
  /// ## Safety
  ///
  /// The root must be of the key path's root type, the memory of the last getter's value type.
  @unsafe
  package func read(_ root: AnyObject, into value: UnsafeMutableRawPointer) -> Bool {
    var object = unsafe Unmanaged.passUnretained(root)
    let last = getters.count - 1
    for index in 0..<last {
      var next: Unmanaged<AnyObject>?
      // SAFETY: the getter takes a reference, and returns a retained one, or nil.
      unsafe cbr_call_key_path_getter(getters[index], &object, &next)
      if index > 0 { unsafe object.release() }
      guard let next = unsafe next else { return false }
      unsafe object = next
    }
    // SAFETY: the getter takes a reference; by the function's contract, the memory is for its
    // value.
    unsafe cbr_call_key_path_getter(getters[last], &object, value)
    if last > 0 { unsafe object.release() }
    return true
  }
}
