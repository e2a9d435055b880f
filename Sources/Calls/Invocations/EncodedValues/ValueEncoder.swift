private import Glibc
private import TypeEncodings

/// Writes references in encoded values: pointers, functions, classes, selectors, objects, blocks,
/// and unions that may contain them.
package protocol ReferenceEncoder {
  /// Whether C strings may be in memory that cannot be read.
  static var distrustsMemory: Bool { get }

  /// Writes the reference in a slot.
  mutating func encode(reference slot: ValueSlot, to bytes: inout [UInt8])
}

/// The format in which values are written as bytes, which depend neither on padding nor on the
/// addresses of C strings.
///
/// The article `Recordings.md` describes it: numbers as in memory, C strings by content, records by
/// their members.
package enum ValueFormat {
  /// Stands in place of the length of a null C string.
  package static let nullString: UInt32 = .max

  /// Stands in place of the length of a C string that cannot be read.
  package static let unreadableString: UInt32 = .max - 1
}

/// Writes C values as bytes.
package struct ValueEncoder<References: ReferenceEncoder>: ValueVisitor {
  /// The bytes so far.
  package private(set) var bytes: [UInt8] = []

  /// Writes references.
  package var references: References

  package init(_ references: References) { self.references = references }

  /// Writes the value in a slot.
  ///
  /// - Throws: `unsupportedType`.
  package mutating func encode(_ slot: ValueSlot) throws(InvocationError) {
    unsafe try slot.accept(&self)
  }

  package mutating func visit(leaf slot: ValueSlot) throws(InvocationError) {
    switch unsafe slot.kind {
    case .void: break
    case .bool: bytes.append(unsafe slot.address.load(as: UInt8.self) == 0 ? 0 : 1)
    case .longDouble: unsafe append(slot.address, LongDoubleFormat.byteCount)
    case .complexLongDouble:
      let halves = unsafe slot.halves
      unsafe append(halves.real.address, LongDoubleFormat.byteCount)
      unsafe append(halves.imaginary.address, LongDoubleFormat.byteCount)
    case .cString: unsafe encode(string: slot)
    case .union where unsafe !slot.encoding.holdsRawPointer():
      unsafe append(slot.address, slot.layout.size)
    case .pointer, .functionPointer, .class, .selector, .object, .block, .array, .union:
      unsafe references.encode(reference: slot, to: &bytes)
    case .struct, .vector, .bitField, .unknown:
      throw unsafe InvocationError(
        .unsupportedType, "the type of \(slot.encoding) is not known; give the signature explicitly"
      )
    default: unsafe append(slot.address, slot.layout.size)
    }
  }

  package mutating func visit(bits: BitFieldSlot) {
    unsafe bytes.append(integer: bits.value, count: (bits.width + 7) / 8)
  }

  package func visit(structure slot: ValueSlot, _ members: [Void]) {}

  package func visit(array slot: ValueSlot, _ elements: [Void], count: Int) {}

  private mutating func encode(string slot: ValueSlot) {
    guard let pointer = unsafe slot.pointerValue else {
      return bytes.append(littleEndian: ValueFormat.nullString)
    }
    if References.distrustsMemory {
      guard let text = unsafe slot.cStringBytes(), text.count < ValueFormat.unreadableString else {
        return bytes.append(littleEndian: ValueFormat.unreadableString)
      }
      bytes.append(littleEndian: UInt32(text.count))
      bytes += text
    } else {
      // SAFETY: the signature says that this is a C string.
      let count = unsafe strlen(pointer.assumingMemoryBound(to: CChar.self))
      bytes.append(littleEndian: UInt32(truncatingIfNeeded: count))
      unsafe append(pointer, count)
    }
  }

  private mutating func append(_ address: UnsafeRawPointer, _ count: Int) {
    // SAFETY: the slot, or its string, has so many bytes.
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: address, count: count))
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
