private import CExperimentalSwiftMethods.SwiftMethods

// SAFETY, for the whole file: metadata is never freed, and laid out as Swift's
// `docs/ABI/TypeMetadata.rst` says of a class where there is no Objective-C.

/// A Swift class as the runtime keeps it: what it inherits from, and the table of its methods.
struct ClassMetadata: Hashable, Sendable {
  private let address: RuntimeAddress

  private static let superclassOffset = 8
  private static let sizeOffset = 32
  private static let addressPointOffset = 36
  private static let descriptorOffset = 40

  /// Looks at a class.
  init(_ type: AnyClass) {
    address = unsafe RuntimeAddress(unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  private init(_ address: RuntimeAddress) { self.address = address }

  /// The class of an object.
  ///
  /// ## Safety
  /// The address must be that of a Swift object.
  @unsafe
  init(ofObjectAt object: UnsafeRawPointer) {
    address = unsafe RuntimeAddress(object.load(as: UnsafeRawPointer.self))
  }

  /// The class of a descriptor, made complete first; nil for a generic one.
  init?(_ descriptor: ClassDescriptor) {
    guard let function = descriptor.accessFunction,
      let address = unsafe cbr_class_metadata(function.pointer)
    else { return nil }
    unsafe self.address = RuntimeAddress(address)
  }

  /// The class that this one inherits from.
  var superclass: ClassMetadata? {
    address.address(at: Self.superclassOffset).map { ClassMetadata($0) }
  }

  /// The class and those that it inherits from.
  var lineage: some Sequence<ClassMetadata> { sequence(first: self) { $0.superclass } }

  /// What the compiler wrote about the class; nil for one that was made at run time.
  var descriptor: ClassDescriptor? {
    address.address(at: Self.descriptorOffset).flatMap { ClassDescriptor($0) }
  }

  /// The place of a method's code, in words from the address point; nil if the class is too small.
  func slot(at index: Int) -> MethodSlot? {
    let size = address.load(UInt32.self, at: Self.sizeOffset)
    let addressPoint = address.load(UInt32.self, at: Self.addressPointOffset)
    guard index > 0, (index + 1) * 8 <= Int(size) - Int(addressPoint) else { return nil }
    return MethodSlot(address + index * 8)
  }

  /// The class's name, with its module's.
  var name: String { _typeName(type, qualified: true) }

  private var type: AnyClass { unsafe unsafeBitCast(address.pointer, to: AnyClass.self) }
}
