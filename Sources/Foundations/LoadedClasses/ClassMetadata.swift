private import CLoadedImages.LoadedClasses

/// A Swift class in the runtime: its superclass, and its description.
package struct ClassMetadata: Hashable, Sendable {
  // SAFETY: metadata is never freed, and has the layout that Swift's `docs/ABI/TypeMetadata.rst`
  // gives for a class without Objective-C interoperability.

  package let address: RuntimeAddress

  private static let foreignClassKind: UInt = 0x203
  private static let superclassOffset = 8
  private static let descriptorOffset = 40

  /// The metadata of a class.
  package init(_ type: AnyClass) {
    address = unsafe RuntimeAddress(unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  private init(_ address: RuntimeAddress) { self.address = address }

  /// The class with metadata at an address.
  ///
  /// ## Safety
  /// The address must be that of a class's metadata.
  @unsafe
  package init(at address: UnsafeRawPointer) { self.address = unsafe RuntimeAddress(address) }

  /// The class of a descriptor, whose metadata is completed first; nil for a generic class.
  package init?(_ descriptor: ClassDescriptor) {
    // SAFETY: the address is that of the descriptor's access function, which takes one argument as
    // the class is not generic.
    guard let function = descriptor.accessFunction,
      let address = unsafe cbr_class_metadata(function.pointer)
    else { return nil }
    unsafe self.address = RuntimeAddress(address)
  }

  /// Whether the class stands for a type of C, such as a `CFString`, which Swift casts to any
  /// class.
  var isForeign: Bool { address.load(UInt.self, at: 0) == Self.foreignClassKind }

  /// The class that this one inherits from.
  package var superclass: ClassMetadata? {
    address.address(at: Self.superclassOffset).map { ClassMetadata($0) }
  }

  /// The class and all its superclasses, the nearest first.
  package var lineage: some Sequence<ClassMetadata> { sequence(first: self) { $0.superclass } }

  /// The compiler's description of the class; nil for one that was made at run time.
  package var descriptor: ClassDescriptor? {
    address.address(at: Self.descriptorOffset).flatMap { ClassDescriptor($0) }
  }

  /// The class's name, with that of its module.
  package var name: String { _typeName(type, qualified: true) }

  /// The class as a type.
  package var type: AnyClass { unsafe unsafeBitCast(address.pointer, to: AnyClass.self) }
}
