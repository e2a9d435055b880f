internal import LoadedClasses

/// A stored property of a class or a struct, or a case of an enum, as the compiler recorded it.
struct StoredField {
  var name: String

  /// The type without the ownership; nil if it is not known.
  let type: TypeMetadata?

  /// Whether a case has a payload.
  let hasType: Bool

  /// Whether the property is a block, of which the runtime has no working metadata on Linux.
  let isBlock: Bool

  let ownership: HeldReference.Ownership

  /// The distance in bytes from the beginning of the object or the value; 0 for a case.
  let offset: Int

  /// Whether a case's payload is in a box.
  let isIndirect: Bool
}

extension TypeMetadata {
  // Descriptors are laid out as `TargetClassDescriptor` and its kin in swift/ABI/Metadata.h,
  // records of fields as in swift/RemoteInspection/Records.h.
  private static let fieldsOffset = 16
  static let classDescriptorOffset = 40

  private struct DescriptorFlags {
    let bits: UInt32
    var hasResilientSuperclass: Bool { bits & 1 << 29 != 0 }
    var hasNegativeMembers: Bool { bits & 1 << 28 != 0 }
  }

  /// The compiler's description of a nominal type; nil for a class that was made at run time.
  var descriptor: RuntimeAddress? {
    switch kind {
    case .class: address.address(at: Self.classDescriptorOffset)
    case .struct, .enum, .optional: address.address(at: 8)
    default: nil
    }
  }

  /// The superclass of a class.
  var superclass: TypeMetadata? {
    kind == .class ? address.address(at: 8).map { TypeMetadata(at: $0) } : nil
  }

  /// The offset in a class's metadata of what the class itself adds, generic arguments first.
  private func membersOffset(_ descriptor: RuntimeAddress) -> Int {
    let flags = DescriptorFlags(bits: descriptor.load(at: 0))
    if flags.hasResilientSuperclass { return descriptor.target(at: 24)?.load(Int.self, at: 0) ?? 0 }
    if flags.hasNegativeMembers { return -8 * Int(descriptor.load(UInt32.self, at: 24)) }
    return 8 * Int(descriptor.load(UInt32.self, at: 28) - descriptor.load(UInt32.self, at: 32))
  }

  private func arguments(_ descriptor: RuntimeAddress) -> RuntimeAddress {
    address + (kind == .class ? membersOffset(descriptor) : 16)
  }

  /// A generic argument, which the type must have.
  func argument(_ index: Int) -> TypeMetadata? {
    descriptor.flatMap { arguments($0).address(at: 8 * index) }.map { TypeMetadata(at: $0) }
  }

  /// The fields, without those of superclasses; nil if the compiler recorded none, as with
  /// `-disable-reflection-metadata`.
  var fields: [StoredField]? {
    guard let descriptor else { return kind == .class ? [] : nil }
    let isEnum = kind == .enum || kind == .optional
    let count = descriptor.load(UInt32.self, at: kind == .class ? 36 : 20) & 0xFF_FFFF
    guard let records = descriptor.target(at: Self.fieldsOffset) else {
      return count == 0 ? [] : nil
    }
    let recorded = records.load(UInt32.self, at: 12)
    return (0..<Int(isEnum ? recorded : min(count, recorded))).map { index in
      field(records + 16 + 12 * index, isEnum ? 0 : offset(of: index, descriptor), descriptor)
    }
  }

  private func offset(of index: Int, _ descriptor: RuntimeAddress) -> Int {
    guard kind == .class else {
      let vector = 8 * Int(descriptor.load(UInt32.self, at: 24))
      return Int(address.load(UInt32.self, at: vector + 4 * index))
    }
    let flags = DescriptorFlags(bits: descriptor.load(at: 0))
    let vector = 8 * Int(descriptor.load(UInt32.self, at: 40))
    let base = flags.hasResilientSuperclass ? membersOffset(descriptor) : 0
    return address.load(Int.self, at: base + vector + 8 * index)
  }

  private func field(
    _ record: RuntimeAddress, _ offset: Int, _ descriptor: RuntimeAddress
  ) -> StoredField {
    let mangled = (record + 4).target(at: 0).flatMap { MangledName(at: $0) }
    let isIndirect = record.load(UInt32.self, at: 0) & 1 != 0
    let name = (record + 8).target(at: 0).map { unsafe String(cString: $0.characters) } ?? "?"
    let (bare, ownership) = mangled.map { $0.withoutOwnership } ?? (nil, .strong)
    return StoredField(
      name: name, type: unsafe bare?.type(in: descriptor, arguments(descriptor).pointer),
      hasType: mangled != nil, isBlock: bare?.withoutOptional.isBlock ?? false,
      ownership: ownership, offset: offset, isIndirect: isIndirect)
  }
}

extension RuntimeAddress {
  /// The address as that of a C string.
  @unsafe
  fileprivate var characters: UnsafePointer<CChar> {
    unsafe pointer.assumingMemoryBound(to: CChar.self)
  }
}
