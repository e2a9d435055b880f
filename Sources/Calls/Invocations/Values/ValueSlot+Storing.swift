internal import BlockABI
internal import TypeEncodings

extension ValueSlot {
  /// Writes a value described at run time; if that fails, the slot is as it was.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  package func store(
    value: CValue, keeping kept: inout KeptValues
  ) throws(InvocationError) {
    let old = unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: layout.size))
    do throws(InvocationError) {
      unsafe try write(value, keeping: &kept)
    } catch {
      // SAFETY: the bytes were read from the slot.
      unsafe address.copyMemory(from: old, byteCount: old.count)
      throw error
    }
  }

  private func write(
    _ value: CValue, keeping kept: inout KeptValues
  ) throws(InvocationError) {
    switch (unsafe kind, value) {
    case (.bool, .bool(let value)):
      unsafe try value.store(to: self, keeping: &kept)
    case (_, .integer(let value)):
      unsafe try value.store(to: self, keeping: &kept)
    case (_, .unsignedInteger(let value)):
      unsafe try value.store(to: self, keeping: &kept)
    case (_, .float(let value)):
      unsafe try value.store(to: self, keeping: &kept)
    case (_, .double(let value)):
      unsafe try value.store(to: self, keeping: &kept)
    case (_, .longDouble(let value)):
      unsafe try value.store(to: self, keeping: &kept)
    case (.complexFloat, .complex(let real, let imaginary)),
      (.complexDouble, .complex(let real, let imaginary)),
      (.complexLongDouble, .complex(let real, let imaginary)):
      let halves = unsafe halves
      _ = unsafe try halves.real.storeFloatingPoint(real)
      _ = unsafe try halves.imaginary.storeFloatingPoint(imaginary)
    case (.cString, .cString(let text)):
      unsafe try text.store(to: self, keeping: &kept)
    case (.cString, .bytes(let bytes)) where !bytes.contains(0):
      let copy = CStringCopy(bytes)
      unsafe pointer = unsafe UnsafeMutableRawPointer(copy.address)
      kept.keep(copy)
    case (_, .pointer(let bits)) where unsafe isPointer:
      unsafe pointer = unsafe UnsafeMutableRawPointer(bitPattern: bits)
    case (_, .cString(nil)) where unsafe isPointer, (_, .object(nil)) where unsafe isPointer,
      (_, .class(nil)) where unsafe isPointer, (_, .block(nil)) where unsafe isPointer:
      unsafe pointer = nil
    case (.object, .object(let object?)):
      unsafe pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
      kept.keep(object)
    case (.class, .class(let type?)):
      // SAFETY: a class is never freed.
      unsafe pointer = unsafe unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    case (_, .block(let block?)):
      unsafe try block.store(to: self, keeping: &kept)
    case (.struct, .structure(let values)):
      unsafe try storeMembers(values, keeping: &kept)
    case (.vector, .array(let values)):
      unsafe try storeElements(values, keeping: &kept)
    case (.array, .array(let values)) where unsafe !isDecayedArray:
      unsafe try storeElements(values, keeping: &kept)
    case (.union, .member(let index, let value)):
      unsafe try storeMember(index, value, keeping: &kept)
    case (.union, .bytes(let bytes)) where unsafe hasRoom(forUnionOf: bytes.count):
      unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
      unsafe address.copyMemory(from: bytes, byteCount: bytes.count)
    case (.void, .void): break
    default:
      throw unsafe error(
        .typeMismatch, "\(value) cannot be stored as \(encoding) (\(kind.rawValue))")
    }
  }

  /// Whether a union of a size can be stored.
  ///
  /// If a frame does not say the size of a union with bit-fields, the union is read by the smallest
  /// size that it may have.
  private func hasRoom(forUnionOf size: Int) -> Bool {
    unsafe size == layout.size
      || size < layout.size && encoding.holds { $0.kind == .bitField }
  }

  private func storeMembers(
    _ values: [CValue], keeping kept: inout KeptValues
  ) throws(InvocationError) {
    let members = unsafe try members()
    guard unsafe values.count == members.count else {
      throw unsafe error(
        .typeMismatch, "\(encoding) has \(members.count.of("member")), \(values.count.areGiven)")
    }
    for index in values.indices {
      unsafe try store(values[index], in: members[index], keeping: &kept)
    }
  }

  private func storeElements(
    _ values: [CValue], keeping kept: inout KeptValues
  ) throws(InvocationError) {
    let elements = unsafe try elements()
    guard unsafe values.count == elements.count else {
      throw unsafe error(
        .typeMismatch,
        "\(encoding) has \(elements.count.of("element")), \(values.count.areGiven)")
    }
    for index in values.indices {
      unsafe try elements[index].write(values[index], keeping: &kept)
    }
  }

  private func storeMember(
    _ index: Int, _ value: CValue, keeping kept: inout KeptValues
  ) throws(InvocationError) {
    let members = unsafe try members()
    guard unsafe members.indices.contains(index) else {
      throw unsafe error(.typeMismatch, "\(encoding) has no member \(index)")
    }
    unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
    unsafe try store(value, in: members[index], keeping: &kept)
  }

  private func store(
    _ value: CValue, in member: Member, keeping kept: inout KeptValues
  ) throws(InvocationError) {
    switch unsafe member {
    case .slot(let slot):
      unsafe try slot.write(value, keeping: &kept)
    case .bits(let bits):
      guard case .integer(let integer) = value, unsafe bits.set(integer) else {
        throw unsafe error(
          .valueOutOfRange, "\(value) does not fit a bit-field of \(bits.width.of("bit"))")
      }
    }
  }
}
