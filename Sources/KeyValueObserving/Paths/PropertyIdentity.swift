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
  /// - Returns: Nil if it is not a single computed property without arguments. (In key paths, all
  ///   properties of classes are computed, except `final` ones without accessors and attributes.)
  init?(_ keyPath: AnyKeyPath) {
    defer { withExtendedLifetime(keyPath) {} }
    let object = unsafe UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    // SAFETY: a key-path object has a header of two words, a word for Objective-C, and its buffer:
    // a header, and the number of bytes in that header. Only these are read; `size` is checked
    // first.
    let buffer = unsafe object + Layout.buffer
    let header = unsafe buffer.load(as: UInt32.self)
    let size = Int(header & Layout.sizeMask)
    guard header & Layout.isSingle != 0, size >= Layout.getterSize else { return nil }
    let component = unsafe buffer + Layout.word
    let kind = unsafe component.load(as: UInt32.self)
    guard kind & Layout.kindMask == Layout.computedByAddress else { return nil }
    let accessors = kind & Layout.isSettable == 0 ? Layout.getterSize : Layout.setterSize
    if kind & Layout.hasArguments == 0 {
      guard size == accessors else { return nil }
    } else {
      // The generic types of the enclosing code are arguments too: they are those of the object.
      guard size >= accessors + 2 * Layout.word else { return nil }
      let functions = unsafe component.load(
        fromByteOffset: accessors + Layout.word, as: UnsafeRawPointer?.self)
      guard unsafe functions == cbr_generic_key_path_arguments() else { return nil }
    }
    word = unsafe component.load(fromByteOffset: Layout.word, as: UInt.self)
    type = ObjectIdentifier(Swift.type(of: keyPath).valueType)
  }

  /// The standard library's layout of key paths (`KeyPath.swift`, `MetadataValues.h`).
  private enum Layout {
    static let word = MemoryLayout<UInt>.size
    static let buffer = 3 * word

    // The buffer's header.
    static let sizeMask: UInt32 = 0x00FF_FFFF
    static let isSingle: UInt32 = 0x2000_0000

    // The component's header: its kind, and the kind of its identifier, which has been resolved.
    static let kindMask: UInt32 = 0x7F30_000F
    static let computedByAddress: UInt32 = 0x0200_0000
    static let hasArguments: UInt32 = 0x0008_0000
    static let isSettable: UInt32 = 0x0040_0000

    // The component: its header, its identifier, a getter, a setter.
    static let getterSize = 3 * word
    static let setterSize = 4 * word
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

  /// Whether both name the same property, provided that they are of one object.
  func isSame(as other: PropertyName) -> Bool {
    if identity != nil || other.identity != nil { return identity == other.identity }
    return DependencyTracker.suspended { keyPath == other.keyPath }
  }
}
