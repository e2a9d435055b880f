// Descriptors are constants of loaded images, which Swift never unloads, laid out as
// swift/include/swift/ABI/Metadata.h says (TargetClassDescriptor).

/// The compiler's constant description of a class: how to obtain its metadata, and its superclass.
package struct ClassDescriptor: Hashable, Sendable {
  private let address: RuntimeAddress

  /// The flags by which the parts of a descriptor are found.
  private struct Flags {
    let bits: UInt32

    private static let kindMask: UInt32 = 0x1F
    private static let classKind: UInt32 = 16

    var isClass: Bool { bits & Self.kindMask == Self.classKind }
    var isGeneric: Bool { bits & 0x80 != 0 }
  }

  private static let accessFunctionOffset = 12
  private static let superclassNameOffset = 20

  /// The descriptor at an address; nil if it describes no class.
  package init?(_ address: RuntimeAddress) {
    self.address = address
    guard flags.isClass else { return nil }
  }

  private var flags: Flags { Flags(bits: address.load(at: 0)) }

  package var isGeneric: Bool { flags.isGeneric }

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
}
