internal import LoadedClasses

/// The class and the identity of an object that is destroyed.
public struct DestroyedObject: Sendable {
  /// The object's identifier; once it has been destroyed, another object may have it.
  public let id: ObjectIdentifier

  private let metadata: ClassMetadata

  /// The object's class: the hooked one, or a subclass.
  public var type: AnyClass { metadata.type }

  /// Describes the object at an address.
  ///
  /// ## Safety
  ///
  /// The address must be that of an intact object.
  @unsafe
  init(at address: UnsafeRawPointer) {
    unsafe self.init(address: address, type: address.load(as: UnsafeRawPointer.self))
  }

  /// Describes an object by its address and that of its class.
  ///
  /// ## Safety
  ///
  /// The addresses must be those of an object, which need not be alive, and of its class.
  @unsafe
  init(address: UnsafeRawPointer, type: UnsafeRawPointer) {
    // SAFETY: an object's identifier is its address.
    id = unsafe unsafeBitCast(address, to: ObjectIdentifier.self)
    metadata = unsafe ClassMetadata(at: type)
  }
}

extension DestroyedObject: CustomStringConvertible {
  /// The class and the address.
  public var description: String {
    "\(metadata.name) at 0x\(String(UInt(bitPattern: id), radix: 16))"
  }
}
