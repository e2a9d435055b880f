internal import LoadedClasses

/// A type as the runtime describes it: its kind, and the layout of its values.
///
/// Specification: `docs/ABI/TypeMetadata.rst` and `include/swift/ABI/Metadata.h` of Swift.
struct TypeMetadata: Hashable {
  // SAFETY: metadata is never freed, and has the layout that the specification gives.

  enum Kind: UInt {
    case `class` = 0
    case `struct` = 0x200
    case `enum` = 0x201
    case optional = 0x202
    case opaque = 0x300
    case tuple = 0x301
    case function = 0x302
    case existential = 0x303
    case metatype = 0x304
    case existentialMetatype = 0x306
    case constrainedExistential = 0x307
    case fixedArray = 0x308
    /// The kind of a closure's context, and of a box for a variable.
    case context = 0x400
    /// The kind of a box whose type is known at run time only.
    case box = 0x500
    case error = 0x501
  }

  let address: RuntimeAddress

  init(at address: RuntimeAddress) { self.address = address }

  init(_ type: Any.Type) {
    address = unsafe RuntimeAddress(unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  /// The kind; nil if it is none of these.
  var kind: Kind? {
    let bits = address.load(UInt.self, at: 0)
    // A larger number is the address that other platforms have there.
    return bits > 0x7FF ? .class : Kind(rawValue: bits)
  }

  /// The type, which must not be that of a context or a box.
  var type: Any.Type { unsafe unsafeBitCast(address.pointer, to: Any.Type.self) }

  /// The name without that of its module, as a person writes it.
  var name: String { _typeName(type, qualified: false) }

  /// The name with those of modules.
  var qualifiedName: String { _typeName(type, qualified: true) }
}

// MARK: - Layout

extension TypeMetadata {
  private static let witnessesOffset = -8
  private static let sizeOffset = 64
  private static let strideOffset = 72
  private static let flagsOffset = 80
  private static let tagOffset = 88
  private static let projectionOffset = 96

  private var witnesses: RuntimeAddress? { address.address(at: Self.witnessesOffset) }

  private var flags: UInt32 { witnesses?.load(UInt32.self, at: Self.flagsOffset) ?? 0 }

  var size: Int { witnesses?.load(Int.self, at: Self.sizeOffset) ?? 0 }
  var stride: Int { witnesses?.load(Int.self, at: Self.strideOffset) ?? 1 }
  var alignment: Int { Int(flags & 0xFF) + 1 }

  /// Whether values are only bytes: copying one retains nothing.
  var isTrivial: Bool { flags & 0x1_0000 == 0 }

  /// Whether an existential stores values in itself.
  var isInline: Bool { flags & 0x2_0000 == 0 }

  /// Whether the type may be used as a generic argument of common code.
  var isCopyable: Bool { flags & 0x80_0000 == 0 }

  private var hasEnumWitnesses: Bool { flags & 0x20_0000 != 0 }

  /// The number of an enum's case, counted from those with payloads.
  func caseNumber(at place: Place) -> Int? {
    guard hasEnumWitnesses, let code = witnesses?.address(at: Self.tagOffset) else { return nil }
    typealias Witness = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32
    // SAFETY: the table of an enum has this function, made by the compiler, which only reads.
    let witness = unsafe unsafeBitCast(code.pointer, to: Witness.self)
    return unsafe Int(witness(place.pointer, address.pointer))
  }

  /// Calls a closure with the payload of an enum's value: in a copy of its bytes, which is neither
  /// retained nor destroyed.
  func withPayload(
    at place: Place, _ reader: inout ReferenceReader, _ body: (inout ReferenceReader, Place) -> Void
  ) {
    guard let code = witnesses?.address(at: Self.projectionOffset) else { return }
    typealias Witness = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    unsafe withUnsafeTemporaryAllocation(byteCount: max(size, 8), alignment: alignment) { bytes in
      guard let copy = bytes.baseAddress else { return }
      unsafe copy.copyMemory(from: place.pointer, byteCount: size)
      // SAFETY: as above; this one removes the bits of the case from the copy.
      let witness = unsafe unsafeBitCast(code.pointer, to: Witness.self)
      unsafe witness(copy, address.pointer)
      unsafe body(&reader, Place(UnsafeRawPointer(copy)))
    }
  }
}
