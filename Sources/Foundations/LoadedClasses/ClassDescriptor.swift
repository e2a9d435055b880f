// Descriptors are constants of loaded images, which Swift never unloads, laid out as
// swift/include/swift/ABI/Metadata.h says (TargetClassDescriptor).

/// The compiler's constant description of a class: how to obtain its metadata, and its methods'
/// descriptors.
package struct ClassDescriptor: Hashable, Sendable {
  private let address: RuntimeAddress

  /// The flags by which the parts of a descriptor are found.
  private struct Flags {
    let bits: UInt32

    private static let kindMask: UInt32 = 0x1F
    private static let classKind: UInt32 = 16

    var isClass: Bool { bits & Self.kindMask == Self.classKind }
    var isGeneric: Bool { bits & 0x80 != 0 }
    /// The number of bytes that the runtime needs to complete the metadata.
    var initializationSize: Int? {
      switch bits >> 16 & 3 {
      case 0: 0
      case 1: 12
      case 2: 4
      default: nil
      }
    }
    var hasResilientSuperclass: Bool { bits & 1 << 29 != 0 }
    var hasMethodTable: Bool { bits & 1 << 31 != 0 }
  }

  private static let accessFunctionOffset = 12
  private static let superclassNameOffset = 20
  private static let size = 44

  /// Nil if the address is that of a descriptor of another kind.
  package init?(_ address: RuntimeAddress) {
    self.address = address
    guard flags.isClass else { return nil }
  }

  private var flags: Flags { Flags(bits: address.load(at: 0)) }

  package var isGeneric: Bool { flags.isGeneric }

  /// Whether the slots of the class's own methods depend on the library that defines its
  /// superclass.
  package var hasResilientSuperclass: Bool { flags.hasResilientSuperclass }

  /// The function that returns the metadata; it takes more than one argument if the class is
  /// generic.
  package var accessFunction: RuntimeAddress? {
    isGeneric ? nil : address.target(at: Self.accessFunctionOffset)
  }

  /// The descriptor of the superclass.
  ///
  /// Nil if there is none, or if the compiler referred to it by a mangled name of text, which it
  /// does not do for classes that the program or its libraries define.
  package var superclass: ClassDescriptor? {
    // The name of a class is a reference to its descriptor, direct or through a pointer.
    guard let name = address.target(at: Self.superclassNameOffset),
      let referent = name.target(at: 1)
    else { return nil }
    return switch name.load(UInt8.self, at: 0) {
    case 1: ClassDescriptor(referent)
    case 2: referent.address(at: 0).flatMap { ClassDescriptor($0) }
    default: nil
    }
  }

  /// The descriptor and those of all superclasses, the nearest first.
  package var lineage: some Sequence<ClassDescriptor> { sequence(first: self) { $0.superclass } }

  /// Where the number of the first of the class's own methods' slots is, the number of these
  /// methods, and their descriptors.
  ///
  /// Nil if there are none, for a generic class, and where the slots are not constant.
  package var methodTable: RuntimeAddress? {
    let flags = flags
    guard flags.hasMethodTable, !flags.isGeneric, !flags.hasResilientSuperclass,
      let initializationSize = flags.initializationSize
    else { return nil }
    return address + Self.size + initializationSize
  }
}
