private import CKeyValueObserving.Observing

/// The identity of the property that a key path names, whatever class the key path begins at:
/// `\Student.name` and `\Person.name` name the same property of a student.
///
/// The standard library cannot decompose key paths, but a key path contains a word that identifies
/// a computed property: the address of its method descriptor or getter, which is the same for all
/// subclasses, and for a property that overrides it. The runtime compares key paths by it. A key
/// path with an unknown layout, or of more than one property, has no identity, and equals only
/// itself.
///
/// Identities are compared for properties of one object: no two properties of its classes have the
/// same one. The comparison runs no code of the user's.
struct PropertyIdentity: Equatable {
  /// The identifying word.
  let word: UInt
  // An overriding property may have a subtype: then the observers of both receive different values.
  private let type: ObjectIdentifier

  /// Reads the identity of a key path.
  ///
  /// - Returns: Nil if the key path is not a single computed property without arguments. (In key
  ///   paths, all properties of classes are computed, except `final` ones without accessors and
  ///   attributes.)
  init?(_ keyPath: AnyKeyPath) {
    defer { withExtendedLifetime(keyPath) {} }
    let buffer = KeyPathBuffer(keyPath)
    guard buffer.isSingle, let property = buffer.computedProperty(at: KeyPathBuffer.first) else {
      return nil
    }
    if property.hasArguments {
      // The generic types of the enclosing code are arguments too: they are those of the object.
      let functions = buffer.word(at: property.end + MemoryLayout<UInt>.size)
      guard unsafe functions == UInt(bitPattern: cbr_generic_key_path_arguments()) else {
        return nil
      }
    } else {
      guard property.end == buffer.end else { return nil }
    }
    word = property.word
    type = ObjectIdentifier(Swift.type(of: keyPath).valueType)
  }
}

/// A key path by which the properties of one object are found and compared.
///
/// Arguments of a key path, as in `\.[key]`, are hashed and compared by the user's code, while no
/// lock is held, and without tracking what that code reads.
struct PropertyName {
  private let keyPath: AnyKeyPath
  private let identity: PropertyIdentity?

  /// Creates the name of a property.
  init(_ keyPath: AnyKeyPath) {
    self.keyPath = keyPath
    identity = PropertyIdentity(keyPath)
  }

  /// A hash that is the same for all names of one property.
  var hash: Int {
    identity.map { Int(bitPattern: $0.word) } ?? DependencyTracker.suspended { keyPath.hashValue }
  }

  /// Whether both names are of the same property, provided that they are of one object.
  func isSame(as other: PropertyName) -> Bool {
    if identity != nil || other.identity != nil { return identity == other.identity }
    return DependencyTracker.suspended { keyPath == other.keyPath }
  }
}
