private import Glibc
private import TypeEncodings

// SAFETY, for the whole file: slots are valid while they are encoded; each is read within its layout.

/// Writes what an encoded value says of references: of pointers, functions, classes, selectors,
/// objects, blocks, and unions that may hold any of them.
package protocol ReferenceEncoder {
  /// Whether C strings may lie in memory that cannot be read.
  static var distrustsMemory: Bool { get }

  /// Writes the reference in a slot.
  mutating func encode(reference slot: ValueSlot, to bytes: inout [UInt8])
}

/// Writes C values as bytes that depend neither on padding nor on where C strings lie.
///
/// The form is that of the article `Recordings.md`: numbers as in memory, C strings by content,
/// records by their members.
package enum ValueEncoder {
  /// What stands in place of a C string's length.
  package static let nullString: UInt32 = .max
  package static let unreadableString: UInt32 = .max - 1

  /// How many bytes of a `long double` are the number.
  package static var longDoubleSize: Int { MemoryLayout<LongDouble>.size == 16 ? 10 : 8 }

  /// Writes the value in a slot.
  ///
  /// - Throws: `unsupportedType`.
  package static func encode(
    _ slot: ValueSlot, to bytes: inout [UInt8], _ references: inout some ReferenceEncoder
  ) throws(InvocationError) {
    switch unsafe slot.kind {
    case .void: break
    case .bool: bytes.append(unsafe slot.address.load(as: UInt8.self) == 0 ? 0 : 1)
    case .longDouble: unsafe append(slot.address, longDoubleSize, to: &bytes)
    case .complexLongDouble:
      let halves = unsafe slot.halves
      unsafe append(halves.real.address, longDoubleSize, to: &bytes)
      unsafe append(halves.imaginary.address, longDoubleSize, to: &bytes)
    case .cString: unsafe encode(string: slot, to: &bytes, &references)
    case .struct:
      let members = unsafe try slot.members()
      for index in unsafe members.indices {
        switch unsafe members[index] {
        case .slot(let member): unsafe try encode(member, to: &bytes, &references)
        case .bits(let bits): unsafe bytes.append(integer: bits.value, count: (bits.width + 7) / 8)
        }
      }
    case .array where unsafe !slot.isPointerForArray:
      let elements = unsafe try slot.elements()
      for index in unsafe elements.indices {
        unsafe try encode(elements[index], to: &bytes, &references)
      }
    case .union where unsafe !slot.encoding.holdsRawPointer():
      unsafe append(slot.address, slot.layout.size, to: &bytes)
    case .pointer, .functionPointer, .class, .selector, .object, .block, .array, .union:
      unsafe references.encode(reference: slot, to: &bytes)
    case .bitField, .unknown:
      throw unsafe InvocationError(
        .unsupportedType, "the type of \(slot.encoding) is not known; give the signature explicitly"
      )
    default: unsafe append(slot.address, slot.layout.size, to: &bytes)
    }
  }

  private static func encode<References: ReferenceEncoder>(
    string slot: ValueSlot, to bytes: inout [UInt8], _ references: inout References
  ) {
    guard let pointer = unsafe slot.pointerValue else {
      return bytes.append(littleEndian: nullString)
    }
    if References.distrustsMemory {
      guard let text = unsafe slot.cStringBytes(), text.count < unreadableString else {
        return bytes.append(littleEndian: unreadableString)
      }
      bytes.append(littleEndian: UInt32(text.count))
      bytes += text
    } else {
      // SAFETY: the signature says that this is a C string.
      let count = unsafe strlen(pointer.assumingMemoryBound(to: CChar.self))
      bytes.append(littleEndian: UInt32(truncatingIfNeeded: count))
      unsafe append(pointer, count, to: &bytes)
    }
  }

  private static func append(
    _ address: UnsafeRawPointer, _ count: Int, to bytes: inout [UInt8]
  ) {
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: address, count: count))
  }
}

extension ValueSlot {
  /// Whether the slot is an argument declared as an array: C passes a pointer.
  fileprivate var isPointerForArray: Bool {
    if case .argument = unsafe place { true } else { false }
  }
}

extension [UInt8] {
  /// Adds an integer, the lowest byte first.
  package mutating func append(littleEndian value: some FixedWidthInteger & BitwiseCopyable) {
    // SAFETY: the bytes are those of the value.
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Adds the lowest bytes of an integer, at most sixteen, the lowest first.
  package mutating func append(integer value: Int128, count: Int) {
    // SAFETY: as above.
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) {
      unsafe append(contentsOf: $0.prefix(count))
    }
  }
}
