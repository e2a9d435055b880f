private import CKeyValueObserving.Observing

/// Which property a key path names, whatever class it begins at: `\Student.name` and `\Person.name` are
/// one property of a student.
///
/// Key paths cannot be taken apart, but what tells a computed property from others lies in them, one
/// word: the address of its method descriptor or getter, which is the same for all subclasses, and
/// for a property that overrides it. The runtime compares key paths by it. Where a key path is not
/// laid out as is known, or is more than one property, it has no identity, and equals itself only.
///
/// Properties of one object are compared: in its classes no two have one identity. Nothing of the user's
/// code runs for it.
struct PropertyIdentity: Equatable {
  /// What identifies the property among all.
  let word: UInt
  // One that overrides another may be of a subtype: observers of both are told different values.
  private let type: ObjectIdentifier

  /// Looks at a key path.
  ///
  /// - Returns: Nil if it is not a single computed property without arguments. (To key paths all
  ///   properties of classes are computed, but `final` ones without accessors and attributes.)
  init?(_ keyPath: AnyKeyPath) {
    defer { withExtendedLifetime(keyPath) {} }
    let object = unsafe UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    // SAFETY: a key path's object has a header of two words, a word for Objective-C, and then its
    // buffer: a header, and as many bytes as that says. Only these are read.
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
      // The types of generic code are arguments too: they are those of the object.
      guard size >= accessors + 2 * Layout.word else { return nil }
      let functions = unsafe component.load(
        fromByteOffset: accessors + Layout.word, as: UnsafeRawPointer?.self)
      guard unsafe functions == cbr_generic_key_path_arguments() else { return nil }
    }
    word = unsafe component.load(fromByteOffset: Layout.word, as: UInt.self)
    type = ObjectIdentifier(Swift.type(of: keyPath).valueType)
  }

  /// How the standard library lays out key paths (`KeyPath.swift`, `MetadataValues.h`).
  private enum Layout {
    static let word = MemoryLayout<UInt>.size
    static let buffer = 3 * word

    // The buffer's header.
    static let sizeMask: UInt32 = 0x00FF_FFFF
    static let isSingle: UInt32 = 0x2000_0000

    // The component's header: its kind, and what identifies it; how that is resolved is 0 by then.
    static let kindMask: UInt32 = 0x7F30_000F
    static let computedByAddress: UInt32 = 0x0200_0000
    static let hasArguments: UInt32 = 0x0008_0000
    static let isSettable: UInt32 = 0x0040_0000

    // The component: its header, what identifies it, a getter, a setter.
    static let getterSize = 3 * word
    static let setterSize = 4 * word
  }
}

/// A key path by which the properties of one object are found, and compared.
///
/// Arguments of a key path, as in `\.[key]`, are hashed and compared by the user's code: under no lock, and
/// what that reads is nobody's business.
struct PropertyName {
  private let keyPath: AnyKeyPath
  private let identity: PropertyIdentity?

  /// Names a property.
  init(_ keyPath: AnyKeyPath) {
    self.keyPath = keyPath
    identity = PropertyIdentity(keyPath)
  }

  /// The same for all names of a property.
  var hash: Int {
    identity.map { Int(bitPattern: $0.word) } ?? DependencyTracker.suspended { keyPath.hashValue }
  }

  /// Whether both name one property, if they are of one object.
  func isSame(as other: PropertyName) -> Bool {
    if identity != nil || other.identity != nil { return identity == other.identity }
    return DependencyTracker.suspended { keyPath == other.keyPath }
  }
}
